import { isObject, type JsonObject } from "../../protocol/json.ts";
import type { Usage } from "../../protocol/outcome.ts";
import { count, isCount, objectOf } from "../reading.ts";

/** What is known so far: the counts of the end replace those of the beginning, where they say anything. */
export function mergeUsage(before: JsonObject | undefined, more: unknown): JsonObject | undefined {
  if (!isObject(more)) return before;
  return { ...before, ...Object.fromEntries(Object.entries(more).filter(([, value]) => value !== null)) };
}

/** `input_tokens` is what no cache had to do with: the whole prompt is more (row C16). */
export function usageOf(usage: JsonObject): Usage {
  const cacheRead = count(usage["cache_read_input_tokens"]);
  const cacheWrite = count(usage["cache_creation_input_tokens"]);
  const hour = count(objectOf(usage["cache_creation"])["ephemeral_1h_input_tokens"]);
  return {
    input: count(usage["input_tokens"]) + cacheRead + cacheWrite,
    output: count(usage["output_tokens"]),
    cacheRead,
    cacheWrite,
    reasoning: count(objectOf(usage["output_tokens_details"])["thinking_tokens"]),
    ...(hour !== 0 && { cacheWrite1h: hour }),
    ...(isCount(usage["cache_read_input_tokens"]) && { cacheTold: true }),
  };
}
