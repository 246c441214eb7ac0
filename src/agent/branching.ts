import { randomUUID } from "node:crypto";
import { costLimit, retryMode } from "../config/limits.ts";
import { type Fork, type Store, StoreError } from "../protocol/store.ts";
import { askedAgain, type ForkOptions, forkOf, leaveBefore } from "../session/branches.ts";
import { readInput, type TurnInputs } from "../session/input.ts";
import { leaveForPast, type PastFound } from "../session/replay/past.ts";
import { type Refusal, storeRefusal } from "../session/result.ts";
import type { Turn } from "../session/turn.ts";
import type { TurnHandle } from "../session/turn-handle.ts";
import { nothingToLeave } from "../words/branches.ts";
import { noSuchTurn } from "../words/records.ts";
import { BLANK_PROMPT } from "../words/usage.ts";
import { iterationLimit } from "./work.ts";

/** A turn in a fork of a session. */
export interface BranchOptions extends Omit<TurnInputs, "idempotencyKey"> {
  /** Counted from the newest of the messages that began turns; 1 when nothing is said. */
  readonly back?: number;
  /** Of the fork; as the other session's, with a number, when nothing is said. */
  readonly title?: string;
  /** Stops the turn when it is aborted, as `interrupt` does. */
  readonly signal?: AbortSignal;
}

interface Branching {
  readonly store: Store;
  /** Starts a turn in a session, or says why there is none. */
  readonly begin: (prompt: string, sessionId: string, inputs: TurnInputs) => Promise<Turn | Refusal>;
  /** The same with a turn that goes on from another one. */
  readonly takeOver: (sessionId: string, leave: () => Promise<PastFound>) => Promise<Turn | Refusal>;
  readonly handle: (sessionId: string, begun: Promise<Turn | Refusal>, signal?: AbortSignal) => TurnHandle;
}

/** What an agent does with the branches of a conversation. */
export interface Branches {
  /**
   * A session of its own that begins with what was said in another one, and changes nothing there: `at` messages of it,
   * or what stands before the `back`-th last message of the user; neither: all that its ended turns have brought. No call is
   * parted from its receipts, and no message from its answer: `at` of what comes back says where it left. Undefined when there
   * is no such session or message.
   */
  fork(sessionId: string, options?: ForkOptions): Promise<Fork | undefined>;
  /** Asks the last message of the user again, or the `back`-th last one, in a fork that leaves before it. */
  retry(sessionId: string, options?: BranchOptions): TurnHandle;
  /** The same with another text in its place. */
  edit(sessionId: string, prompt: string, options?: BranchOptions): TurnHandle;
  /**
   * Asks iteration `from` of a turn anew and goes on live, by the model of this agent, in a fork that takes over what the turn had
   * come to: nothing that its tools had done is done again. `error` says why it cannot be.
   */
  replayFrom(turnId: string, from: number, options?: Pick<BranchOptions, "title" | "signal">): TurnHandle;
}

export function branching({ store, begin, takeOver, handle }: Branching): Branches {
  const branch = (from: string, prompt: string | undefined, options: BranchOptions = {}): TurnHandle => {
    const { back = 1, title, signal, ...inputs } = options;
    checkInputs(inputs);
    const sessionId = randomUUID();
    const start = async (): Promise<Turn | Refusal> => {
      if (prompt !== undefined && readInput(prompt).type === "blank")
        return { reason: "usage_error", message: BLANK_PROMPT, sessionId };
      const left = await leaveBefore(store, { from, back, title, newSessionId: () => sessionId });
      if (left === undefined) return { reason: "session_not_found", message: nothingToLeave(from, back) };
      const again = askedAgain(left.message);
      return prompt === undefined
        ? begin(again.text, sessionId, { ...again.inputs, ...inputs })
        : begin(prompt, sessionId, inputs);
    };
    return handle(sessionId, start().catch(refusedBy(sessionId)), signal);
  };
  return {
    fork: (from, options) => forkOf(store, { ...options, from, sessionId: randomUUID() }),
    retry: (from, options) => branch(from, undefined, options),
    edit: (from, prompt, options) => branch(from, prompt, options),
    replayFrom: (turnId, from, { title, signal } = {}) => {
      const sessionId = randomUUID();
      const leave = async (): Promise<PastFound> => {
        const turn = store.turn(turnId);
        if (turn === undefined) return { type: "refused", message: noSuchTurn(turnId) };
        return leaveForPast(store, turn, { from, sessionId, title });
      };
      return handle(sessionId, takeOver(sessionId, leave).catch(refusedBy(sessionId)), signal);
    },
  };
}

/** Throws RangeError or TypeError for what cannot be used. */
export function checkInputs({ maxIterations, maxCost, retry }: TurnInputs): void {
  iterationLimit(maxIterations);
  costLimit("maxCost", maxCost);
  retryMode("retry", retry);
}

/** What a store cannot do is a result; whatever else is thrown is a defect. */
export const refusedBy =
  (sessionId: string) =>
  (error: unknown): Refusal => {
    if (!(error instanceof StoreError)) throw error;
    return storeRefusal(error, sessionId);
  };
