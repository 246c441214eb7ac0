import type { Fork, Store } from "../../protocol/store.ts";
import { placeToLeave } from "../../protocol/history.ts";
import { BRANCH_WORDS, movedPlace, noPlace, unfinishedStays } from "../../words/branches.ts";
import type { Text } from "../../words/language.ts";
import type { Flags } from "../flags.ts";
import { existingSession, RefusalError, usageRefusal } from "../refusal.ts";

interface Asking {
  readonly newSessionId: () => string;
  readonly tell: (words: Text) => void;
}

/** The session that a command line names: one to go on with, or a fork of one; undefined: it names none. */
export async function askedSession(
  { resume, fork, at }: Pick<Flags, "resume" | "fork" | "at">,
  store: Store,
  { newSessionId, tell }: Asking,
): Promise<string | undefined> {
  if (fork === undefined && at !== undefined) throw usageRefusal(BRANCH_WORDS.atWithoutFork);
  if (fork !== undefined && resume !== undefined) throw usageRefusal(BRANCH_WORDS.forkAndResume);
  if (fork === undefined) return resume === undefined ? undefined : existingSession(store, resume);
  const place = forkPlace(store, existingSession(store, fork), at);
  for (const words of place.notes) tell(words);
  const { sessionId } = await forkAt(store, place, newSessionId());
  return sessionId;
}

/** Where a session would be forked. */
export interface Place {
  readonly from: string;
  readonly at: number;
  /** What whoever asked is told: it is not quite what they asked for. */
  readonly notes: readonly Text[];
}

/** Throws RefusalError for a number that names no message of the session. */
export function forkPlace(store: Store, from: string, asked: string | undefined): Place {
  const history = store.history(from) ?? [];
  const end = endOf(store, from) ?? history.length;
  const wanted = asked === undefined ? history.length : placeIn(asked, history.length);
  const within = Math.min(wanted, end);
  const at = placeToLeave(within, (seq) => (seq < end ? history[seq]?.role : undefined));
  const notes = [...(wanted > end ? [unfinishedStays()] : []), ...(at === within ? [] : [movedPlace(within, at)])];
  return { from, at, notes };
}

/** How many messages stand before a turn that has not ended; undefined: there is none. */
function endOf(store: Store, from: string): number | undefined {
  const open = store.openTurns().find(({ sessionId }) => sessionId === from)?.facts[0]?.fact;
  return open?.type === "turn-start" ? open.seq : undefined;
}

function placeIn(asked: string, messages: number): number {
  if (/^\d{1,9}$/u.test(asked) && Number(asked) <= messages) return Number(asked);
  throw usageRefusal(noPlace(asked, messages));
}

/** Throws RefusalError for a session that works for another one. */
export async function forkAt(store: Store, { from, at }: Place, sessionId: string, title?: string): Promise<Fork> {
  const fork = await store.fork(sessionId, { from, at, title });
  if (fork !== undefined) return fork;
  throw new RefusalError({ reason: "usage_error", message: BRANCH_WORDS.hidden });
}
