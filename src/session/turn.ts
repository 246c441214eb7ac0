import type { TurnEvent } from "../protocol/fact.ts";
import type { Message } from "../protocol/message.ts";
import type { TurnResult } from "../protocol/result.ts";
import type { Feed } from "./feed.ts";

/** A running turn: `result` says how it ended, iterating shows it happen. Leaving the loop detaches. */
export class Turn implements AsyncIterable<TurnEvent> {
  /** Never rejects: every end is a result. */
  readonly result: Promise<TurnResult>;
  /** The messages the turn has added, once it has ended. */
  readonly messages: Promise<readonly Message[]>;
  private readonly feed: Feed;

  constructor(result: Promise<TurnResult>, messages: Promise<readonly Message[]>, feed: Feed) {
    this.result = result;
    this.messages = messages;
    this.feed = feed;
  }

  [Symbol.asyncIterator](): AsyncIterator<TurnEvent, undefined> {
    return this.feed.subscribe();
  }
}
