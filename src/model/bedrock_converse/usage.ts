import { isObject } from "../../protocol/json.ts";
import type { Usage } from "../../protocol/outcome.ts";
import { count, isCount, objectsIn } from "../reading.ts";

/**
 * `inputTokens` are what was neither read from nor written to a cache; `cacheDetails` say for how long what was written
 * is kept. What was thought is among the output.
 */
export function usageOf(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const cacheRead = count(usage["cacheReadInputTokens"]);
  const cacheWrite = count(usage["cacheWriteInputTokens"]);
  const forAnHour = objectsIn(usage["cacheDetails"]).filter(({ ttl }) => ttl === "1h");
  const hour = forAnHour.reduce((sum, { inputTokens }) => sum + count(inputTokens), 0);
  return {
    input: count(usage["inputTokens"]) + cacheRead + cacheWrite,
    output: count(usage["outputTokens"]),
    cacheRead,
    cacheWrite,
    reasoning: 0,
    ...(hour !== 0 && { cacheWrite1h: hour }),
    ...(isCount(usage["cacheReadInputTokens"]) && { cacheTold: true }),
  };
}
