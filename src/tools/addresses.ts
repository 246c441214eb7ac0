/** Where an address leads: two that are asked for in the same way have one key. */
export interface Place {
  readonly key: string;
  /** Its name and port, as they are written. */
  readonly host: string;
  /** How what is behind them begins, as far as nobody writes it in another way. */
  readonly head: string;
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
  const [door, path] = [`${user}${host}${port && `:${port}`}`, `${pathname}${search}`];
  const head = path === "/" ? "" : (/^[\w/.-]*/u.exec(path)?.[0] ?? "");
  return { key: `${door}${path}`, host: door, head, site: siteOf(host), isOdd: isOdd(host) };
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
/** An address may stand in another one; nobody needs more of them without anything between. */
const MOST_STARTS = 4;

/**
 * Which of these places a text names, each with and without the signs behind it. `bare`: also without `https://`. Only what
 * begins like one of them is looked at closer: a text may hold as many addresses as there is room for.
 */
export function namedIn(text: string, places: readonly Place[], bare?: "bare"): string[] {
  const lower = text.toLowerCase();
  const possible = places.filter(({ host }) => lower.includes(host));
  if (possible.length === 0) return [];
  const words = new Set(text.split(BETWEEN).filter(({ length }) => length >= 4 && length <= LONGEST));
  return [...words].flatMap((word) => {
    const starts = startsIn(word, bare);
    return possible.filter((place) => starts.some((start) => leadsTo(start, place))).map(({ key }) => key);
  });
}

/** What stands behind each `https://` of a word, or the word itself. */
function startsIn(word: string, bare: "bare" | undefined): string[] {
  const found = [...word.matchAll(SCHEME)]
    .slice(0, MOST_STARTS)
    .map(({ 0: scheme, index }) => word.slice(index + scheme.length));
  if (found.length > 0 || bare === undefined) return found;
  const plain = word.replace(/^[('\u300c\u300e\uff08]+/u, "");
  return endings(plain).some((ending) => BARE.test(ending)) ? [plain] : [];
}

function leadsTo(start: string, { key, host, head }: Place): boolean {
  if (start.slice(0, host.length).toLowerCase() !== host || !start.startsWith(head, host.length)) return false;
  return endings(start).some((ending) => placeAt(ending)?.key === key);
}

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
