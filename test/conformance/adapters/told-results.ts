import { LONGEST_BATCH } from "../../../src/protocol/result-file.ts";
import { isUntrusted } from "../../../src/tools/results/fence.ts";
import { previewOf } from "../../../src/tools/results/preview.ts";
import { createToolbox } from "../../../src/tools/toolbox.ts";
import { largestFirst, type Sized } from "../../../src/turn/batch-room.ts";
import type { Json } from "../case-file.ts";
import { listOf, numberOf, objectOf, textOf } from "../input.ts";
import { callOf, lookUp, NOWHERE } from "./tool-repair.ts";

/** `{tool}`: whether others speak in its results; with `content`, what the model is told of one. */
export async function untrustedWrapCase(input: Json): Promise<unknown> {
  const { tool, content, tool_call_id: callId } = objectOf(input, "input");
  const name = textOf(tool, "tool");
  if (content === undefined) return { untrusted: isUntrusted({ name }) };
  const { port } = createToolbox([lookUp(name, { run: () => content })]);
  const { text } = await port.run(callOf(name, "{}"), NOWHERE);
  const tag = /^<(untrusted_tool_result source="[^"]*") mark="/u.exec(text)?.[1] ?? null;
  // A list of pieces is told as its JSON.
  const told = typeof content === "string" ? content : JSON.stringify(content);
  return {
    role: "tool",
    name,
    tool_call_id: callId,
    wrapped: tag !== null,
    tag,
    contains: text.includes(told) ? told : null,
  };
}

/** hermes.md §26.13: our preview is shorter (row E8), and a setting. */
const THEIR_PREVIEW = 1_500;

/** `{op: "preview", content, max_chars}` (none: the usual one of theirs), or `{op: "turn_budget", sizes, turn_budget}`: which results of a batch go to files. */
export async function resultSpillCase(input: Json): Promise<unknown> {
  const { op, content, max_chars: max = null, sizes, turn_budget: budget } = objectOf(input, "input");
  if (op === "preview") {
    const text = textOf(content, "content");
    const preview = previewOf(text, max === null ? THEIR_PREVIEW : numberOf(max, "max_chars"));
    return { preview, truncated: preview !== text };
  }
  const most = budget === undefined ? LONGEST_BATCH : numberOf(budget, "turn_budget");
  const lengths = listOf(sizes, "sizes").map((size) => numberOf(size, "size"));
  return { reduced_indexes: largestFirst(await Promise.all(lengths.map((chars) => sized(chars, most))), most) };
}

/** A result of this length, as the turn is handed it. */
async function sized(chars: number, batch: number): Promise<Sized> {
  const results = { preview: THEIR_PREVIEW, batch, keep: () => Promise.resolve("/results/c.txt") };
  const { port } = createToolbox([lookUp("terminal", { run: () => "x".repeat(chars) })], { results });
  const { text, movable } = await port.run(callOf("terminal", "{}"), NOWHERE);
  return { chars: text.length, kept: movable?.kept ?? Infinity };
}
