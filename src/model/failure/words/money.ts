/**
 * Words about money and allowances, in lower case.
 * Sources: hermes.md §10.7 (billing, usage limit, transient signal); nanobot.md §19.2 (billing); the spent limit of a key
 * of ERR-01, the resets of ERR-05; the Chinese sentences of DashScope, Zhipu, DeepSeek and SiliconFlow.
 */

/** Nothing is left to spend: waiting does not help. */
export const BILLING: readonly string[] = [
  "insufficient credits",
  "insufficient_quota",
  "insufficient balance",
  "insufficient_balance",
  "credit balance",
  "credits exhausted",
  "credits have been exhausted",
  "no usable credits",
  "top up your credits",
  "payment required",
  "billing hard limit",
  "exceeded your current quota",
  "account is deactivated",
  "plan does not include",
  "out of funds",
  "balance_depleted",
  "model_not_supported_on_free_tier",
  "not available on the free tier",
  "spend limit",
  "余额不足",
  "欠费",
  "资源包",
];

/** A limit that somebody set for a key, whatever resets there are. */
export const SPENT_KEY: readonly string[] = ["key limit exceeded", "spending limit"];

/** An allowance is used up; whether it comes back is said elsewhere in the text. */
export const USAGE_LIMIT: readonly string[] = ["usage limit", "quota", "limit exceeded"];

/** An allowance, in words that mean it even where the status speaks of the key [ERR-05]. */
export const SURE_USAGE_LIMIT: readonly string[] = [
  "usage limit",
  "usage_limit",
  "quota exceeded",
  "exceeded your quota",
];

/** It comes back. */
export const TRANSIENT: readonly string[] = [
  "try again",
  "retry",
  "resets at",
  "resets in",
  "reset in",
  "wait",
  "requests remaining",
  "periodic",
  "window",
];

/** The allowance of a plan is used up: trying again at once is no use, though it comes back (hermes.md §11.4). */
export const PLAN_USED_UP_CODES: ReadonlySet<string> = new Set(["usage_limit_reached", "gousagelimit"]);
export const PLAN_USED_UP: readonly string[] = ["usage limit reached", "usage limit has been reached"];
