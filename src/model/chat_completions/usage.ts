import { isObject, type JsonObject } from "../../protocol/json.ts";
import type { Usage } from "../../protocol/outcome.ts";
import { count, isCount, objectOf } from "../reading.ts";

/**
 * One shape for the usage of every server that speaks this dialect (row C16). `input` is the whole prompt, of which
 * `cacheRead` came from a cache; `output` is all that was generated, of which `reasoning` was thought.
 */
export function usageOf(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const prompt = objectOf(usage["prompt_tokens_details"]);
  const completion = objectOf(usage["completion_tokens_details"]);
  const write1h = count(objectOf(usage["cache_creation"])["ephemeral_1h_input_tokens"]);
  const costUsd = costIn(usage);
  const read = prompt["cached_tokens"] ?? usage["prompt_cache_hit_tokens"] ?? usage["cache_read_input_tokens"];
  return {
    input: count(usage["prompt_tokens"]),
    output: count(usage["completion_tokens"]),
    cacheRead: count(read),
    cacheWrite: count(prompt["cache_write_tokens"] ?? usage["cache_creation_input_tokens"]),
    reasoning: count(completion["reasoning_tokens"] ?? usage["reasoning_tokens"]),
    ...(write1h !== 0 && { cacheWrite1h: write1h }),
    ...(isCount(read) && { cacheTold: true }),
    ...(costUsd !== undefined && { costUsd }),
  };
}

/**
 * OpenRouter says what a call cost, US dollars. Where it used a key of one's own, that is its fee alone, and the bill
 * of the provider behind it is told beside it.
 */
function costIn(usage: JsonObject): number | undefined {
  const cost = usage["cost"];
  if (!isAmount(cost)) return undefined;
  const upstream = objectOf(usage["cost_details"])["upstream_inference_cost"];
  return usage["is_byok"] === true && isAmount(upstream) ? cost + upstream : cost;
}

/** No call costs more, US dollars: what says so counts in something else. */
const MOST_USD = 1e6;

const isAmount = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= MOST_USD;
