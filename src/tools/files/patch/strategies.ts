import { areAlike, likeness } from "../../likeness.ts";
import type { Span } from "../text/lines.ts";

/**
 * The ways in which a text is looked for, in the order they are tried (hermes.md §26.6). Two of the reference are missing:
 * what indentation_flexible and trimmed_boundary find, line_trimmed has always found before them.
 */
export type StrategyName =
  | "exact"
  | "line_trimmed"
  | "whitespace_normalized"
  | "escape_normalized"
  | "unicode_normalized"
  | "block_anchor"
  | "context_aware";

interface Strategy {
  readonly name: StrategyName;
  /** Places that do not overlap, in order. */
  readonly find: (content: string, old: string) => Span[];
}

/** Line breaks are "\n" alone in both texts, and `old` is not blank. */
export const STRATEGIES: readonly Strategy[] = [
  { name: "exact", find: exactly },
  { name: "line_trimmed", find: (content, old) => byLines(content, old, (line) => line.trim()) },
  { name: "whitespace_normalized", find: withSpacesAlike },
  { name: "escape_normalized", find: withoutEscapes },
  { name: "unicode_normalized", find: withPlainCharacters },
  { name: "block_anchor", find: betweenAnchors },
  { name: "context_aware", find: inContext },
];

function exactly(content: string, old: string): Span[] {
  const found: Span[] = [];
  for (let from = content.indexOf(old); from >= 0; from = content.indexOf(old, from + old.length))
    found.push({ from, until: from + old.length });
  return found;
}

interface Wanted {
  readonly lines: readonly string[];
  /** The line break behind the last of them belongs to it. */
  readonly closed: boolean;
}

const wantedIn = (old: string): Wanted => ({
  lines: (old.endsWith("\n") ? old.slice(0, -1) : old).split("\n"),
  closed: old.endsWith("\n"),
});

/** Windows of as many lines as are wanted, for which `fits` says yes to the place of the first. */
function windows(lines: readonly string[], { lines: wanted, closed }: Wanted, fits: (at: number) => boolean): Span[] {
  const starts = startsOf(lines);
  const found: Span[] = [];
  for (let at = 0; at + wanted.length <= lines.length;) {
    if (!fits(at)) {
      at += 1;
      continue;
    }
    const last = at + wanted.length - 1;
    const end = (starts[last] ?? 0) + (lines[last]?.length ?? 0);
    found.push({ from: starts[at] ?? 0, until: closed && last + 1 < lines.length ? end + 1 : end });
    at += wanted.length;
  }
  return found;
}

function startsOf(lines: readonly string[]): number[] {
  let start = 0;
  return lines.map((line) => {
    const own = start;
    start += line.length + 1;
    return own;
  });
}

function byLines(content: string, old: string, shape: (line: string) => string): Span[] {
  const wanted = wantedIn(old);
  const shaped = wanted.lines.map(shape);
  const lines = content.split("\n");
  const own = lines.map(shape);
  return windows(lines, wanted, (at) => shaped.every((line, n) => own[at + n] === line));
}

function withoutEscapes(content: string, old: string): Span[] {
  const plain = old.replaceAll("\\n", "\n").replaceAll("\\t", "\t").replaceAll("\\r", "\r");
  return plain === old || plain.trim() === "" ? [] : exactly(content, plain);
}

