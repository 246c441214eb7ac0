import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { SessionSummary, Store } from "../../protocol/store.ts";
import { readTitle, MAX_TITLE } from "../../session/title.ts";
import { forksKeep } from "../../words/branches.ts";
import { wordsIn } from "../../words/language.ts";
import { askRemoval, copiesHold, nobodyToAsk, RECORD_WORDS, titleTooLong } from "../../words/records.ts";
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

interface Removing extends Change {
  /** Of the store. */
  readonly folder: string;
}

interface Removal extends Removing {
  /** What has left them goes as well. */
  readonly forks?: boolean;
}

/** All that have left a session, or one that has. */
const forksOf = (all: readonly SessionSummary[], id: string): string[] =>
  all.flatMap(({ sessionId, forkOf }) => (forkOf?.sessionId === id ? [sessionId, ...forksOf(all, sessionId)] : []));

/** `session rm`: all are looked up before the first is removed. */
export async function removeSessions(store: Store, asked: readonly string[], change: Removal): Promise<void> {
  const all = store.list();
  const named = asked.map((name) => existingSession(store, name));
  const ids = new Set(change.forks === true ? named.flatMap((id) => [id, ...forksOf(all, id)]) : named);
  const hidden = (sessionId: string): SessionSummary => ({ ...HIDDEN, sessionId });
  const listed = new Map(all.map((session) => [session.sessionId, session]));
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
export async function pruneSessions(store: Store, flags: PruneFlags, change: Removing): Promise<void> {
  const { olderThan, keep, unfinished } = flags;
  if (olderThan === undefined && keep === undefined) throw usageRefusal(RECORD_WORDS.pruneWhat);
  const before = olderThan === undefined ? Infinity : readTime("--older-than", olderThan, Date.now());
  const kept = keep === undefined ? 0 : readCount("--keep", keep);
  const old = store
    .list()
    .slice(kept)
    .filter((session) => !session.pinned && session.updatedMs < before && (unfinished === true || !session.unfinished));
  if (old.length === 0 && !change.json)
    return say(change.io.stderr, wordsIn(RECORD_WORDS.nothingToPrune, change.language));
  await removeAll(store, old, change);
}

async function removeAll(store: Store, sessions: readonly SessionSummary[], change: Removing): Promise<void> {
  const { io, json, language, dryRun, yes } = change;
  if (!json) tellRemoval(store, sessions, change);
  const goes = dryRun !== true && (yes === true || sessions.length === 0 || (await confirmed(sessions.length, change)));
  const removed: string[] = [];
  // What has left another goes before it: what both share is then kept for nobody.
  const order = sessions.toSorted((one, other) => other.createdMs - one.createdMs);
  if (goes) for (const { sessionId } of order) if (await store.remove(sessionId)) removed.push(sessionId);
  if (json) {
    const told = sessions.map(({ sessionId, title }) => ({ sessionId, title, removed: removed.includes(sessionId) }));
    return sayJson(io, told);
  }
  if (!goes) say(io.stderr, wordsIn(RECORD_WORDS.aborted, language));
}

function tellRemoval(store: Store, sessions: readonly SessionSummary[], { io, language, folder }: Removing): void {
  for (const session of sessions) say(io.stdout, sessionLine(session));
  const keepers = keepersOf(store.list(), sessions);
  if (keepers.length > 0) say(io.stderr, wordsIn(forksKeep(keepers), language));
  const copies = copiesIn(folder);
  if (copies.length > 0) say(io.stderr, wordsIn(copiesHold(copies), language));
}

const COPY = /^evander\.db\.(?:format-\d+|(?:damaged|replaced)-[\w-]+)$/u;

/** Whole stores that were kept beside this one; what is removed here stays in them. */
const copiesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => COPY.test(name))
        .map((name) => join(folder, name))
    : [];

/** Those that stay and share something with one that goes. */
function keepersOf(all: readonly SessionSummary[], going: readonly SessionSummary[]): string[] {
  const gone = new Set(going.map(({ sessionId }) => sessionId));
  return all.flatMap(({ sessionId, forkOf }) =>
    forkOf !== null && forkOf.at > 0 && gone.has(forkOf.sessionId) && !gone.has(sessionId) ? [sessionId] : [],
  );
}

async function confirmed(count: number, { io, language }: Change): Promise<boolean> {
  if (io.stdin.isTTY !== true) throw usageRefusal(nobodyToAsk(count));
  const { confirm } = await import("../confirm.ts");
  return confirm(io, wordsIn(askRemoval(count), language));
}
