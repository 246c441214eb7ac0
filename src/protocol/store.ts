import type { Learnt } from "./adjustment.ts";
import type { ExitReason } from "./exit.ts";
import type { Fact, Purpose } from "./fact.ts";
import type { Message } from "./message.ts";
import { type Sentence, english } from "./sentence.ts";
import type { RequestRecord } from "./ports.ts";
import type { Compaction } from "./projection/compaction.ts";
import type { KitText, RecordedTurn } from "./replay.ts";
import type { SearchHit, SessionSearch } from "./session-search.ts";
import type { StoreAudit } from "./store-audit.ts";

/** What a session needs from any store to keep its facts. */
export interface Writer {
  append(fact: Fact): void;
  /** Keeps the request of the attempt appended last, in the same commit: one for each commit. */
  keepRequest(request: RequestRecord): void;
  /** Keeps the session's system prompt, in the same commit as the fact appended last. */
  keepPrompt(text: string): void;
  /** Keeps what a turn runs under from the fact appended last on, in the same commit; `gauge`: see KeptKit. */
  keepKit(kit: KitText, gauge?: string): void;
  /** Resolves when all appended so far is committed (and synced where a fact demands it); rejects with a StoreError. */
  barrier(): Promise<void>;
}

/** Called after a commit with the number of facts it holds. */
export type OnCommit = (facts: number) => void;

/** What a session is made for that works on the side of another one. */
export interface ChildOf {
  /** The session it goes on from. */
  readonly parent: string;
  readonly purpose: Purpose;
  /** What is sent of its past: as was sent of its parent under this compaction, null: all of it. Absent: as is sent now. */
  readonly compaction?: Compaction | null;
  /** What was said in its parent, where somebody has it already; absent: it is read. */
  readonly history?: readonly (Message | undefined)[] | undefined;
  /** It knows nothing of its parent: neither what was said there, nor its prompt. */
  readonly apart?: true;
}

/** What a store has of a session's system prompt (row A8). `missing`: there is no session yet; `null`: none was kept. */
export type StoredPrompt =
  | { readonly state: "missing" | "null" | "empty" }
  | { readonly state: "present"; readonly text: string };

/** A session as it was read when its lease was taken. */
export interface StoredSession {
  readonly sessionId: string;
  /** Made up when the session was created, and never changed: the code that marks the user's word on a receipt (row B8). */
  readonly nonce: string;
  readonly history: (Message | undefined)[];
  /** The newest one of the session. */
  readonly compaction: Compaction | undefined;
  /** How many compactions in a row have not helped. */
  readonly strikes: number;
  readonly prompt: StoredPrompt;
  /** All that it has learnt of its models; undefined: nothing. */
  readonly learnt: Learnt | undefined;
  /** The facts of a turn that never ended, or nothing. */
  readonly openTurn: readonly Fact[];
  readonly writer: (onCommit: OnCommit) => Writer;
  /** Gives the lease back. */
  release(): void;
}

export interface SessionSummary {
  readonly sessionId: string;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly messages: number;
  readonly turns: number;
  /** The first user message, cut to one short line. */
  readonly title: string;
  /** The last turn has not ended: it is running, parked, or its process died. */
  readonly unfinished: boolean;
  /** Its owner wants it kept. */
  readonly pinned: boolean;
  /** The session whose beginning it shares, up to a place; null: all of it is its own. */
  readonly forkOf: { readonly sessionId: string; readonly at: number } | null;
}

/** Where a session is to be forked. */
export interface ForkPlace {
  readonly from: string;
  /**
   * So many of its messages are shared, at most all that its ended turns have brought; absent: these. No call is parted from
   * its receipts, and no message of the user from its answer: the fork then leaves before it.
   */
  readonly at?: number | undefined;
  /** Absent: as the other one, with a number. */
  readonly title?: string | undefined;
}

/** A session that has just left another one. */
export interface Fork {
  readonly sessionId: string;
  readonly from: string;
  /** So many messages are shared. */
  readonly at: number;
  readonly title: string;
}

export interface TimedFact {
  /** When its transaction was written, ms since the epoch. */
  readonly atMs: number;
  readonly fact: Fact;
}

export interface StoredTurn {
  readonly turnId: string;
  readonly sessionId: string;
  readonly facts: readonly TimedFact[];
  /** What was done on its account when it had ended, such as a review. */
  readonly after: readonly TimedFact[];
}

/** Which turns are listed; what is absent does not matter. */
export interface TurnFilter {
  /** Absent: of all listed sessions. */
  readonly sessionId?: string;
  /** When it began, ms since the epoch. */
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly exit?: ExitReason;
  /** Those alone that have not ended. */
  readonly unfinished?: boolean;
}

/** A turn as its beginning and its end tell of it. */
export interface ListedTurn {
  readonly turnId: string;
  readonly sessionId: string;
  /** ms since the epoch */
  readonly startedMs: number;
  /** Null: it has no end. */
  readonly endedMs: number | null;
  readonly exit: ExitReason | null;
  /** It runs, is parked, or was left, and nothing came behind it. */
  readonly unfinished: boolean;
}

/** A whole session as its facts, for taking it elsewhere: what its models were sent is not in it. */
export interface SessionRecord {
  readonly sessionId: string;
  readonly title: string;
  /** ms since the epoch */
  readonly createdMs: number;
  /** In the order they were recorded. */
  readonly facts: Iterable<TimedFact>;
}

/** One request of a turn, as the model saw it. */
export interface StoredRequest {
  readonly attempt: number;
  /** The whole JSON body; secrets are masked. */
  readonly body: string;
  /** The next request goes on from so many characters of it; what stands behind belongs to this attempt alone. */
  readonly head: number;
}

