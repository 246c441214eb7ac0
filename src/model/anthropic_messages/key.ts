import type { OutgoingHttpHeaders } from "node:http";

/** Lets models that are given a budget think between their calls; newer ones do by themselves. */
export const BETAS = "interleaved-thinking-2025-05-14";

const OAUTH_BETA = "oauth-2025-04-20";

/** A token that somebody got by signing in: of Anthropic, but no API key, or a JSON web token. */
export const isSignInToken = (key: string): boolean =>
  (key.startsWith("sk-ant-") && !key.startsWith("sk-ant-api")) || key.startsWith("eyJ");

/** A key has a header of its own; a token bears itself, under a beta of its own. */
export const authorisation = (key: string): OutgoingHttpHeaders =>
  isSignInToken(key) ? { authorization: `Bearer ${key}`, "anthropic-beta": OAUTH_BETA } : { "x-api-key": key };
