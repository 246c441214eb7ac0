/**
 * Words about keys and rights, in lower case.
 * Sources: hermes.md §10.3 step 6 and §10.7 (auth); the sentences with which xAI, Google and DashScope refuse a key with
 * another status than 401.
 */

/** The key is refused, in words that mean nothing else. */
export const KEY_REFUSED: readonly string[] = [
  "invalid api key",
  "invalid_api_key",
  "incorrect api key",
  "api key not valid",
  "api key expired",
  "invalid api-key",
  "无效的api",
  "无效的令牌",
  "身份验证失败",
];

export const AUTH: readonly string[] = [
  ...KEY_REFUSED,
  "authentication",
  "unauthorized",
  "forbidden",
  "invalid token",
  "token expired",
  "token revoked",
  "access denied",
];

/** xAI: the account has no subscription, and no other key of it has one. */
export const NO_SUBSCRIPTION: readonly string[] = ["do not have an active grok subscription"];
export const NO_RESOURCES: readonly string[] = ["out of available resources"];
export const GROK: readonly string[] = ["grok"];

/** Codes, with status 401, of a key that is never taken again (hermes.md §11.2). */
export const KEY_REVOKED: ReadonlySet<string> = new Set([
  "token_invalidated",
  "token_revoked",
  "invalid_token",
  "invalid_grant",
  "unauthorized_client",
  "refresh_token_reused",
]);
