import type { Alternative, Term } from "./search-query.ts";
import { withoutSigns, wordsOf } from "./search-text.ts";

/** Says of one text what the indexes say of all: both have the same words (search-text.ts). */
export function holds(text: string, { all, none }: Alternative): boolean {
  const lower = text.toLowerCase();
  let line: string | undefined;
  const has = (term: Term): boolean => {
    if (!term.plain) return lower.includes(term.text);
    line ??= ` ${wordsOf(withoutSigns(text))} `;
    return line.includes(` ${term.words}${term.prefix ? "" : " "}`);
  };
  return all.every(has) && !none.some((terms) => terms.every(has));
}

const WORD_PARTS = /[a-z0-9]+/gu;
const ASCII = /^[\0-\x7F]*$/u;

/** Spares most stored bodies a closer look: false only where the text in them cannot hold the alternative. */
export function mayHold(body: string, { all }: Alternative): boolean {
  const lower = ASCII.test(body) ? body.toLowerCase() : undefined;
  return all.every(({ plain, words, runs, text }) => {
    if (!plain)
      return (runs.length > 0 ? runs : [JSON.stringify(text).slice(1, -1)]).every((run) => body.includes(run));
    // Where there are accents, a word may be written in another way.
    return lower === undefined || (words.match(WORD_PARTS) ?? []).every((part) => lower.includes(part));
  });
}
