import { alignEnd, alignStart, consolidationEnd, headSize } from "../../../src/context/compaction/boundaries.ts";
import { summaryCap, tailBudget } from "../../../src/context/compaction/limits.ts";
import { shortArguments } from "../../../src/context/compaction/prune.ts";
import type { Message } from "../../../src/protocol/message.ts";
import { compactionThreshold } from "../../../src/protocol/window.ts";
import { isObject, type Json } from "../case-file.ts";
import { listOf, numberOf, objectOf, textOf } from "../input.ts";

/** `{context_length, threshold_percent, summary_target_ratio}`: from when on, what stays, how long a summary is. */
export function compressionParamsCase(input: Json): unknown {
  const given = objectOf(input, "input");
  const window = numberOf(given["context_length"], "context_length");
  const threshold = compactionThreshold(window, numberOf(given["threshold_percent"], "threshold_percent"));
  return {
    threshold_tokens: threshold,
    tail_token_budget: tailBudget(threshold, numberOf(given["summary_target_ratio"], "summary_target_ratio")),
    max_summary_tokens: summaryCap(window),
  };
}

/** `{op, messages, index | protect_first_n}`: where a cut is moved to, and how many messages stay at the beginning. */
export function compressionBoundaryCase(input: Json): unknown {
  const { op, messages, index, protect_first_n: protectFirst } = objectOf(input, "input");
  const rows = listOf(messages, "messages");
  if (op === "align_start") return { index: alignStart(placesOf(rows), numberOf(index, "index")) };
  if (op === "align_end") return { index: alignEnd(placesOf(rows), numberOf(index, "index")) };
  // The system prompt is no message here.
  const said = placesOf(rows).filter((message) => message !== undefined);
  const head = { instruction: said.length, most: Infinity, protectFirst: numberOf(protectFirst, "protect_first_n") };
  return { head: rows.length - said.length + headSize(said, head, () => 0) };
}

/** `{arguments, head_chars}`, as JSON has them without white space. */
export function argumentsShrinkCase(input: Json): unknown {
  const { arguments: given, head_chars: most } = objectOf(input, "input");
  return { arguments: shortArguments(textOf(given, "arguments"), numberOf(most, "head_chars")) };
}

export function argumentsShrinkExpectation(expect: Json): Json {
  const written = isObject(expect) ? expect["arguments"] : undefined;
  if (typeof written !== "string") return expect;
  try {
    return { arguments: JSON.stringify(JSON.parse(written)) };
  } catch {
    return expect;
  }
}

/** `{messages, last_consolidated, tokens_to_remove, tokens_per_message}`: where what is put away ends. */
export function consolidationBoundaryCase(input: Json): unknown {
  const {
    messages,
    last_consolidated: from,
    tokens_to_remove: remove,
    tokens_per_message: each,
  } = objectOf(input, "input");
  const history = placesOf(listOf(messages, "messages"));
  const stretch = {
    from: numberOf(from, "last_consolidated"),
    last: history.length,
    remove: numberOf(remove, "tokens_to_remove"),
  };
  const tokens = numberOf(each, "tokens_per_message");
  return { end_index: consolidationEnd(history, stretch, () => tokens) ?? null };
}

/** Each row in its place; a system row leaves its place empty. */
const placesOf = (rows: readonly Json[]): (Message | undefined)[] => rows.map((row) => messageOf(row));

function messageOf(row: Json): Message | undefined {
  const { role, content, tool_calls: calls, tool_call_id: callId } = objectOf(row, "message");
  const parts = [{ type: "text", text: typeof content === "string" ? content : "" }] as const;
  switch (role) {
    case "user":
      return { role, parts };
    case "tool":
      return { role, callId: textOf(callId, "tool_call_id"), status: "ok", parts };
    case "assistant":
      return { role, parts: [...parts, ...(calls === undefined ? [] : listOf(calls, "tool_calls").map(callIn))] };
    default:
      return undefined;
  }
}

function callIn(call: Json): Extract<Message, { role: "assistant" }>["parts"][number] {
  const { id, function: named } = objectOf(call, "call");
  const { name, arguments: input } = objectOf(named, "function");
  return { type: "tool-call", callId: textOf(id, "id"), name: textOf(name, "name"), input: textOf(input, "arguments") };
}
