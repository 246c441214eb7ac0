import { isObject } from "../../protocol/json.ts";
import type { Usage } from "../../protocol/outcome.ts";
import { count, isCount } from "../reading.ts";

/** Each event says how much it was until then. What was thought is not among the tokens of the candidates. */
export function usageOf(usage: unknown): Usage | undefined {
  if (!isObject(usage) || usage["promptTokenCount"] === undefined) return undefined;
  const reasoning = count(usage["thoughtsTokenCount"]);
  return {
    input: count(usage["promptTokenCount"]) + count(usage["toolUsePromptTokenCount"]),
    output: count(usage["candidatesTokenCount"]) + reasoning,
    cacheRead: count(usage["cachedContentTokenCount"]),
    cacheWrite: 0,
    reasoning,
    ...(isCount(usage["cachedContentTokenCount"]) && { cacheTold: true }),
  };
}
