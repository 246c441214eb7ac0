/** One request on its way; a redirect makes another of it. */
export interface Hop {
  /** As it was given, or as a server has named it. */
  readonly url: string;
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

/** What says nothing of who asks. */
const PLAIN_HEADERS = /^(?:accept(?:-.*)?|user-agent|cache-control|range)$/u;

export const leadsElsewhere = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/** Step 6 of security §3.5. A sentence, where it is not followed. */
export function redirected(hop: Hop, from: URL, location: string, status: number): Hop | string {
  // Its text is judged once more as it stands: only a relative one needs what it is relative to.
  const to = URL.parse(location, from.href);
  if (to === null) return `${from.host} leads to an address that is no URL.`;
  if (from.protocol === "https:" && to.protocol === "http:")
    return `${from.host} leads from https:// to http://, which is not followed.`;
  const url = URL.canParse(location) ? location : to.href;
  const same = to.origin === from.origin;
  const method = asksAnew(hop.method, status) ? "GET" : hop.method;
  const keepsBody = same && method === hop.method;
  const kept = Object.entries(hop.headers).filter(
    ([name]) => (same || PLAIN_HEADERS.test(name)) && (keepsBody || !name.startsWith("content-")),
  );
  return { url, method, headers: Object.fromEntries(kept), body: keepsBody ? hop.body : undefined };
}

/** As browsers do: what was posted is not posted again, but where a server says so. */
const asksAnew = (method: string, status: number): boolean =>
  method !== "HEAD" && (status === 303 || (method === "POST" && status < 303));
