import { StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import type { Fetch } from "../../protocol/egress.ts";
import type { Reach } from "../../protocol/mcp.ts";
import { bearer, isFor } from "./bearer.ts";

type HttpReach = Extract<Reach, { type: "http" }>;

/**
 * The way to a server behind an address. Every request leaves through the given fetch, and only one to the server itself
 * carries its headers and what was granted for it. Rejects with what its owner is to be told.
 */
export async function openHttp(reach: HttpReach, given: Fetch, now: () => number = Date.now): Promise<Transport> {
  const { url, grants } = reach;
  const headers = await reach.headers();
  const own: Fetch = (input, init) => {
    const to = input instanceof Request ? input.url : String(input);
    if (!isFor(url, to)) return given(input, init);
    const merged = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers)) merged.set(name, value);
    return given(input, { ...init, headers: merged });
  };
  const isOwnKey = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  const granted = grants === undefined || isOwnKey ? undefined : bearer({ url, shelf: grants, fetch: given, now });
  return new StreamableHTTPClientTransport(new URL(url), {
    fetch: own,
    ...(granted !== undefined && {
      authProvider: {
        token: () => granted.token(new URL(url)),
        onUnauthorized: () => granted.refused(),
      },
    }),
  });
}
