import type { Fetch } from "../../protocol/egress.ts";
import type { GrantShelf, ServerGrant } from "../../protocol/mcp.ts";
import { AuthorityError, requestGrant } from "./token-request.ts";

/** The server wants a person to log in; the message is a sentence for them. */
class LoginNeeded extends Error {
  override readonly name = "LoginNeeded";

  constructor() {
    super("The server wants you to log in: evander mcp login with its name.");
  }
}

/** What a request is sent with is renewed so long before it runs out, ms. */
const AHEAD_MS = 60_000;

/** Words behind which a grant never comes back (RFC 6749 §5.2). */
const FINAL: ReadonlySet<string> = new Set(["invalid_grant", "invalid_client", "unauthorized_client"]);

export interface Bearer {
  /** For a request to this address; undefined: nothing was granted for it. */
  token(to: URL): Promise<string | undefined>;
  /** The server did not take what it was sent with. Rejects with LoginNeeded where nothing newer can be had. */
  refused(): Promise<void>;
}

interface Options {
  readonly url: string;
  readonly shelf: GrantShelf;
  readonly fetch: Fetch;
  readonly now: () => number;
}

/** Sends what was granted for a server to that server, and to no other; renews it once for all processes. */
export function bearer({ url, shelf, fetch, now }: Options): Bearer {
  let sent: string | undefined;
  const ours = (): ServerGrant | undefined => {
    const grant = shelf.read();
    return grant !== undefined && isFor(grant.resource, url) ? grant : undefined;
  };
  // Whoever waited for another one's renewal takes what came of it.
  const renew = (seen: ServerGrant): Promise<ServerGrant | undefined> =>
    shelf.alone(async () => {
      const grant = ours();
      if (grant === undefined || grant.token !== seen.token) return grant;
      if (grant.refreshToken === undefined) return undefined;
      const form = { grant_type: "refresh_token", refresh_token: grant.refreshToken };
      try {
        const fresh = await requestGrant(grant, form, { fetch, now });
        const whole = { refreshToken: grant.refreshToken, ...fresh };
        await shelf.keep(whole);
        return whole;
      } catch (error) {
        if (error instanceof AuthorityError && FINAL.has(error.code ?? "")) await shelf.keep(undefined);
        return undefined;
      }
    });
  return {
    token: async (to) => {
      if (!isFor(url, to.href)) return undefined;
      const grant = ours();
      const isOver = grant?.expiresMs !== undefined && grant.expiresMs - AHEAD_MS <= now();
      sent = (isOver ? ((await renew(grant)) ?? grant) : grant)?.token;
      return sent;
    },
    refused: async () => {
      const grant = ours();
      if (grant === undefined) throw new LoginNeeded();
      if (grant.token === sent && (await renew(grant)) === undefined) throw new LoginNeeded();
    },
  };
}

/** The same origin: what was granted for one server is sent to no other. */
export function isFor(resource: string, address: string): boolean {
  const [own, asked] = [URL.parse(resource), URL.parse(address)];
  return own !== null && asked !== null && own.origin === asked.origin && own.origin !== "null";
}
