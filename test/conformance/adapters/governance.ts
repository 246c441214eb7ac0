import { compacted } from "../../../src/protocol/projection/compaction.ts";
import { legalHistory } from "../../../src/protocol/history.ts";
import { type Message, textOf } from "../../../src/protocol/message.ts";
import { cutPlace } from "../../../src/protocol/projection/micro-compaction.ts";
import { isPlaceholder } from "../../../src/protocol/projection/placeholder.ts";
import { isSent } from "../../../src/protocol/projection/project.ts";
import { sentReceipt } from "../../../src/protocol/projection/receipts.ts";
import { snipFrom } from "../../../src/protocol/projection/selection.ts";
import { REPLY_TOKENS, roomBeside } from "../../../src/protocol/window.ts";
import type { Json, JsonObject } from "../case-file.ts";
import { listOf, numberOf, objectOf, textOf as textIn, textOrNone } from "../input.ts";
import { takeOver, writeBack } from "./openai-rows.ts";
import { weighing } from "./weighing.ts";

const UNCUT = { maxReceiptChars: Infinity };

interface Given {
  readonly input: JsonObject;
  /** Our system prompt stands apart from the history, before everything. */
  readonly system: readonly JsonObject[];
  readonly history: readonly Message[];
  readonly rows: ReadonlyMap<Message, JsonObject>;
}

function given(value: Json): Given {
  const input = objectOf(value, "input");
  const all = listOf(input["messages"], "messages").map((row) => objectOf(row, "row"));
  const isSystem = (row: JsonObject): boolean => row["role"] === "system";
  const { messages, rows } = takeOver(
    all.filter((row) => !isSystem(row)),
    UNCUT,
  );
  return { input, system: all.filter(isSystem), history: messages, rows };
}

const written = ({ system, rows }: Given, messages: readonly Message[]): unknown[] => [
  ...system,
  ...writeBack(messages, rows),
];

const tokensIn = (input: JsonObject, key: string): number | undefined => {
  const tokens = input[key];
  return typeof tokens === "number" ? tokens : undefined;
};

/** What a window leaves for a request beside its reply; undefined where that is not known, or nothing. */
function inputRoom(input: JsonObject): number | undefined {
  const left = roomBeside(tokensIn(input, "max_tokens") ?? REPLY_TOKENS, tokensIn(input, "context_window_tokens") ?? 0);
  return left > 0 ? left : undefined;
}

/** What the messages of a recording had to fit into. */
function room(input: JsonObject): number | undefined {
  const limit = tokensIn(input, "context_block_limit") ?? 0;
  return limit > 0 && (tokensIn(input, "context_window_tokens") ?? 0) > 0 ? limit : inputRoom(input);
}

function beside({ input, system }: Given): number {
  const weigh = weighing(input);
  const prompt = system.map((row) =>
    weigh({ role: "user", parts: [{ type: "text", text: textOrNone(row["content"]) }] }),
  );
  return prompt.reduce((sum, tokens) => sum + tokens, numberOf(input["tools_tokens"] ?? 0, "tools_tokens"));
}

/** `{context_window_tokens, max_tokens}`: what a request may take. */
export const govBudgetCase = (input: Json): unknown => ({ budget: inputRoom(objectOf(input, "input")) ?? null });

/** `{messages}`: without what stands for an answer that never came. */
export function govStripCase(value: Json): unknown {
  const it = given(value);
  return {
    messages: written(
      it,
      it.history.filter((message) => !isPlaceholder(message)),
    ),
  };
}

/** `{messages}` and what each of them weighs: what is left where they do not fit. */
export function govSnipCase(value: Json): unknown {
  const it = given(value);
  return { messages: written(it, snipped(it, it.history)) };
}

function snipped(it: Given, history: readonly Message[]): readonly Message[] {
  const tokens = room(it.input);
  return tokens === undefined ? history : history.slice(snipFrom(history, tokens - beside(it), weighing(it.input)));
}

/** `{messages, inflight_start_index, already_compacted}`: whose results become one line. */
export function govCompactCase(value: Json): unknown {
  const it = given(value);
  const ids = shortened(it, it.history).flatMap((message, at) =>
    message.role === "tool" && textOf(message) !== textOf(it.history[at] ?? message) ? [message.callId] : [],
  );
  return { compacted_ids: ids, messages_with_marker: ids };
}

function shortened(it: Given, history: readonly Message[]): readonly Message[] {
  const { input, system } = it;
  const known = listOf(input["already_compacted"] ?? [], "already_compacted").map((id) => textIn(id, "id"));
  const cutBefore = 1 + history.findLastIndex((message) => message.role === "tool" && known.includes(message.callId));
  const head = numberOf(input["inflight_start_index"] ?? system.length, "inflight_start_index") - system.length;
  const cutting = { from: head, cutBefore, beside: beside(it), weigh: weighing(input) };
  const tokens = room(input);
  const place = tokens === undefined ? cutBefore : cutPlace(history, { ...cutting, room: tokens });
  const all = { through: history.length, from: head, head, instruction: 0 };
  return compacted(history, { ...all, cutBefore: place, cut: "look-ups" });
}

/** `{messages}` through every step, and whether the rows stayed as they were. */
export function govPipelineCase(value: Json): unknown {
  const before = JSON.stringify(value);
  const it = given(value);
  const legal = legalHistory(it.history)
    .filter(isSent)
    .map((message) => (message.role === "tool" ? sentReceipt(message) : message));
  const messages = written(it, legalHistory(snipped(it, shortened(it, legal))));
  return { messages, input_unchanged: JSON.stringify(value) === before };
}
