import type { Intent, LineRange } from "./intents.ts";
import { NUMBERS } from "./order.ts";
import { reword, type Phrase } from "./phrase.ts";
import { isThisFolder, targetOf } from "./target.ts";

const READ =
  /^(?:read|show|open|cat|print|display|view|see|look at|读取?一?下?|打开|查看|显示|看看?)\s*(?:me\s+|给我\s*)?(.+)$/iu;
const WHAT_SAYS =
  /^(?:what does\s+(.+?)\s+(?:say|contain|look like)|what(?:'s| is)\s+(?:written\s+)?in(?:side)?\s+(.+)|what(?:'s| is| are)\s+the contents? of\s+(.+))$/iu;
const SPAN = /^(?:the\s+)?lines?\s+(\d+)(?:\s*(?:-|–|to|through|and|until)\s*(\d+))?\s+(?:of|from|in)\s+(.+)$/iu;
const SPAN_AFTER = /^(.+?),?\s+(?:from\s+)?lines?\s+(\d+)(?:\s*(?:-|–|to|through|until)\s*(\d+))?$/iu;
const FIRST_LAST =
  /^(?:(?:the|its)\s+)?(first|last|top|bottom|final)\s+(?:(\d+|\w+)\s+)?lines?(?:\s+(?:of|from|in)\s+(.+))?$/iu;
const BEGINNING = /^(?:the\s+)?(?:start|beginning|head|top)\s+of\s+(.+)$/iu;
const CHINESE_SPAN = /^(.+?)\s*的?第\s*(\d+)\s*(?:行)?(?:\s*[到至-]\s*第?\s*(\d+)\s*行)?$/u;

const WHAT_IS = /^what (?:is|are) (?=the|in|on)|^what's (?=the|in|on)/iu;

/** A whole file, or some lines of it, to be shown. */
export function matchRead(phrase: Phrase): Intent | undefined {
  const words = readWords(phrase.text);
  const part = partOf(words ?? phrase.text.replace(WHAT_IS, ""));
  const named = part?.words ?? words;
  const target = named === undefined || isThisFolder(named) ? undefined : targetOf(reword(phrase, named));
  return target && { type: "read", target, lines: part?.lines ?? { type: "start" } };
}

/** What follows a verb of reading. */
function readWords(text: string): string | undefined {
  const verb = READ.exec(text)?.[1];
  if (verb !== undefined) return /\bfiles\b/iu.test(verb) ? undefined : verb;
  return WHAT_SAYS.exec(text)
    ?.slice(1)
    .find((words) => words !== undefined);
}

/** "lines 3 to 5 of X" and its like: which lines, and the words that name X. */
function partOf(words: string): { readonly words: string; readonly lines: LineRange } | undefined {
  const span = SPAN.exec(words);
  if (span?.[3] !== undefined) return { words: span[3], lines: spanOf(span[1], span[2]) };
  const after = SPAN_AFTER.exec(words) ?? CHINESE_SPAN.exec(words);
  if (after?.[1] !== undefined) return { words: after[1], lines: spanOf(after[2], after[3]) };
  const ends = FIRST_LAST.exec(words);
  if (ends !== null) {
    const count = numberOf(ends[2]);
    return {
      words: ends[3] ?? "it",
      lines: /last|bottom|final/iu.test(ends[1] ?? "") ? { type: "last", count } : { type: "span", from: 1, to: count },
    };
  }
  const beginning = BEGINNING.exec(words)?.[1];
  return beginning === undefined ? undefined : { words: beginning, lines: { type: "start" } };
}

function spanOf(from: string | undefined, to: string | undefined): LineRange {
  const first = Math.max(1, Number(from ?? 1));
  return { type: "span", from: first, to: Math.max(first, Number(to ?? first)) };
}

const FEW_LINES = 10;

function numberOf(word: string | undefined): number {
  if (word === undefined) return 1;
  if (/^\d+$/u.test(word)) return Math.max(1, Number(word));
  const named = NUMBERS.indexOf(word.toLowerCase());
  return named < 0 ? FEW_LINES : named + 1;
}
