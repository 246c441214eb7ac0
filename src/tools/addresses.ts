/** Where an address leads: two that are asked for in the same way have one key. */
export interface Place {
  readonly key: string;
  /** The part of its name that somebody has to register, as far as it shows. */
  readonly site: string;
  /** Its name could carry more than a name (security §3.5 step 10). */
  readonly isOdd: boolean;
}

/** Undefined: it is no address of a page. */
export function placeAt(text: string): Place | undefined {
  const url = URL.parse(/^[a-z][\w+.-]*:\/\//iu.test(text) ? text : `https://${text}`);
  if (url === null || !/^https?:$/u.test(url.protocol) || url.hostname === "") return undefined;
  const host = url.hostname.replace(/\.$/u, "");
  const { username, password, port, pathname, search } = url;
  const user = username === "" && password === "" ? "" : `${username}:${password}@`;
  const key = `${user}${host}${port && `:${port}`}${pathname}${search}`;
  return { key, site: siteOf(host), isOdd: isOdd(host) };
}

const isAddress = (host: string): boolean => /^[\d.]+$|^\[/u.test(host);

/** `a.b.example.co.uk` is of `example.co.uk`. Names that share an ending for many, such as `github.io`, count as one. */
function siteOf(host: string): string {
  if (isAddress(host)) return host;
  const labels = host.split(".");
  const isShort = labels.length > 2 && (labels.at(-2) ?? "").length <= 3 && (labels.at(-1) ?? "").length === 2;
  return labels.slice(isShort ? -3 : -2).join(".");
}

function isOdd(host: string): boolean {
  if (isAddress(host)) return false;
  const below = host.slice(0, Math.max(0, host.length - siteOf(host).length - 1));
  const labels = below.split(".").filter((label) => label !== "");
  return host.length > 100 || labels.length > 4 || host.split(".").some((label) => label.length > 40);
}

const BETWEEN = /[\s<>"`|\\^{}[\]]+/u;
const SCHEME = /https?:\/\//giu;
/** What a sentence, or markup, has behind an address. */
const BEHIND = /[).,;:!?'*_~\u2026\u3001\u3002\uff01\uff09\uff0c\uff1a\uff1b\uff1f\u300d\u300f]$/u;
const MOST_BEHIND = 8;
/** As people write an address, without what a browser adds. */
const BARE = /^[\p{L}\p{N}.-]+\.\p{L}{2,}(?:[:/?].*)?$/u;
const LONGEST = 8_192;

/** The keys of all addresses in a text, each with and without the signs behind it. `bare`: also those without `https://`. */
export function addressesIn(text: string, bare?: "bare"): string[] {
  const keys: string[] = [];
  for (const word of text.split(BETWEEN)) {
    if (word.length < 4 || word.length > LONGEST) continue;
    const starts = [...word.matchAll(SCHEME)].map(({ index }) => index);
    for (const start of starts) keys.push(...keysAt(word.slice(start)));
    if (starts.length > 0 || bare === undefined) continue;
    const plain = word.replace(/^[('\u300c\u300e\uff08]+/u, "");
    keys.push(...endings(plain).flatMap((ending) => (BARE.test(ending) ? keysAt(ending) : [])));
  }
  return keys;
}

const keysAt = (address: string): string[] => endings(address).flatMap((ending) => placeAt(ending)?.key ?? []);

/** `https://a.test/x).` may mean three addresses, and `https://a.test/x)-y` one that stood in brackets. */
function endings(address: string): string[] {
  const found = [address];
  const closing = address.indexOf(")");
  if (closing > 0 && !address.slice(0, closing).includes("(")) found.push(address.slice(0, closing));
  let rest = address;
  for (let at = 0; at < MOST_BEHIND && BEHIND.test(rest); at++) {
    rest = rest.slice(0, -1);
    found.push(rest);
  }
  return found;
}
