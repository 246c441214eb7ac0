import { isObject, type Json, type JsonObject } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

/** Rules of docs/decisions/0025-anthropic-as-it-was-said.md. */
const area = "anthropic_messages";

const rowsOf = (value: Json): readonly JsonObject[] => {
  const rows = isObject(value) ? value["messages"] : undefined;
  return Array.isArray(rows) ? (rows as readonly Json[]).filter(isObject) : [];
};

const blocksOf = ({ content }: JsonObject): readonly JsonObject[] =>
  Array.isArray(content) ? (content as readonly Json[]).filter(isObject) : [];

const withMessages = (expect: Json, messages: readonly Json[]): Json => ({
  ...(isObject(expect) ? expect : {}),
  messages,
});

/** A message of the user that is one text, as the text. */
const plain = (message: JsonObject, blocks: readonly JsonObject[]): Json =>
  message["role"] === "user" && blocks.length === 1 && blocks[0]?.["type"] === "text"
    ? { ...message, content: blocks[0]["text"] ?? null }
    : { ...message, content: blocks };

const REMOVED = "(tool result removed)";
const isRemoved = ({ text }: JsonObject): boolean => text === REMOVED;

const thinks = (row: JsonObject): boolean => Array.isArray(row["reasoning_details"]);

/** Thoughts of a row as blocks, then its text. */
const saidIn = (row: JsonObject): readonly Json[] => [
  ...(Array.isArray(row["reasoning_details"]) ? (row["reasoning_details"] as readonly Json[]) : []),
  { type: "text", text: row["content"] ?? null },
];

const unmarked = ({ cache_control: _mark, ...block }: JsonObject): JsonObject => block;

/** An answer that is calls alone has no text. */
const bareCall = (message: JsonObject): JsonObject =>
  "tool_calls" in message && message["content"] === "" ? { ...message, content: null } : message;

/** A text that stands alone in a list of parts, marked or not, as the text; marks on anything else are left out. */
const bare = (message: JsonObject): JsonObject => {
  const { cache_control: _mark, ...rest } = message;
  const [first] = blocksOf(rest);
  return first === undefined ? rest : { ...rest, content: first["text"] ?? null };
};

export const ANTHROPIC_DEVIATIONS: readonly Deviation[] = [
  {
    area: "cache_markers",
    applies: (_input, expect) => rowsOf(expect).some((message) => message["role"] !== "system"),
    ours: (_input, expect) => ({
      messages: rowsOf(expect).map((message) => (message["role"] === "system" ? message : bareCall(bare(message)))),
      cache_control: { type: "ephemeral" },
    }),
    reason: "the server moves one mark behind all that was said: what was sent is never rewritten",
    spec: "features.md C13, C14; design.md §7",
  },
  {
    area,
    applies: (_input, expect) => rowsOf(expect).some((message) => blocksOf(message).some(isRemoved)),
    ours: (_input, expect) =>
      withMessages(
        expect,
        rowsOf(expect).map((message) =>
          blocksOf(message).some(isRemoved)
            ? plain(
                message,
                blocksOf(message).filter((block) => !isRemoved(block)),
              )
            : message,
        ),
      ),
    reason: "a receipt without its call is dropped with nothing in its place: nobody needs to know of it",
    spec: "features.md B6, F2",
  },
  {
    area,
    applies: (input) => rowsOf(input).some(({ role, content }) => role === "user" && content === ""),
    ours: (_input, expect) => withMessages(expect, []),
    reason: "a message without anything in it is never kept, so it is never sent",
    spec: "features.md C5",
  },
  {
    area,
    applies: (input) => rowsOf(input).some((row, at, rows) => thinks(row) && rows[at - 1]?.["role"] === "assistant"),
    ours: (input, expect) => withMessages(expect, [{ role: "assistant", content: rowsOf(input).flatMap(saidIn) }]),
    reason: "each thought carries its own seal and stays where it was said: the head is never rewritten",
    spec: "features.md C5, C13; design.md §7",
  },
  {
    area,
    applies: (_input, expect) => {
      const marked = rowsOf(expect).findLastIndex((message) =>
        blocksOf(message).some((block) => "cache_control" in block),
      );
      return marked >= 0 && marked < rowsOf(expect).length - 1;
    },
    ours: (_input, expect) =>
      withMessages(
        expect,
        rowsOf(expect).map((message, at, all) => {
          const blocks = blocksOf(message).map(unmarked);
          const last = { ...blocks.at(-1), cache_control: { type: "ephemeral" } };
          return at < all.length - 1 ? plain(message, blocks) : { ...message, content: [...blocks.slice(0, -1), last] };
        }),
      ),
    reason:
      "one mark moves behind all that stays, receipts too: what the next request begins with is in the cache whole",
    spec: "features.md C13, C14; design.md §7",
  },
];