/** Stands in a request that is kept for what was added to its system prompt and is never stored (row A16). */
export const UNKEPT = "[added for this turn, not kept]";

/** Who holds the lease of a session. */
export interface SessionOwner {
  readonly host: string;
  readonly pid: number;
  /** It has renewed its lease in time, and its process, where that can be seen, is there. */
  readonly alive: boolean;
}

/** A turn that has not ended: it is running, parked, or its process died. */
export interface OpenTurn extends StoredTurn {
  readonly title: string;
  /** The session that its own one was made for, and what for; absent: for itself. */
  readonly madeFor?: { readonly sessionId: string; readonly purpose: string };
  readonly owner: SessionOwner | null;
}

/** Sessions and their turns, on disk or in memory. Reading needs no lease. */
export interface Store extends SessionSearch {
  /** Takes the lease of a session, creating it when it is new. Rejects with StoreError `busy` when another live process holds it. */
  open(sessionId: string): Promise<StoredSession>;
  /**
   * Makes a session that begins with what was said in its parent, up to a turn that runs there now, and takes its lease.
   * It is hidden: never listed, found or taken for the last. Undefined when there is no such parent. It needs no lease of
   * the parent and writes nothing there.
   */
  openChild(sessionId: string, of: ChildOf): Promise<StoredSession | undefined>;
  /**
   * Makes a session under a new id that begins with what was said in another one up to a place, with the same bytes. It needs
   * no lease of that one, changes nothing there, and holds none itself. Undefined when there is no such session to be seen.
   */
  fork(sessionId: string, place: ForkPlace): Promise<Fork | undefined>;
  /** So many messages of a session its reviews have begun with, the newest at least; 0: there was none. */
  reviewedThrough(sessionId: string): number;
  list(): SessionSummary[];
  /** The sessions of the child agents that a session has started, the oldest first; `list` has none of them. */
  children(sessionId: string): SessionSummary[];
  /** Undefined when there is no such session. */
  history(sessionId: string): readonly (Message | undefined)[] | undefined;
  /** Its system prompt, as it is kept. */
  prompt(sessionId: string): StoredPrompt;
  /** The id of the session that was written last. */
  lastSession(): string | undefined;
  /** One turn by its id, or the newest of all listed sessions for `last`. Undefined when there is none. */
  turn(turnId: string): StoredTurn | undefined;
  /** Turns, the newest first, read one by one: whoever has seen enough leaves. */
  turns(filter: TurnFilter): Iterable<ListedTurn>;
  /** What was recorded in its session behind the end of a turn and before the next one begins. */
  behind(turnId: string): TimedFact[];
  /** Another number whenever somebody else has written since: asking for it costs next to nothing. */
  version(): number;
  /** The ids of turns that begin so, in any session, so many at most. */
  turnIds(beginning: string, most: number): string[];
  /** The turn that was asked for under this idempotency key. */
  turnWithKey(key: string): StoredTurn | undefined;
  /** Every request of a turn in the order they left; the turn as for `turn`. */
  requests(turnId: string): Iterable<StoredRequest>;
  /** All that is kept of a turn, to run it again; the turn as for `turn`. */
  recorded(turnId: string): RecordedTurn | undefined;
  /** The turns that have not ended, the newest first. */
  openTurns(): OpenTurn[];
  /** Gives a session another title, by the will of a person. False when there is none of this name. */
  rename(sessionId: string, title: string): Promise<boolean>;
  /** It is called by its first words, and may be given a title unasked. */
  isUntitled(sessionId: string): boolean;
  /** Gives an untitled session the title that a model has made up. False, and nothing is changed, for any other. */
  entitle(sessionId: string, title: string): Promise<boolean>;
  /** Keeps a session from being pruned, or no longer. False when there is none of this name. */
  pin(sessionId: string, pinned: boolean): Promise<boolean>;
  /**
   * Removes a session and all that was made for it, for good; its forks go on, and keep what they share with it. False when there is none of this name. Rejects with
   * StoreError `busy` when another live process works in it.
   */
  remove(sessionId: string): Promise<boolean>;
  /** Undefined when there is no such session. */
  record(sessionId: string): SessionRecord | undefined;
  /** Puts a session in as it was recorded elsewhere. False, and nothing is changed, when there is one of this name. */
  restore(record: SessionRecord): Promise<boolean>;
  /** Places, the best first; of what stands everywhere the newest are weighed alone. */
  search(query: string, limit: number): SearchHit[];
  /** Lets somebody look at all of it as it is at one moment, whoever writes meanwhile; nothing of it is there afterwards. */
  audit<T>(look: (audit: StoreAudit) => T): T;
  close(): void;
}

/** A store that can be looked at and nothing else. */
export interface AuditedFile extends Pick<Store, "audit"> {
  /** The file is of an older format: it is brought up where it is opened, and can be looked at then. */
  readonly older: boolean;
  close(): void;
}

export type StoreFault = "busy" | "locked" | "full" | "read_only" | "corrupt" | "newer" | "lease_lost" | "io";

/** A local fault: never classified as a provider failure. The message is one sentence and says what to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly fault: StoreFault;
  /** The message in every language it was written in. */
  readonly sentence: Sentence;

  constructor(fault: StoreFault, sentence: Sentence, options?: ErrorOptions) {
    super(english(sentence), options);
    this.fault = fault;
    this.sentence = sentence;
  }
}

/** What a look at a store found; looking changes nothing. */
export type StoreCheck =
  | { readonly type: "absent" }
  | { readonly type: "sound"; readonly sessions: number; readonly bytes: number }
  | { readonly type: "faulty"; readonly fault: StoreFault; readonly message: Sentence };
