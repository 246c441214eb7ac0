import type { Plan } from "./approval.ts";
import type { ExitReason, InterruptSource } from "./exit.ts";
import type { Failure } from "./failure.ts";
import type { Question } from "./question.ts";

/**
 * Token counts of one model call, or of several added up. `input` is the whole prompt: `cacheRead` and `cacheWrite` are
 * parts of it, as `reasoning` is of `output`.
 */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
  /** Of `cacheWrite`: what is kept for an hour, and not for minutes; none when absent. */
  readonly cacheWrite1h?: number;
  /** The provider says what it read from a cache, also where that is nothing; never of a sum. */
  readonly cacheTold?: true;
  /** US dollars, where the provider says what this very call cost; never of a sum. */
  readonly costUsd?: number;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  const hour = (a.cacheWrite1h ?? 0) + (b.cacheWrite1h ?? 0);
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    reasoning: a.reasoning + b.reasoning,
    ...(hour > 0 && { cacheWrite1h: hour }),
  };
}

/** How a turn ended, as it is kept in the journal. */
export interface TurnOutcome {
  readonly exit: ExitReason;
  /** The model's own text, or null when there is none to show. */
  readonly answer: string | null;
  readonly failure?: Failure;
  readonly interruptedBy?: InterruptSource;
  /** Came with the interrupt; it is run next (row B15). */
  readonly interruptMessage?: string;
  /** Accepted as steer, never placed; it becomes the next user message (row B9). */
  readonly pendingSteer?: readonly string[];
  /** Accepted as injection or redirect, never delivered; whoever owns the session runs it as next turns (row B10). */
  readonly undelivered?: readonly string[];
}

/** A call that waits for a person. */
export interface WaitingCall {
  /** Names this very request for good: an answer that comes late finds no other one. */
  readonly approvalId: string;
  readonly callId: string;
  readonly name: string;
  readonly input: string;
  readonly why: string;
  /** What exactly would run, where its tool can say it. */
  readonly plan?: Plan;
  /** It waits for an answer in words, not for a yes. */
  readonly question?: Question;
}

/** A turn that stands still until somebody decides; it keeps its lane. */
export interface Parked {
  readonly exit: "parked_for_approval" | "parked_for_answer";
  readonly waitingFor: readonly WaitingCall[];
}
