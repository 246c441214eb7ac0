import { isObject } from "../../protocol/json.ts";
import type { Usage } from "../../protocol/outcome.ts";
import { count, isCount, objectOf } from "../reading.ts";

/** `input` is the whole prompt, of which `cacheRead` came from a cache; `reasoning` is a part of `output` (row C16). */
export function usageOf(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const prompt = objectOf(usage["input_tokens_details"]);
  return {
    input: count(usage["input_tokens"]),
    output: count(usage["output_tokens"]),
    cacheRead: count(prompt["cached_tokens"]),
    cacheWrite: count(prompt["cache_write_tokens"]),
    reasoning: count(objectOf(usage["output_tokens_details"])["reasoning_tokens"]),
    ...(isCount(prompt["cached_tokens"]) && { cacheTold: true }),
  };
}
