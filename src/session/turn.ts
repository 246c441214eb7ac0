import type { Scope } from "../protocol/approval.ts";
import type { InterruptSource } from "../protocol/exit.ts";
import type { TurnEvent } from "../protocol/fact.ts";
import type { Message } from "../protocol/message.ts";
import type { Price } from "../protocol/money.ts";
import type { Model } from "../protocol/ports.ts";
import type { TurnResult } from "../protocol/result.ts";
import type { ToolSpec } from "../protocol/tool.ts";
import type { Feed } from "./feed.ts";

/** Another model for a turn that runs. */
export interface OtherModel {
  readonly provider: string;
  readonly model: string;
  /** What it costs; absent: nobody knows. */
  readonly price?: Price | undefined;
  /** Tokens that a request and its reply may have together; absent: nobody knows. */
  readonly contextWindow?: number | undefined;
  /** What every request of the session has beside the messages, tokens by estimate; absent: nobody asks. */
  readonly overhead?: ((session: SessionOpening) => number | undefined) | undefined;
  /** Its view of the conversation. */
  readonly open: (session: SessionOpening) => Model;
}

/** What every model of a session is opened with. */
export interface SessionOpening {
  readonly nonce: string;
  /** Its system prompt. */
  readonly system: string;
  /** What the turn can call. */
  readonly tools: readonly ToolSpec[];
}

/** What can be said to a turn; each resolves to true once it is kept, and to false when nobody took it. */
export interface Arrivals {
  /** Stops the turn; `message` comes back as `interruptMessage`, to be run next (rows B5, B15). */
  interrupt(by: InterruptSource, message?: string): Promise<boolean>;
  /** Text that rides on the next receipt the model has not seen (row B8); what is left over comes back. */
  steer(text: string): Promise<boolean>;
  /** A user message for this turn, when no call is open; false also when the inbox is full (row B10). */
  inject(text: string): Promise<boolean>;
  /** Cancels the request in flight and asks again with this correction; while tools run it is a steer (row B14). */
  redirect(text: string): Promise<boolean>;
  /** By its call or its question; `scope` makes rules of a yes. False when this call does not wait for an answer. */
  approve(id: string, allow: boolean, scope?: Scope): Promise<boolean>;
  /** Words to a question of the model, by its call or its own id. False when this question does not wait for an answer. */
  answer(id: string, words: string): Promise<boolean>;
  /** From its next request on the turn asks another model; what is on its way comes to its end. */
  switchModel(to: OtherModel): Promise<boolean>;
}

/** What a turn was, once it has ended or stands still. */
export interface TurnEnd {
  readonly result: TurnResult;
  /** The messages it has added. */
  readonly messages: readonly Message[];
}

interface TurnParts {
  readonly end: Promise<TurnEnd>;
  readonly feed: Feed;
  readonly arrivals: Arrivals;
  /** It is still this turn that hears what is said. */
  readonly isOn: () => boolean;
}

/** A running turn: `result` says how it ended, iterating shows it happen. Leaving the loop detaches. */
export class Turn implements AsyncIterable<TurnEvent>, Arrivals {
  /** Never rejects: every end is a result. */
  readonly end: Promise<TurnEnd>;
  readonly result: Promise<TurnResult>;
  private readonly feed: Feed;
  private readonly arrivals: Arrivals;
  private readonly isOn: () => boolean;

  constructor({ end, feed, arrivals, isOn }: TurnParts) {
    this.end = end;
    this.result = end.then(({ result }) => result);
    this.feed = feed;
    this.arrivals = arrivals;
    this.isOn = isOn;
  }

  interrupt(by: InterruptSource, message?: string): Promise<boolean> {
    return this.whileOn(() => this.arrivals.interrupt(by, message));
  }

  steer(text: string): Promise<boolean> {
    return this.whileOn(() => this.arrivals.steer(text));
  }

  inject(text: string): Promise<boolean> {
    return this.whileOn(() => this.arrivals.inject(text));
  }

  redirect(text: string): Promise<boolean> {
    return this.whileOn(() => this.arrivals.redirect(text));
  }

  approve(id: string, allow: boolean, scope?: Scope): Promise<boolean> {
    return this.whileOn(() => this.arrivals.approve(id, allow, scope));
  }

  answer(id: string, words: string): Promise<boolean> {
    return this.whileOn(() => this.arrivals.answer(id, words));
  }

  switchModel(to: OtherModel): Promise<boolean> {
    return this.whileOn(() => this.arrivals.switchModel(to));
  }

  [Symbol.asyncIterator](): AsyncIterator<TurnEvent, undefined> {
    return this.feed.subscribe();
  }

  /** What is said to a turn never reaches the one after it. */
  private whileOn(say: () => Promise<boolean>): Promise<boolean> {
    return this.isOn() ? say() : Promise.resolve(false);
  }
}
