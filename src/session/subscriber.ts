import type { Delta, TurnEvent } from "../protocol/fact.ts";

/** One screen's queue: neighbouring deltas melt together, so a slow reader costs memory once per fact, and never a wait. */
export class Subscriber implements AsyncIterableIterator<TurnEvent> {
  private readonly queue: TurnEvent[] = [];
  private readonly waiting: ((result: IteratorResult<TurnEvent, undefined>) => void)[] = [];
  private ended = false;
  private readonly detach: (subscriber: Subscriber) => void;

  constructor(detach: (subscriber: Subscriber) => void) {
    this.detach = detach;
  }

  push(event: TurnEvent): void {
    const waiting = this.waiting.shift();
    if (waiting !== undefined) return waiting({ done: false, value: event });
    const last = this.queue.at(-1);
    const melted = last === undefined ? undefined : melt(last, event);
    if (melted === undefined) this.queue.push(event);
    else this.queue[this.queue.length - 1] = melted;
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

function melt(last: TurnEvent, event: TurnEvent): Delta | undefined {
  switch (event.type) {
    case "text-delta":
    case "reasoning-delta":
      return last.type === event.type ? { type: event.type, text: last.text + event.text } : undefined;
    case "tool-output-delta":
      return last.type === event.type && last.callId === event.callId
        ? { ...event, text: last.text + event.text }
        : undefined;
    case "activity-delta":
      return last.type === event.type ? event : undefined;
    default:
      return undefined;
  }
}
