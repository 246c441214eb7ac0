/** How a query is to be answered; `match` is a safe FTS5 expression, `terms` are what must be in the text. */
export type SearchPlan =
  | { readonly by: "words"; readonly match: string; readonly terms: readonly string[] }
  | { readonly by: "trigrams"; readonly match: string; readonly terms: readonly string[] }
  | { readonly by: "scan"; readonly terms: readonly string[] };

const UNSPACED = ["Hani", "Hira", "Kana", "Hang", "Thai", "Laoo", "Khmr", "Mymr"]
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join("");
/** Scripts that put no spaces between words: they are found by trigrams. */
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, "u");
const ALL_UNSPACED = new RegExp(`[${UNSPACED}]+`, "gu");
const HAS_WORD = /[\p{L}\p{N}]/u;
const TERM = /"([^"]*)"|(\S+)/gu;

const MAX_QUERY = 1_000;
const MAX_TRIGRAMS = 32;
const SNIPPET_BEFORE = 40;
const SNIPPET_LENGTH = 160;

/** What each index keeps of a text: nothing stands in both. */
export function indexedText(text: string): { words: string; trigrams: string } {
  if (!HAS_UNSPACED.test(text)) return { words: text, trigrams: "" };
  return { words: text.replace(ALL_UNSPACED, " "), trigrams: unspacedRuns(text).join(" ") };
}

/** Runs that hold a trigram at all. */
const unspacedRuns = (text: string): string[] =>
  (text.match(ALL_UNSPACED) ?? []).filter((run) => Array.from(run).length >= 3);

/** All terms must occur; "quoted words" stay together, a final * matches the beginning of a word. Undefined when empty. */
export function parseQuery(query: string): SearchPlan | undefined {
  const clean = query.slice(0, MAX_QUERY).replaceAll("\0", " ").toWellFormed();
  const found = [...clean.matchAll(TERM)].map(([, quoted, bare]) => (quoted ?? bare ?? "").trim());
  const all = found.filter((term) => term !== "");
  if (all.length === 0) return undefined;
  const terms = all.map((term) => (HAS_WORD.test(term) ? term.replace(/^\*+|\*+$/gu, "") : term).toLowerCase());
  if (all.some((term) => HAS_UNSPACED.test(term))) {
    const match = trigramMatch(terms);
    return match === "" ? { by: "scan", terms } : { by: "trigrams", match, terms };
  }
  const words = all.filter((term) => HAS_WORD.test(term));
  if (words.length === 0) return { by: "scan", terms };
  return { by: "words", match: words.map(wordMatch).join(" AND "), terms };
}

const literal = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const wordMatch = (term: string): string => (term.endsWith("*") ? `${literal(term)} *` : literal(term));

/** An index without positions knows no phrases: every three characters are asked for by themselves. */
function trigramMatch(terms: readonly string[]): string {
  const trigrams = new Set<string>();
  for (const run of terms.flatMap(unspacedRuns)) {
    const characters = Array.from(run);
    for (let at = 0; at + 3 <= characters.length && trigrams.size < MAX_TRIGRAMS; at++) {
      trigrams.add(literal(characters.slice(at, at + 3).join("")));
    }
  }
  return [...trigrams].join(" AND ");
}

/** Narrows a scan over the stored JSON; it may find too much, never too little: LIKE knows the two cases of ASCII only. */
export function likePattern(terms: readonly string[]): string {
  const inJson = JSON.stringify(terms.find((term) => term.toUpperCase() === term) ?? "").slice(1, -1);
  return `%${inJson.replace(/[\\%_]/gu, "\\$&")}%`;
}

export function matches(text: string, terms: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return terms.every((term) => lower.includes(term));
}

/** One line around the first term that occurs as it was written. */
export function snippetOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const at = terms.map((term) => lower.indexOf(term)).find((place) => place >= 0) ?? 0;
  const from = Math.max(0, at - SNIPPET_BEFORE);
  const cut = text.slice(from, from + SNIPPET_LENGTH).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/gu, "");
  const line = cut.replace(/[\s\p{Cc}]+/gu, " ").trim();
  return `${from > 0 ? "…" : ""}${line}${from + SNIPPET_LENGTH < text.length ? "…" : ""}`;
}
