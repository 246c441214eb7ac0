import type { OutgoingHttpHeaders } from "node:http";
import type { Dialect, Signable } from "./dialect.ts";

/** The headers with which a key lets a request in: it is shown, or signs it. */
export async function authorise(
  { authorisation, sign }: Dialect,
  key: string | undefined,
  request: Signable,
): Promise<OutgoingHttpHeaders> {
  if (key === undefined) return {};
  return (await sign?.(key, request)) ?? authorisation(key);
}

/** The whole key, then the secrets in it: those of a signature are several, with colons between them. */
export const secretsIn = (key: string | undefined): readonly string[] =>
  key === undefined ? [] : [key, ...key.split(":")].filter((secret, at) => secret.length >= (at === 0 ? 4 : 16));

/** What a server said, without the key and the secrets in it. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((masked, secret) => masked.replaceAll(secret, "***"), text);
