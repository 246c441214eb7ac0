import type { TurnEvent } from "../protocol/fact.ts";
import { DeltaQueue } from "./delta-queue.ts";

/** One screen's view of a turn. A slow reader costs a little memory for each fact, and never a wait. */
export class Subscriber implements AsyncIterableIterator<TurnEvent> {
  private readonly queue = new DeltaQueue();
  private readonly waiting: ((result: IteratorResult<TurnEvent, undefined>) => void)[] = [];
  private ended = false;
  private readonly detach: (subscriber: Subscriber) => void;

  constructor(detach: (subscriber: Subscriber) => void) {
    this.detach = detach;
  }

  push(event: TurnEvent): void {
    const waiting = this.waiting.shift();
    if (waiting !== undefined) return waiting({ done: false, value: event });
    this.queue.push(event);
  }

  end(): void {
    this.ended = true;
    for (const waiting of this.waiting.splice(0)) waiting({ done: true, value: undefined });
  }

  next(): Promise<IteratorResult<TurnEvent, undefined>> {
    const event = this.queue.shift();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    if (this.ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Leaving the loop detaches; it does not stop the turn. */
  return(): Promise<IteratorResult<TurnEvent, undefined>> {
    this.detach(this);
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
