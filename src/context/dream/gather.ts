import { isBlank, type Message, textOf } from "../../protocol/message.ts";
import type { Compaction } from "../../protocol/projection/compaction.ts";
import type { SessionSummary, Store } from "../../protocol/store.ts";
import { type IsTrusted, taintIn } from "../../protocol/taint.ts";
import { type DiaryDraft, withinChars } from "./diary.ts";

interface Gathering {
  /** What came later is gathered, ms since the epoch. */
  readonly sinceMs: number;
  /** So many drafts at most: the newest. */
  readonly most: number;
  /** Of the tools whose results are this program's own words. */
  readonly isTrusted: IsTrusted;
}

type History = readonly (Message | undefined)[];

/** Of one exchange: characters of what the user said, and of the answer. */
const SAID_CHARS = 600;
const ANSWER_CHARS = 300;

/** Of one entry (nanobot.md §5.4). */
export const ENTRY_CHARS = 1_000;

/**
 * What the sessions have brought since then, the oldest first: the summaries that were made of them, and by rules what
 * was said and no summary tells of. Once others' words were read in a session, nothing is taken from it but what its user
 * said; a summary of such a session says so (ADR 0044).
 */
export function gather(store: Pick<Store, "list" | "history" | "record">, gathering: Gathering): DiaryDraft[] {
  const { sinceMs, most } = gathering;
  const drafts: DiaryDraft[] = [];
  const used = store.list().filter(({ updatedMs }) => updatedMs > sinceMs);
  for (const session of used.toSorted((a, b) => b.updatedMs - a.updatedMs)) {
    if (drafts.length >= most) break;
    drafts.push(...draftsOf(store, session, gathering).toReversed());
  }
  return drafts.slice(0, most).toReversed();
}

function draftsOf(
  store: Pick<Store, "history" | "record">,
  { sessionId }: SessionSummary,
  { sinceMs, isTrusted }: Gathering,
): DiaryDraft[] {
  const history = store.history(sessionId) ?? [];
  const { starts, summed } = newIn(store, sessionId, sinceMs);
  const tainted = taintIn(history, isTrusted);
  const cleanUntil = tainted === undefined ? history.length : lastCleanIn(history, isTrusted);
  const told = summed === undefined ? [] : [summaryDraft(summed, { sessionId, tainted, cleanUntil })];
  // What is told by a summary that may be read is not told twice.
  const toldUntil = told.some((draft) => draft.tainted === undefined) ? (summed?.from ?? 0) : 0;
  const exchanges = starts
    .filter((seq) => seq >= toldUntil)
    .map((seq) => exchangeAt(history, seq, { end: starts.find((next) => next > seq), cleanUntil }));
  return [
    ...told,
    ...packed(exchanges.filter((text) => text !== "")).map((content) => ({ content, session: sessionId })),
  ];
}

interface New {
  /** The places of the messages that began turns. */
  readonly starts: readonly number[];
  readonly summed: (Compaction & { readonly summary: string }) | undefined;
}

function newIn(store: Pick<Store, "record">, sessionId: string, sinceMs: number): New {
  const starts: number[] = [];
  let summed: New["summed"];
  for (const { atMs, fact } of store.record(sessionId)?.facts ?? []) {
    if (atMs <= sinceMs) continue;
    if (fact.type === "turn-start") starts.push(fact.seq);
    if (fact.type !== "history-compacted") continue;
    const { compaction } = fact;
    if (compaction.summary !== undefined) summed = { ...compaction, summary: compaction.summary };
  }
  return { starts, summed };
}

interface Told {
  readonly sessionId: string;
  readonly tainted: string | undefined;
  readonly cleanUntil: number;
}

/** Whoever made it has read all that is sent of the session by then. */
const summaryDraft = (
  { summary, through }: NonNullable<New["summed"]>,
  { sessionId, tainted, cleanUntil }: Told,
): DiaryDraft => ({
  content: summary,
  session: sessionId,
  summary: true,
  ...(tainted !== undefined && through > cleanUntil && { tainted }),
});

/** The length of the longest beginning in which nobody else has spoken. */
function lastCleanIn(history: History, isTrusted: IsTrusted): number {
  let [clean, tainted] = [0, history.length];
  while (tainted - clean > 1) {
    const middle = Math.floor((clean + tainted) / 2);
    if (taintIn(history.slice(0, middle), isTrusted) === undefined) clean = middle;
    else tainted = middle;
  }
  return clean;
}

interface Within {
  /** Where the next exchange begins; undefined: there is none. */
  readonly end: number | undefined;
  readonly cleanUntil: number;
}

/** What its user said from here on, and the answer, where nobody else had spoken before it. */
function exchangeAt(history: History, start: number, { end = history.length, cleanUntil }: Within): string {
  if (isForeign(history[start])) return "";
  const said: string[] = [];
  let answer = "";
  for (const [at, message] of history.slice(start, end).entries()) {
    if (message === undefined) continue;
    if (message.role === "assistant" && start + at < cleanUntil && !isBlank(textOf(message))) answer = textOf(message);
    said.push(...wordsOf(message));
  }
  const lines = [
    ...(said.length === 0 ? [] : [`User: ${withinChars(said.join("\n"), SAID_CHARS)}`]),
    ...(answer === "" ? [] : [`Assistant: ${withinChars(answer.trim(), ANSWER_CHARS)}`]),
  ];
  return said.length === 0 ? "" : lines.join("\n");
}

/** It was recorded elsewhere: its user may be anybody. */
const isForeign = (message: Message | undefined): boolean => message?.role === "user" && message.tainted !== undefined;

/** The user's own words: what others add to them is not theirs. */
function wordsOf(message: Message): string[] {
  if (message.role === "assistant" || isForeign(message)) return [];
  if (message.role === "user") return isBlank(textOf(message)) ? [] : [textOf(message).trim()];
  return message.parts.flatMap((part) => (part.type === "steer" ? [part.text.trim()] : []));
}

/** As many exchanges in each entry as there is room for. */
function packed(exchanges: readonly string[]): string[] {
  const entries: string[] = [];
  for (const exchange of exchanges) {
    const last = entries.at(-1);
    const joined = last === undefined ? exchange : `${last}\n\n${exchange}`;
    if (last !== undefined && joined.length <= ENTRY_CHARS) entries[entries.length - 1] = joined;
    else entries.push(exchange);
  }
  return entries;
}
