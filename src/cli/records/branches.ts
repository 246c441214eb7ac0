import type { SessionSummary, Store } from "../../protocol/store.ts";
import { type Branch, forests, treeOf } from "../../session/lineage.ts";
import { printable } from "../../session/plain-text.ts";
import { MAX_TITLE, readTitle } from "../../session/title.ts";
import { BRANCH_WORDS } from "../../words/branches.ts";
import { wordsIn } from "../../words/language.ts";
import { RECORD_WORDS, titleTooLong } from "../../words/records.ts";
import { shellWord } from "../../words/steps.ts";
import { goesOnWith } from "../../words/chat.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { runnable } from "../next-steps.ts";
import { forkAt, forkPlace } from "../prompt/asked-session.ts";
import { existingSession, usageRefusal } from "../refusal.ts";
import type { ChangeFlags } from "./change.ts";
import { sessionLine } from "./sessions.ts";

interface Change extends Asked, ChangeFlags {}

interface Forking extends Change {
  readonly at?: string;
  readonly title?: string;
  readonly newSessionId: () => string;
}

/** `session fork`: a session of its own that begins with what was said in another one. */
export async function forkSession(store: Store, session: string, asked: Forking): Promise<void> {
  const { io, json, language, dryRun, at, title, newSessionId } = asked;
  const called = title === undefined ? undefined : titleIn(title);
  const place = forkPlace(store, existingSession(store, session), at);
  for (const words of place.notes) say(io.stderr, wordsIn(words, language));
  const fork = dryRun === true ? undefined : await forkAt(store, place, newSessionId(), called);
  const { from } = place;
  if (json)
    return sayJson(io, {
      sessionId: fork?.sessionId ?? null,
      from,
      at: place.at,
      title: fork?.title ?? called ?? null,
      forked: fork !== undefined,
    });
  if (fork === undefined) return say(io.stdout, `${from}  at ${place.at}`);
  say(io.stdout, `${fork.sessionId}  at ${fork.at}  ${printable(fork.title)}`.trimEnd());
  say(io.stderr, goesOnWith(runnable(`evander --resume ${shellWord(fork.sessionId)}`, io.env))[language]);
}

function titleIn(title: string): string {
  const reading = readTitle(title);
  if (reading.type === "blank") throw usageRefusal(RECORD_WORDS.blankTitle);
  if (reading.type === "too-long") throw usageRefusal(titleTooLong(reading.characters, MAX_TITLE));
  return reading.title;
}

/** `session tree`: the branches of one conversation, or of all that have any. */
export function showTrees(store: Store, session: string | undefined, { io, json, language }: Asked): void {
  const sessions = store.list();
  const trees = session === undefined ? forests(sessions) : [treeOf(sessions, existingSession(store, session))];
  const found = trees.filter((tree) => tree.length > 0);
  if (json)
    return sayJson(
      io,
      found.flat().map(({ session: each, depth }) => ({ ...each, depth })),
    );
  if (found.length === 0) return say(io.stderr, wordsIn(BRANCH_WORDS.noForks, language));
  found.forEach((tree, at) => {
    if (at > 0) say(io.stdout, "");
    for (const branch of tree) say(io.stdout, branchLine(branch));
  });
}

const branchLine = ({ session, stem }: Branch): string => stem + sessionLine(session);

/** `session pin`, `session unpin`: all are looked up before the first is changed. */
export async function pinSessions(
  store: Store,
  asked: readonly string[],
  { pinned, ...change }: Change & { readonly pinned: boolean },
): Promise<void> {
  const ids = new Set(asked.map((name) => existingSession(store, name)));
  const listed = store.list().filter(({ sessionId }) => ids.has(sessionId));
  const { io, json, dryRun } = change;
  const done: SessionSummary[] = [];
  for (const session of listed) {
    const isDone = dryRun !== true && (await store.pin(session.sessionId, pinned));
    done.push(isDone ? { ...session, pinned } : session);
  }
  if (json)
    return sayJson(
      io,
      done.map(({ sessionId, title, pinned: is }) => ({ sessionId, title, pinned: is })),
    );
  for (const session of done) say(io.stdout, sessionLine(session));
}
