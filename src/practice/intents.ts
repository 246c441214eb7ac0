import { matchIntent } from "./grammar.ts";
import { continueIntent, isFiller } from "./follow-up.ts";
import { phraseOf, piecesOf, plain, reword, verbatim, type Phrase, type Piece } from "./phrase.ts";
import type { Scope } from "./scope.ts";

/** What the user wants, as far as this program understands. */
export type Intent =
  | { readonly type: "list"; readonly scope: Scope }
  | { readonly type: "list-folders"; readonly scope: Scope }
  | { readonly type: "overview" }
  | Rank
  | { readonly type: "count"; readonly what: "files" | "folders"; readonly scope: Scope }
  | { readonly type: "count-lines"; readonly target: Target }
  | { readonly type: "count-text"; readonly text: string; readonly scope: Scope }
  | { readonly type: "size"; readonly target: Target }
  | { readonly type: "read"; readonly target: Target; readonly lines: LineRange }
  | { readonly type: "outline"; readonly target: Target }
  | SearchIntent
  | { readonly type: "run"; readonly command: string }
  | { readonly type: "write"; readonly path: string; readonly content: string }
  | EditIntent
  /** The project's own tests, whatever they are. */
  | { readonly type: "check" }
  | { readonly type: "todo"; readonly ask: TodoAsk }
  | { readonly type: "remember"; readonly fact: string }
  /** Undefined: everything. */
  | { readonly type: "recall"; readonly about?: string }
  | { readonly type: "help" }
  /** Understood, and known to be out of reach: `why` is a sentence. */
  | { readonly type: "beyond"; readonly why: string }
  | { readonly type: "unknown"; readonly text: string };

export interface EditIntent {
  readonly type: "edit";
  readonly target: Target;
  readonly edit: Edit;
}

/** Every place where the text stands, or one line more at the end. */
export type Edit =
  | { readonly do: "replace"; readonly from: string; readonly to: string }
  | { readonly do: "append"; readonly text: string };

export type TodoAsk =
  | { readonly do: "show" }
  | { readonly do: "clear" }
  | { readonly do: "add"; readonly content: string }
  | { readonly do: "finish"; /** Its number, or words of it. */ readonly which: string };

/** The files at one end of an order. */
export interface Rank {
  readonly type: "rank";
  readonly by: "size" | "time";
  readonly end: "most" | "least";
  /** How many files to name; ties with the last one are named too. */
  readonly count: number;
  /** The time that was spoken of, such as "today": this program has no calendar. */
  readonly period?: string;
  readonly scope: Scope;
}

export interface SearchIntent {
  readonly type: "search";
  readonly text: string;
  /** `anywhere`: in names as well as in text. */
  readonly where: "anywhere" | "text" | "names";
  readonly scope: Scope;
}

/** Which file a question is about: named, found by its rank, or the one that was spoken of last. */
export type Target =
  | { readonly type: "named"; /** The likeliest reading first. */ readonly names: readonly string[] }
  | { readonly type: "ranked"; readonly rank: Rank }
  | { readonly type: "it" };

/** Line numbers from 1, both ends included. */
export type LineRange =
  | { readonly type: "start" }
  | { readonly type: "span"; readonly from: number; readonly to: number }
  | { readonly type: "last"; readonly count: number };

/** Longer messages are read up to here. */
export const MAX_QUESTION_CHARS = 4_000;

/** Reads a message. `previous`: what the message before it asked for, so that "and the other end?" has a meaning. */
export function readIntents(message: string, previous: readonly Intent[] = []): Intent[] {
  const whole = placeLast(phraseOf(message.slice(0, MAX_QUESTION_CHARS).toWellFormed()));
  const command = matchIntent(plain(whole));
  if (command?.type === "run" || command?.type === "write") return [command];
  let understood: Understood[] = [];
  for (const piece of piecesOf(whole)) understood = addPiece(understood, piece, whole, previous);
  const intents = understood.filter((entry) => !entry.filler).map((entry) => entry.intent);
  return intents.length === 0 ? [{ type: "help" }] : distinct(intents);
}

/** "In src, how many …" says the same as "How many … in src". */
const placeLast = (phrase: Phrase): Phrase =>
  reword(
    phrase,
    phrase.text.replace(
      /^\s*(in(?:side)? (?:the )?(?:folder |directory )?[^\s,]+(?: folder| directory)?),?\s+(.+?)([?.!\s]*)$/isu,
      "$2 $1$3",
    ),
  );

interface Understood {
  readonly phrase: Phrase;
  readonly intent: Intent;
  readonly filler: boolean;
}

function addPiece(before: Understood[], piece: Piece, whole: Phrase, previous: readonly Intent[]): Understood[] {
  const phrase = reword(whole, piece.text);
  const last = before.at(-1);
  const context = last?.intent.type === "unknown" ? undefined : last?.intent;
  if (isFiller(phrase, context)) return [...before, { phrase, intent: { type: "help" }, filler: true }];
  const alone = meaningOf(phrase, context ?? previous.at(-1), context !== undefined);
  if (alone !== undefined) return [...before, { phrase, intent: alone, filler: false }];
  const joined = last === undefined || piece.startsSentence ? undefined : join(last, piece, whole);
  if (joined !== undefined) return [...before.slice(0, -1), joined];
  return [...before, { phrase, intent: { type: "unknown", text: verbatim(phrase) }, filler: false }];
}

function meaningOf(phrase: Phrase, before: Intent | undefined, sameMessage: boolean): Intent | undefined {
  if (ASKS_AGAIN.test(phrase.text)) return continueIntent(phrase, before) ?? matchIntent(plain(phrase));
  const alone = matchIntent(plain(phrase));
  if (alone === undefined) return continueIntent(phrase, before);
  return sameMessage || /^(?:and|also|or)\b|^(?:那|还有)/iu.test(phrase.text)
    ? inScopeOf(before, alone, phrase)
    : alone;
}

const ASKS_AGAIN = /^(?:and\s+)?(?:what|how) about\b/iu;

/** "… in docs, and which one is the largest?" still speaks of docs. */
function inScopeOf(before: Intent | undefined, intent: Intent, phrase: Phrase): Intent {
  if (intent.type !== "rank" || before === undefined || !("scope" in before)) return intent;
  const ownWords = /\b(?:files?|here|folder|project|in|all)\b|文件/iu.test(phrase.text);
  return ownWords ? intent : { ...intent, scope: before.scope };
}

/** "salt" + " and " + "pepper": what was split may have been one thing. */
function join(last: Understood, piece: Piece, whole: Phrase): Understood | undefined {
  const phrase = reword(whole, last.phrase.text + piece.separator + piece.text);
  const intent = matchIntent(plain(phrase));
  return intent === undefined ? undefined : { phrase, intent, filler: false };
}

function distinct(intents: readonly Intent[]): Intent[] {
  const seen = new Set<string>();
  return intents.filter((intent) => {
    const key = JSON.stringify(intent);
    return !seen.has(key) && seen.add(key).size > 0;
  });
}
