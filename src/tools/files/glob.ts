/** More alternatives than this in one pattern are refused. */
const MAX_ALTERNATIVES = 64;

/**
 * Makes a test for paths (relative, with `/`). `*` and `?` stay within a name, `**` crosses folders, `[a-z]`, `[!a]`
 * and `{a,b}` as in a shell; names that start with a dot match like others. A pattern without `/` is for the name
 * alone, wherever it is. Time is at most proportional to pattern × path, whatever the pattern.
 * Throws an Error with one sentence for too many alternatives.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const clean = pattern.replace(/^\.?\/+/, "");
  const anywhere = !clean.includes("/");
  const alternatives = expandBraces(clean).map((text) =>
    anywhere ? [[...nameTokens(text)]] : text.split("/").map(segment),
  );
  return (path) => {
    const names = path.split("/");
    const subject = anywhere ? names.slice(-1) : names;
    return alternatives.some((segments) => matchPath(segments, subject));
  };
}

type Token =
  | { readonly type: "star" }
  | { readonly type: "any" }
  | { readonly type: "one"; readonly char: string }
  | { readonly type: "set"; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] };
type Segment = "any-depth" | readonly Token[];

const segment = (text: string): Segment => (text === "**" ? "any-depth" : [...nameTokens(text)]);

function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const pending = [pattern];
  for (let text = pending.pop(); text !== undefined; text = pending.pop()) {
    // The innermost group first, so nesting needs no care.
    const group = /\{([^{}]*,[^{}]*)\}/.exec(text);
    if (group === null) {
      done.push(text);
    } else {
      const [whole, inside = ""] = group;
      const before = text.slice(0, group.index);
      const after = text.slice(group.index + whole.length);
      pending.push(...inside.split(",").map((choice) => before + choice + after));
    }
    if (done.length + pending.length > MAX_ALTERNATIVES) {
      throw new Error(`The pattern has more than ${MAX_ALTERNATIVES} alternatives: make it simpler.`);
    }
  }
  return done;
}

function* nameTokens(text: string): Generator<Token> {
  const chars = Array.from(text);
  let at = 0;
  while (at < chars.length) {
    const char = chars[at] ?? "";
    at += 1;
    if (char === "*") yield { type: "star" };
    else if (char === "?") yield { type: "any" };
    else if (char === "\\" && at < chars.length) yield { type: "one", char: chars[at++] ?? "" };
    else {
      const close = char === "[" ? chars.indexOf("]", at + 1) : -1;
      if (close === -1) yield { type: "one", char };
      else {
        yield setToken(chars.slice(at, close));
        at = close + 1;
      }
    }
  }
}

function setToken(inside: readonly string[]): Token {
  const negated = inside[0] === "!" || inside[0] === "^";
  const members = negated ? inside.slice(1) : inside;
  const ranges: [string, string][] = [];
  for (let at = 0; at < members.length; at += 1) {
    const from = members[at] ?? "";
    const to = members[at + 1] === "-" ? members[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return { type: "set", negated, ranges };
}

/**
 * Greedy with one step back: a later star makes every earlier choice final, so each star costs one pass at most.
 * The same shape serves names (stars) and whole paths (`**`).
 */
function matchGreedily<P, S>(
  pattern: readonly P[],
  subject: readonly S[],
  isStar: (p: P) => boolean,
  fits: (p: P, s: S) => boolean,
): boolean {
  let at = 0;
  let star = -1;
  let retry = 0;
  let p = 0;
  while (at < subject.length) {
    const token = pattern[p];
    const item = subject[at];
    if (token !== undefined && isStar(token)) {
      star = p++;
      retry = at;
    } else if (token !== undefined && item !== undefined && fits(token, item)) {
      p += 1;
      at += 1;
    } else if (star !== -1) {
      p = star + 1;
      at = ++retry;
    } else {
      return false;
    }
  }
  return pattern.slice(p).every(isStar);
}

const matchPath = (segments: readonly Segment[], names: readonly string[]): boolean =>
  matchGreedily(
    segments,
    names,
    (part) => part === "any-depth",
    (part, name) => part !== "any-depth" && matchName(part, name),
  );

const matchName = (tokens: readonly Token[], name: string): boolean =>
  matchGreedily(tokens, Array.from(name), (token) => token.type === "star", matchChar);

function matchChar(token: Token, char: string): boolean {
  switch (token.type) {
    case "star":
    case "any":
      return true;
    case "one":
      return token.char === char;
    case "set":
      return token.ranges.some(([from, to]) => from <= char && char <= to) !== token.negated;
  }
}
