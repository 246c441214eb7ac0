/**
 * Words of servers that are asked too often or have too much to do, in lower case.
 * Sources: hermes.md §10.7 (rate limit, overloaded); nanobot.md §19.2 for the Chinese sentences, of Zhipu and DashScope.
 */

/** This key asks too often. */
export const RATE_LIMIT: readonly string[] = [
  "rate limit",
  "rate_limit",
  "too many requests",
  "throttled",
  "requests per minute",
  "tokens per minute",
  "requests per day",
  "try again in",
  "please retry after",
  "resource_exhausted",
  "rate increased too quickly",
  "throttlingexception",
  "too many concurrent requests",
  "servicequotaexceededexception",
  "速率限制",
  "请求过于频繁",
  "并发数过高",
];

/** The same, in words that mean it even where the status speaks of the key or an allowance [ERR-02]. */
export const SURE_RATE_LIMIT: readonly string[] = ["rate limit", "rate_limit", "too many requests"];

/** One request is more than a minute allows: it never passes as it is (OpenAI, Groq). */
export const LARGER_THAN_THE_RATE: readonly string[] = ["request too large for"];

/** Everybody asks too often: another key does not help. */
export const OVERLOADED: readonly string[] = [
  "overloaded",
  "at capacity",
  "over capacity",
  "访问量过大",
  "系统繁忙",
  "服务繁忙",
  "服务器繁忙",
  "请稍后再试",
  "请稍后重试",
];
