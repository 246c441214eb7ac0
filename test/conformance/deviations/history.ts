import { isObject, type Json } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

const numberIn = (value: Json, key: string): number => {
  const number = isObject(value) ? value[key] : undefined;
  return typeof number === "number" ? number : 0;
};

/** Left free beside a reply, tokens (nanobot.md §5.3). */
const MARGIN = 1_024;
const REPLY = 4_096;

function withoutLimit(input: Json): Json {
  const left = numberIn(input, "context_window_tokens") - (numberIn(input, "max_tokens") || REPLY) - MARGIN;
  return { budget: left > 0 ? left : null };
}

export const HISTORY_DEVIATIONS: readonly Deviation[] = [
  {
    area: "retain_suffix",
    applies: (_input, expect) => numberIn(expect, "dropped_count") > 0,
    ours: (input) => ({
      messages: isObject(input) ? (input["messages"] ?? []) : [],
      last_consolidated: numberIn(input, "last_consolidated"),
      dropped_count: 0,
      dropped_already_consolidated: 0,
    }),
    reason: "the archive is never cut: a compaction points to what is sent of it, and every message stays reachable",
    spec: "features.md F1; ADR 13",
  },
  {
    area: "gov_budget",
    applies: (input) => numberIn(input, "context_block_limit") > 0,
    ours: withoutLimit,
    reason: "a request may have what the window leaves beside the reply: no other limit of it can be set",
    spec: "features.md A10; ADR 39",
  },
];
