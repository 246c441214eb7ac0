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
