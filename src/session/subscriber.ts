import type { Delta, TurnEvent } from "../protocol/fact.ts";

/** One screen's queue: neighbouring deltas melt together, so a slow reader costs memory once per fact, and never a wait. */
export class Subscriber implements AsyncIterableIterator<TurnEvent> {
  private readonly queue: TurnEvent[] = [];
  private wake: (() => void) | undefined;
  private ended = false;
  private readonly detach: (subscriber: Subscriber) => void;

  constructor(detach: (subscriber: Subscriber) => void) {
    this.detach = detach;
  }

  push(event: TurnEvent): void {
    const last = this.queue.at(-1);
    const melted = last === undefined ? undefined : melt(last, event);
    if (melted === undefined) this.queue.push(event);
    else this.queue[this.queue.length - 1] = melted;
    this.wake?.();
  }

  end(): void {
    this.ended = true;
    this.wake?.();
  }

  async next(): Promise<IteratorResult<TurnEvent, undefined>> {
    for (;;) {
      const event = this.queue.shift();
      if (event !== undefined) return { done: false, value: event };
      if (this.ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => (this.wake = resolve));
      this.wake = undefined;
    }
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
    default:
      return undefined;
  }
}
