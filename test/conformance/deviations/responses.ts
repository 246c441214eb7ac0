import { isObject, type Json } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

/** docs/decisions/0026-nothing-is-named-that-was-not-stored.md. */
const REASON = "no item has its id: nothing was stored under it, and an id that comes twice is refused";
const SPEC = "hermes.md §22, store=false; rows C2, C5";

const itemsOf = (value: Json): readonly Json[] =>
  isObject(value) && Array.isArray(value["items"]) ? (value["items"] as readonly Json[]) : [];

const textIn = (value: Json, key: string): string => {
  const text = isObject(value) ? value[key] : undefined;
  return typeof text === "string" ? text : "";
};

/** A message of another program says no phase to us; what it says stays. */
function unnamed(item: Json): Json {
  if (!isObject(item) || item["type"] !== "message" || !Array.isArray(item["content"])) return item;
  const parts = item["content"] as readonly Json[];
  return { role: "assistant", content: parts.map((part) => textIn(part, "text")).join("") };
}

const OPENED = /^\s*<think>(?!.*<\/think>)/s;

export const RESPONSES_DEVIATIONS: readonly Deviation[] = [
  {
    area: "responses_tool_id",
    applies: (input) => isObject(input) && input["op"] === "derive",
    ours: () => ({ id: null }),
    reason: REASON,
    spec: SPEC,
  },
  {
    area: "responses_input",
    applies: (_input, expect) => itemsOf(expect).some((item) => isObject(item) && item["id"] !== undefined),
    ours: (_input, expect) => ({ items: itemsOf(expect).map(unnamed) }),
    reason: REASON,
    spec: SPEC,
  },
  {
    area: "reasoning_extract",
    applies: (input) => isObject(input) && input["reasoning_content"] === null && OPENED.test(textIn(input, "content")),
    ours: (input) => ({ reasoning: textIn(input, "content").replace(OPENED, ""), content: "" }),
    reason: "a block that never ends is a thought all the same: it is kept as one, and not shown as an answer",
    spec: "hermes.md §23.3; features.md C12",
  },
];
