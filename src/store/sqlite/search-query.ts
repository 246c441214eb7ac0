import { HAS_SIGN, signRuns, withoutSigns, wordsOf } from "./search-text.ts";

/** What must be in a text, or must not. */
export interface Term {
  /** In lower case. */
  readonly text: string;
  /** Words of it for the index of words; empty: it has none. */
  readonly words: string;
  /** They are the whole of it, so that the index of words alone can say whether a text has it. */
  readonly plain: boolean;
  /** The last word may go on. */
  readonly prefix: boolean;
  readonly runs: readonly string[];
}

/** Texts that hold all of `all`, and for none of `none` all of it. */
export interface Alternative {
  readonly all: readonly Term[];
  readonly none: readonly (readonly Term[])[];
}

const MAX_QUERY = 1_000;
const MAX_TERMS = 32;

/** Stands for a phrase meanwhile; no query can hold it. */
const MARK = "\0";
const QUOTED = /"[^"]*"/gu;
const SPECIAL = /[+{}():"^]/gu;
/** What Python calls a word character: marks are none (hermes.md §20). */
const WORD = String.raw`[\p{L}\p{N}_]`;
const JOINED = new RegExp(`(?<!${WORD})${WORD}+(?:[._-]${WORD}+)+(?!${WORD})`, "gu");
const LEADING = new RegExp(`^(?:AND|OR|NOT)(?!${WORD})\\s*`, "iu");
const TRAILING = /\s(?:AND|OR|NOT)$/iu;

/**
 * What a person typed, as it is searched (hermes.md §20): phrases in balanced quotes stay as they are; of the rest special
 * characters become spaces, a * at the beginning of a word goes, so do AND, OR and NOT at the two ends, and what . _ or -
 * joins is one phrase.
 */
export function sanitiseQuery(query: string): string {
  const phrases = query.match(QUOTED) ?? [];
  const bare = query.replaceAll(MARK, " ").replace(QUOTED, MARK).replace(SPECIAL, " ");
  const starred = bare.replace(/\*+/gu, "*").replace(/(^|\s)\*/gu, "$1");
  const inner = starred.trim().replace(LEADING, "").trim().replace(TRAILING, "");
  let next = 0;
  return inner
    .replace(JOINED, '"$&"')
    .replaceAll(MARK, () => phrases[next++] ?? "")
    .trim();
}

const TOKEN = /"([^"]*)"(\*?)|([^\s"]+)/gu;

type Token = Term | "AND" | "OR" | "NOT";

/** The alternatives of a query, of which one must hold; none for a query that asks for nothing. */
export function parseQuery(query: string): Alternative[] {
  const clean = sanitiseQuery(query.slice(0, MAX_QUERY).toWellFormed());
  const tokens = [...clean.matchAll(TOKEN)].flatMap(([, quoted, star, bare]) =>
    quoted === undefined ? bareToken(bare ?? "") : termOf(quoted, star === "*"),
  );
  return split(tokens.slice(0, MAX_TERMS), "OR").flatMap(alternativeOf);
}

function bareToken(text: string): readonly Token[] {
  if (text === "AND" || text === "OR" || text === "NOT") return [text];
  return termOf(text.replace(/\*+$/u, ""), text.endsWith("*"));
}

function termOf(given: string, prefix: boolean): readonly Term[] {
  const text = given.replaceAll("\0", " ").trim().toLowerCase();
  if (text === "") return [];
  const words = wordsOf(withoutSigns(text));
  return [{ text, words, plain: words !== "" && !HAS_SIGN.test(text), prefix, runs: signRuns(text) }];
}

/** As FTS5 binds them: words side by side first, then NOT, then AND, then OR. */
function alternativeOf(tokens: readonly Token[]): readonly Alternative[] {
  const all: Term[] = [];
  const none: Term[][] = [];
  for (const conjunct of split(tokens, "AND")) {
    const [wanted = [], ...unwanted] = split(conjunct, "NOT").map(termsIn);
    all.push(...wanted);
    none.push(...unwanted.filter((terms) => terms.length > 0));
  }
  const telling = all.filter((term) => term.words !== "" || term.runs.length > 0);
  // Marks say something where they stand alone; beside words they would only hide what is there.
  return all.length === 0 ? [] : [{ all: telling.length > 0 ? telling : all, none }];
}

const termsIn = (tokens: readonly Token[]): Term[] => tokens.filter((token) => typeof token === "object");

function split(tokens: readonly Token[], at: Token): Token[][] {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (token === at) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/** An expression for the index of words; undefined when the alternative asks for no word. */
export function wordsMatch({ all, none }: Alternative): string | undefined {
  const wanted = all.filter((term) => term.plain);
  if (wanted.length === 0) return undefined;
  const unwanted = none.filter((terms) => terms.every((term) => term.plain));
  return [conjunction(wanted), ...unwanted.map(conjunction)].join(" NOT ");
}

const conjunction = (terms: readonly Term[]): string => `(${terms.map(wordMatch).join(" AND ")})`;

const literal = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const wordMatch = ({ words, prefix }: Term): string => (prefix ? `${literal(words)} *` : literal(words));

/** Every two signs that stand side by side are asked for by themselves: the index of signs has no places. */
export function signsMatch({ all }: Alternative): string | undefined {
  const asked = new Set<string>();
  for (const run of all.flatMap(({ runs }) => runs)) {
    const signs = Array.from(run);
    if (signs.length === 1) asked.add(run);
    for (let at = 0; at + 2 <= signs.length && asked.size < MAX_TERMS; at++)
      asked.add(signs.slice(at, at + 2).join(""));
  }
  return asked.size === 0 ? undefined : [...asked].map(literal).join(" AND ");
}

/** Whether the indexes alone say that the alternative holds; what they find is read else. */
export function isExact({ all, none }: Alternative): boolean {
  // What is not wanted is asked of the index of words beside a word that is.
  const isAsked = none.length === 0 || (all.some(({ plain }) => plain) && none.flat().every(({ plain }) => plain));
  return isAsked && all.every((term) => term.plain || isShort(term));
}

const isShort = ({ text, runs: [run, ...more] }: Term): boolean =>
  more.length === 0 && run === text && Array.from(text).length <= 2;
