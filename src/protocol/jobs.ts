import type { Route } from "./tool.ts";

/** When something is done by itself (row H6). */
export type Schedule =
  /** Once, ms since the epoch. */
  | { readonly type: "at"; readonly atMs: number }
  | { readonly type: "every"; readonly everyMs: number }
  /** Five fields, by the clock of a time zone. */
  | { readonly type: "cron"; readonly expression: string; readonly zone: string };

/** What is to be done, and where it was asked for. */
export interface NewJob {
  readonly name: string;
  /** What the agent is told when it is due. */
  readonly prompt: string;
  readonly schedule: Schedule;
  readonly sessionId: string;
  /** Where its answers go. */
  readonly route: Route;
}

export interface Job extends NewJob {
  readonly id: string;
  /** When it is due next, ms since the epoch; absent: not any more. */
  readonly nextMs?: number;
}

/** Jobs of whoever keeps running when nobody does anything: a gateway. */
export interface JobBook {
  list(): Promise<readonly Job[]>;
  /** Kept for good once it resolves. */
  add(job: NewJob): Promise<Job>;
  /** Undefined: there is none, or it is not for a chat to remove. */
  remove(id: string): Promise<Job | undefined>;
  /** This session is one that a job runs: it must not plan more of itself. */
  isJob(sessionId: string): boolean;
}

/** What is sent into a chat beside the answer of a turn. */
export interface Outgoing {
  readonly to: Route;
  readonly text: string;
  /** Absolute, links resolved. */
  readonly files: readonly string[];
}

/** The chats that a gateway reaches. */
export interface Outbox {
  /** Resolves once it was taken over there; rejects with a sentence. */
  send(message: Outgoing, signal: AbortSignal): Promise<void>;
}
