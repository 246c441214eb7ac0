import type { TurnEvent } from "../protocol/fact.ts";
import type { TurnResult } from "../protocol/result.ts";
import type { Feed } from "./feed.ts";

/** A running turn: `result` says how it ended, iterating shows it happen. Leaving the loop detaches. */
export class Turn implements AsyncIterable<TurnEvent> {
  /** Never rejects: every end is a result. */
  readonly result: Promise<TurnResult>;
  private readonly feed: Feed;

  constructor(result: Promise<TurnResult>, feed: Feed) {
    this.result = result;
    this.feed = feed;
  }

  [Symbol.asyncIterator](): AsyncIterator<TurnEvent, undefined> {
    return this.feed.subscribe();
  }
}
