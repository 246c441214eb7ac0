import type { TurnEvent } from "../protocol/fact.ts";
import type { Message } from "../protocol/message.ts";
import type { TurnResult } from "../protocol/result.ts";
import type { Language } from "../words/language.ts";
import { type Refusal, refusalResult } from "./result.ts";
import { Turn } from "./turn.ts";

/** The result of a turn with the messages it added. */
export interface RunResult extends TurnResult {
  readonly messages: readonly Message[];
}

/**
 * A turn that was asked for, from the first moment on: what is said before its session is open reaches it when it
 * begins, and nothing that is said to it reaches another turn. Leaving its loop detaches; only `interrupt` stops it.
 */
export class TurnHandle implements AsyncIterable<TurnEvent> {
  readonly sessionId: string;
  /** Every end is a result: it rejects for a defect of our own alone. */
  readonly result: Promise<RunResult>;
  private readonly begun: Promise<Turn | Refusal>;

  constructor(sessionId: string, begun: Promise<Turn | Refusal>, language: Language | undefined) {
    this.sessionId = sessionId;
    this.begun = begun;
    this.result = begun.then((it) => endOf(it, language));
  }

  /** Stops the turn, as Ctrl-C does; `message` comes back as `result.interruptMessage`, for you to run next. */
  interrupt(message?: string): Promise<boolean> {
    return this.say((turn) => turn.interrupt("user", message));
  }

  /** Text that rides on the next tool result; what no tool result took comes back as `result.pendingSteer`. */
  steer(text: string): Promise<boolean> {
    return this.say((turn) => turn.steer(text));
  }

  /** A message for this turn, read between its steps; at most 20 wait. */
  inject(text: string): Promise<boolean> {
    return this.say((turn) => turn.inject(text));
  }

  /** A correction that cancels the model request in flight and asks anew; while tools run it is a steer. */
  redirect(text: string): Promise<boolean> {
    return this.say((turn) => turn.redirect(text));
  }

  /** The answer of a person to a call that waits for it. */
  approve(callId: string, allow: boolean): Promise<boolean> {
    return this.say((turn) => turn.approve(callId, allow));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TurnEvent, undefined> {
    const begun = await this.begun;
    if (begun instanceof Turn) yield* begun;
  }

  private async say(words: (turn: Turn) => Promise<boolean>): Promise<boolean> {
    const begun = await this.begun;
    return begun instanceof Turn && words(begun);
  }
}

/** The result of a turn, or of one that was refused before it began. */
export async function endOf(begun: Turn | Refusal, language: Language | undefined): Promise<RunResult> {
  if (!(begun instanceof Turn)) return { ...refusalResult(begun, language), messages: [] };
  const { result, messages } = await begun.end;
  return { ...result, messages };
}
