import type { Scope } from "../protocol/approval.ts";
import type { TurnEvent } from "../protocol/fact.ts";
import type { Message } from "../protocol/message.ts";
import type { ModelChoice } from "../protocol/provider.ts";
import type { TurnResult } from "../protocol/result.ts";
import type { Language } from "../words/language.ts";
import { type Refusal, refusalResult } from "./result.ts";
import { type OtherModel, Turn } from "./turn.ts";

/** The result of a turn with the messages it added. */
export interface RunResult extends TurnResult {
  readonly messages: readonly Message[];
}

/**
 * A turn that was asked for, from the first moment on: what is said before its session is open reaches it when it
 * begins, and nothing that is said to it reaches another turn. Awaiting it gives the result, looping over it shows it
 * happen; leaving the loop stops nothing. `await using` stops the turn where its block ends.
 */
export interface TurnHandle extends Promise<RunResult>, AsyncIterable<TurnEvent>, AsyncDisposable {
  readonly sessionId: string;
  /** Every end is a result: it rejects for a defect of our own alone. The same as awaiting the turn. */
  readonly result: Promise<RunResult>;
  /** Stops the turn, as Ctrl-C does; `message` comes back as `result.interruptMessage`, for you to run next. */
  interrupt(message?: string): Promise<boolean>;
  /** Text that rides on the next tool result; what no tool result took comes back as `result.pendingSteer`. */
  steer(text: string): Promise<boolean>;
  /** A message for this turn, read between its steps; at most 20 wait. */
  inject(text: string): Promise<boolean>;
  /** A correction that cancels the model request in flight and asks anew; while tools run it is a steer. */
  redirect(text: string): Promise<boolean>;
  /**
   * From its next request on the turn asks another model, with all it has so far; the next turn asks the agent's own
   * again. Rejects with one sentence when there is no such model.
   */
  switchModel(to: ModelChoice): Promise<boolean>;
  /**
   * The answer of a person to a call that waits for it: its `callId`, or the `approvalId` of this very question. `scope`
   * makes rules of a yes, where the agent keeps any and each part of the call's plan says what may be allowed.
   */
  approve(id: string, allow: boolean, scope?: Scope): Promise<boolean>;
  /** Words to a question of the model (`result.waitingFor[].question`): a number stands for its choice. */
  answer(id: string, words: string): Promise<boolean>;
  /** From here on neither the signal it was started with nor the end of an `await using` block stops it. */
  detach(): void;
}

interface Asked {
  readonly sessionId: string;
  readonly begun: Promise<Turn | Refusal>;
  readonly language: Language | undefined;
  /** Interrupts the turn when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Finds another model. */
  readonly find: (to: ModelChoice) => Promise<OtherModel>;
  /** Looks at the end of the turn before whoever asked; what it throws they are told instead. */
  readonly check?: (() => void) | undefined;
}

export function turnHandle(asked: Asked): TurnHandle {
  const { sessionId, begun, language, signal, find, check } = asked;
  const say = async (words: (turn: Turn) => Promise<boolean>): Promise<boolean> => {
    const turn = await begun;
    return turn instanceof Turn && words(turn);
  };
  const interrupt = (message?: string): Promise<boolean> => say((turn) => turn.interrupt("user", message));
  // A stop that cannot be kept ends the turn, and its result says so.
  const stop = (): void => {
    interrupt().catch(() => undefined);
  };
  const release = (): void => signal?.removeEventListener("abort", stop);
  if (signal?.aborted === true) stop();
  else signal?.addEventListener("abort", stop, { once: true });
  const result = begun
    .then((turn) => endOf(turn, language))
    .then((ended) => {
      check?.();
      return ended;
    })
    .finally(release);
  let detached = false;
  return Object.assign(result, {
    sessionId,
    result,
    interrupt,
    steer: (text: string) => say((turn) => turn.steer(text)),
    inject: (text: string) => say((turn) => turn.inject(text)),
    redirect: (text: string) => say((turn) => turn.redirect(text)),
    switchModel: async (to: ModelChoice) => {
      const other = await find(to);
      return say((turn) => turn.switchModel(other));
    },
    approve: (id: string, allow: boolean, scope?: Scope) => say((turn) => turn.approve(id, allow, scope)),
    answer: (id: string, words: string) => say((turn) => turn.answer(id, words)),
    detach: () => {
      detached = true;
      release();
    },
    [Symbol.asyncIterator]: () => eventsOf(begun),
    [Symbol.asyncDispose]: async () => {
      if (detached) return;
      await interrupt();
      await result;
    },
  });
}

async function* eventsOf(begun: Promise<Turn | Refusal>): AsyncGenerator<TurnEvent, undefined> {
  const turn = await begun;
  if (turn instanceof Turn) yield* turn;
}

/** The result of a turn, or of one that was refused before it began. */
async function endOf(begun: Turn | Refusal, language: Language | undefined): Promise<RunResult> {
  if (!(begun instanceof Turn)) return { ...refusalResult(begun, language), messages: [] };
  const { result, messages } = await begun.end;
  return { ...result, messages };
}
