import { isObject } from "../../protocol/json.ts";
import type { Usage } from "../../protocol/outcome.ts";
import { count } from "../reading.ts";

/** `inputTokens` are what was neither read from nor written to a cache. What was thought is among the output. */
export function usageOf(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const cacheRead = count(usage["cacheReadInputTokens"]);
  const cacheWrite = count(usage["cacheWriteInputTokens"]);
  return {
    input: count(usage["inputTokens"]) + cacheRead + cacheWrite,
    output: count(usage["outputTokens"]),
    cacheRead,
    cacheWrite,
    reasoning: 0,
  };
}
