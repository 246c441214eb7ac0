import type { Message } from "./message.ts";
import type { SessionSummary } from "./store.ts";

/** A place where it was said. */
export interface SearchHit {
  readonly sessionId: string;
  readonly seq: number;
  /** Who said it: what a user said while tools ran stands on a receipt, and is the user's. */
  readonly role: Message["role"];
  /** One line around it. */
  readonly snippet: string;
}

export interface SessionsAsked {
  readonly query: string;
  /** How many sessions at most. */
  readonly sessions: number;
  /** How many hits of each at most. */
  readonly hits: number;
  /** Only in this session and those that share its beginning. */
  readonly within?: string | undefined;
  /** In none that shares its beginning with this session, nor in itself. */
  readonly beside?: string | undefined;
}

/** Sessions that share a beginning are one: it is called by the one with the best hit. */
export interface FoundSession {
  readonly sessionId: string;
  readonly title: string;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly messages: number;
  /** The best first. */
  readonly hits: readonly SearchHit[];
  /** Places that were found, of which `hits` are the best; not all are looked for where there are very many. */
  readonly found: number;
}

/** What was said in one message: neither reasoning nor arguments nor what others have added to it (row A11). */
export interface SaidMessage {
  readonly seq: number;
  readonly role: Message["role"];
  readonly text: string;
  /** The names of the tools that an assistant message calls, or of the one that a receipt is for, where it is known. */
  readonly tools: readonly string[];
}

/** A stretch of a session. */
export interface Said {
  /** Messages of the whole session. */
  readonly size: number;
  readonly messages: readonly SaidMessage[];
}

/** What is kept of earlier sessions, for reading. Hidden ones are never found; none is locked by it. */
export interface SessionSearch {
  /** The best first. */
  searchSessions(asked: SessionsAsked): FoundSession[];
  /** What was said from one place to another, both included. Undefined when there is no such session. */
  said(sessionId: string, from: number, to: number): Said | undefined;
  /** The sessions that were written last, so many at most. */
  recent(limit: number): SessionSummary[];
}