/** A text in another shape, each unit of which knows where it comes from. */
interface Shaped {
  readonly text: string;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

function shapedBy(text: string, pattern: RegExp, shape: (found: string) => string): Shaped {
  const pieces: { readonly text: string; readonly from: number; readonly until: number }[] = [];
  let done = 0;
  for (const { index, 0: found } of text.matchAll(pattern)) {
    pieces.push({ text: text.slice(done, index), from: done, until: index });
    pieces.push({ text: shape(found), from: index, until: index + found.length });
    done = index + found.length;
  }
  pieces.push({ text: text.slice(done), from: done, until: text.length });
  const whole = pieces.map((piece) => piece.text).join("");
  const [starts, ends] = [new Uint32Array(whole.length), new Uint32Array(whole.length)];
  let at = 0;
  for (const { text: own, from, until } of pieces) {
    const same = own.length === until - from;
    for (let unit = 0; unit < own.length; unit++, at++) {
      starts[at] = same ? from + unit : from;
      ends[at] = same ? from + unit + 1 : until;
    }
  }
  return { text: whole, starts, ends };
}

/** Back in the text as it was; nothing that begins or ends inside of what became several units. */
const original = ({ starts, ends }: Shaped, found: readonly Span[]): Span[] =>
  found.flatMap(({ from, until }) => {
    const begins = from === 0 || starts[from] !== starts[from - 1];
    const stops = until >= ends.length || ends[until] !== ends[until - 1];
    return begins && stops && until > from ? [{ from: starts[from] ?? 0, until: ends[until - 1] ?? 0 }] : [];
  });

function withSpacesAlike(content: string, old: string): Span[] {
  const shaped = shapedBy(content, /[ \t]+/gu, () => " ");
  return original(shaped, exactly(shaped.text, old.replace(/[ \t]+/gu, " ")));
}

const PLAIN: Readonly<Record<string, string>> = {
  "\u201C": '"',
  "\u201D": '"',
  "\u2018": "'",
  "\u2019": "'",
  "\u2014": "--",
  "\u2013": "-",
  "\u2026": "...",
  "\u00A0": " ",
};
const FANCY = /[\u201C\u201D\u2018\u2019\u2014\u2013\u2026\u00A0]/gu;

export const plainCharacters = (text: string): string => text.replace(FANCY, (found) => PLAIN[found] ?? found);

function withPlainCharacters(content: string, old: string): Span[] {
  const plain = plainCharacters(old);
  const shaped = shapedBy(content, FANCY, plainCharacters);
  if (plain === old && shaped.text === content) return [];
  const found = exactly(shaped.text, plain);
  return original(shaped, found.length > 0 ? found : byLines(shaped.text, plain, (line) => line.trim()));
}

/** How alike the lines between the first and the last must be: where several places fit, more. */
const ONE_PLACE = 0.5;
const SEVERAL_PLACES = 0.7;
/** Units that are compared with units in all places together; more would take seconds, and nothing else runs meanwhile. */
const MOST_UNITS = 20_000_000;
/** Characters; longer texts are compared by lines. */
const MOST_MIDDLE = 2_000;

function betweenAnchors(content: string, old: string): Span[] {
  const wanted = wantedIn(old);
  const count = wanted.lines.length;
  if (count < 2) return [];
  const shape = (line: string): string => plainCharacters(line).trim();
  const lines = content.split("\n");
  const [first, last] = [shape(wanted.lines[0] ?? ""), shape(wanted.lines.at(-1) ?? "")];
  const own = lines.map(shape);
  const places = own.flatMap((line, at) => (line === first && own[at + count - 1] === last ? [at] : []));
  const middle = wanted.lines.slice(1, -1).join("\n");
  if (places.length * Math.min(middle.length, MOST_MIDDLE) ** 2 > MOST_UNITS) return [];
  const least = places.length > 1 ? SEVERAL_PLACES : ONE_PLACE;
  const fitting = new Set(
    places.filter((at) => count === 2 || likeness(lines.slice(at + 1, at + count - 1).join("\n"), middle) >= least),
  );
  return windows(lines, wanted, (at) => fitting.has(at));
}

const LIKE_LINE = 0.8;
const LIKE_LINES = 0.5;
/** Pairs of lines; comparing more would take seconds. */
const MOST_PAIRS = 2_000_000;

function inContext(content: string, old: string): Span[] {
  const wanted = wantedIn(old);
  const lines = content.split("\n");
  if (lines.length * wanted.lines.length > MOST_PAIRS) return [];
  const own = lines.map((line) => line.trim());
  // The same line is compared once, however often it stands there.
  const budget = { units: MOST_UNITS };
  const alike = wanted.lines.map((line) => alikeTo(line.trim(), budget));
  const fits = (at: number): boolean => {
    const found = alike.filter((isAlike, n) => isAlike(own[at + n] ?? "")).length;
    return found >= LIKE_LINES * wanted.lines.length;
  };
  const found = windows(lines, wanted, fits);
  return budget.units < 0 ? [] : found;
}

/** Once the budget is used up no line is alike. */
function alikeTo(wanted: string, budget: { units: number }): (line: string) => boolean {
  const known = new Map<string, boolean>();
  return (line) => {
    const before = known.get(line);
    if (before !== undefined) return before;
    budget.units -= line === wanted ? 0 : line.length * wanted.length;
    const alike = budget.units >= 0 && areAlike(line, wanted, LIKE_LINE);
    known.set(line, alike);
    return alike;
  };
}
