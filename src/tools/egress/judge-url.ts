import { innerAddressOf, innerName } from "../../protocol/inner-address.ts";
import { type Door, isAllowed, isClosed, type Leave, mayBeAllowed } from "./allowance.ts";

/** Where a request goes, out of a URL that was read once; nothing reads its text again. */
export interface Target extends Door {
  readonly url: URL;
  readonly secure: boolean;
  /** The host is an address: there is nothing to look up. */
  readonly literal: boolean;
}

export type JudgedUrl =
  | { readonly type: "target"; readonly target: Target }
  /** `why`: a sentence for whoever asked. */
  | { readonly type: "refused"; readonly why: string };

/** Characters (security §3.5 step 1). */
const LONGEST_URL = 8_192;
const LONGEST_SHOWN = 60;
/** Letters, digits, hyphens; a URL has put other letters into these before. */
const HOST_NAME = /^(?=.{1,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)*[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/u;
/** A URL leaves out some of them without a word, and turns others into a slash: then it is not what it looks like. */
const HIDDEN = /[\p{Cc}\\]/u;

/** Steps 1 and 2 of security §3.5: what the text alone tells. No name is looked up. */
export function judgeUrl(text: string, leave: Leave): JudgedUrl {
  const why = (sentence: string): JudgedUrl => ({ type: "refused", why: sentence });
  if (text.length > LONGEST_URL) return why(`The URL is longer than ${LONGEST_URL} characters.`);
  if (HIDDEN.test(text)) return why("The URL holds a line break, a tab, another control character or a backslash.");
  const url = URL.parse(text);
  if (url === null) return why(`${quoted(text)} is not a URL; give a whole one, such as https://example.com/page.`);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return why(`Only http:// and https:// are reached, not ${quoted(url.protocol)}.`);
  if (namesUser(text) || url.username !== "" || url.password !== "")
    return why("The URL holds a user name or password; leave out what stands before @.");
  return judgeHost(url, leave);
}

/** Also where nothing stands before the sign, which a URL forgets. */
const namesUser = (text: string): boolean => /^[^:/?#]*:\/*[^/?#]*@/u.test(text);

function judgeHost(url: URL, leave: Leave): JudgedUrl {
  const written = url.hostname.replace(/\.$/u, "");
  const host = written.replace(/^\[(.*)\]$/u, "$1");
  const literal = isLiteral(host);
  if (!literal && !HOST_NAME.test(host)) return { type: "refused", why: `${quoted(host)} is no host name.` };
  if (written !== url.hostname) url.hostname = written;
  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  const target = { url, host, port, secure, literal };
  const why = literal ? undefined : judgeName(target, leave);
  return why === undefined ? { type: "target", target } : { type: "refused", why };
}

/** As a URL has them: no other form is left. */
const isLiteral = (host: string): boolean => host.includes(":") || /^\d+(?:\.\d+){3}$/u.test(host);

function judgeName(target: Target, leave: Leave): string | undefined {
  const inner = innerName(target.host);
  if (inner === "metadata") return METADATA(target.host);
  if (inner === undefined && !isClosed(target.port, leave)) return undefined;
  return mayBeAllowed(target, leave) ? undefined : notAllowed(target, leave);
}

/**
 * Step 3 of security §3.5: of all addresses that the host has. One that may not be reached is enough. Undefined: all may.
 */
export function judgeAddresses(door: Door, addresses: readonly string[], leave: Leave): string | undefined {
  if (addresses.length === 0) return `${door.host} has no address: no such host is known.`;
  const kinds = addresses.map(innerAddressOf);
  if (kinds.includes("metadata")) return METADATA(door.host);
  const mustBeAllowed = isClosed(door.port, leave) || (!isLiteral(door.host) && innerName(door.host) !== undefined);
  const isBad = (address: string, place: number): boolean =>
    (mustBeAllowed || kinds[place] !== undefined) && !isAllowed(door, address, leave);
  return addresses.some(isBad) ? notAllowed(door, leave) : undefined;
}

const METADATA = (host: string): string => `${host} gives out the keys of a machine in a cloud, and is never reached.`;

const notAllowed = ({ host, port }: Door, leave: Leave): string =>
  isClosed(port, leave)
    ? `Port ${port} is closed to tools; the owner can open it for one host with egress.allow.`
    : `${host} is on this machine or its network, which tools do not reach; the owner can allow it with egress.allow.`;

const quoted = (text: string): string =>
  JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
