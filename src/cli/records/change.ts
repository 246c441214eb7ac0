import type { SessionSummary, Store } from "../../protocol/store.ts";
import { readTitle, MAX_TITLE } from "../../session/title.ts";
import { wordsIn } from "../../words/language.ts";
import { askRemoval, nobodyToAsk, RECORD_WORDS, titleTooLong } from "../../words/records.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { existingSession, usageRefusal } from "../refusal.ts";
import { readCount, readTime } from "./filter.ts";
import { sessionLine } from "./sessions.ts";

/** How a command that changes something was asked to do it. */
export interface ChangeFlags {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

interface Change extends Asked, ChangeFlags {}

interface Renaming {
  readonly session: string;
  readonly title: string;
}

export async function renameSession(store: Store, { session, title }: Renaming, change: Change): Promise<void> {
  const sessionId = existingSession(store, session);
  const reading = readTitle(title);
  if (reading.type === "blank") throw usageRefusal(RECORD_WORDS.blankTitle);
  if (reading.type === "too-long") throw usageRefusal(titleTooLong(reading.characters, MAX_TITLE));
  const done = change.dryRun !== true && (await store.rename(sessionId, reading.title));
  const { io, json } = change;
  if (json) return sayJson(io, { sessionId, title: reading.title, renamed: done });
  say(io.stdout, `${sessionId}  ${reading.title}`);
}

/** `session rm`: all are looked up before the first is removed. */
export async function removeSessions(store: Store, asked: readonly string[], change: Change): Promise<void> {
  const ids = new Set(asked.map((name) => existingSession(store, name)));
  const hidden = (sessionId: string): SessionSummary => ({ ...HIDDEN, sessionId });
  const listed = new Map(store.list().map((session) => [session.sessionId, session]));
  await removeAll(
    store,
    [...ids].map((id) => listed.get(id) ?? hidden(id)),
    change,
  );
}

/** One that was made for another is in no list. */
const HIDDEN: Omit<SessionSummary, "sessionId"> = {
  createdMs: 0,
  updatedMs: 0,
  messages: 0,
  turns: 0,
  title: "",
  unfinished: false,
  pinned: false,
  forkOf: null,
};

export interface PruneFlags {
  readonly olderThan?: string;
  readonly keep?: string;
  readonly unfinished?: boolean;
}

/** `session prune`: by age and number; what has not ended stays, unless it is asked for. */
export async function pruneSessions(store: Store, flags: PruneFlags, change: Change): Promise<void> {
  const { olderThan, keep, unfinished } = flags;
  if (olderThan === undefined && keep === undefined) throw usageRefusal(RECORD_WORDS.pruneWhat);
  const before = olderThan === undefined ? Infinity : readTime("--older-than", olderThan, Date.now());
  const kept = keep === undefined ? 0 : readCount("--keep", keep);
  const old = store
    .list()
    .slice(kept)
    .filter((session) => session.updatedMs < before && (unfinished === true || !session.unfinished));
  if (old.length === 0 && !change.json)
    return say(change.io.stderr, wordsIn(RECORD_WORDS.nothingToPrune, change.language));
  await removeAll(store, old, change);
}

async function removeAll(store: Store, sessions: readonly SessionSummary[], change: Change): Promise<void> {
  const { io, json, language, dryRun, yes } = change;
  if (!json) for (const session of sessions) say(io.stdout, sessionLine(session));
  const goes = dryRun !== true && (yes === true || sessions.length === 0 || (await confirmed(sessions.length, change)));
  const removed: string[] = [];
  if (goes) for (const { sessionId } of sessions) if (await store.remove(sessionId)) removed.push(sessionId);
  if (json) {
    const told = sessions.map(({ sessionId, title }) => ({ sessionId, title, removed: removed.includes(sessionId) }));
    return sayJson(io, told);
  }
  if (!goes) say(io.stderr, wordsIn(RECORD_WORDS.aborted, language));
}

async function confirmed(count: number, { io, language }: Change): Promise<boolean> {
  if (io.stdin.isTTY !== true) throw usageRefusal(nobodyToAsk(count));
  const { confirm } = await import("../confirm.ts");
  return confirm(io, wordsIn(askRemoval(count), language));
}
