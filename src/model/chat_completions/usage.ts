import { isObject } from "../../protocol/json.ts";
import type { Usage } from "../../protocol/outcome.ts";
import { count, objectOf } from "../reading.ts";

/**
 * One shape for the usage of every server that speaks this dialect (row C16). `input` is the whole prompt, of which
 * `cacheRead` came from a cache; `output` is all that was generated, of which `reasoning` was thought.
 */
export function usageOf(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const prompt = objectOf(usage["prompt_tokens_details"]);
  const completion = objectOf(usage["completion_tokens_details"]);
  return {
    input: count(usage["prompt_tokens"]),
    output: count(usage["completion_tokens"]),
    cacheRead: count(prompt["cached_tokens"] ?? usage["prompt_cache_hit_tokens"] ?? usage["cache_read_input_tokens"]),
    cacheWrite: count(prompt["cache_write_tokens"] ?? usage["cache_creation_input_tokens"]),
    reasoning: count(completion["reasoning_tokens"] ?? usage["reasoning_tokens"]),
  };
}
