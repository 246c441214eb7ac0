import type { Delta, Fact, TurnEvent } from "../protocol/fact.ts";
import { DeltaQueue } from "./delta-queue.ts";
import { Subscriber } from "./subscriber.ts";

/**
 * What screens see, in record order: a fact only once it is committed, and nothing that came after it before it.
 * Nobody who watches can slow, stop or break the turn.
 */
export class Feed {
  private readonly subscribers = new Set<Subscriber>();
  private readonly waiting = new DeltaQueue();
  private ended = false;

  subscribe(): Subscriber {
    const subscriber = new Subscriber((gone) => this.subscribers.delete(gone));
    if (this.ended) subscriber.end();
    else this.subscribers.add(subscriber);
    return subscriber;
  }

  fact(fact: Fact): void {
    this.waiting.push(fact);
  }

  deltas(deltas: readonly Delta[]): void {
    if (this.subscribers.size === 0) return;
    for (const delta of deltas) {
      if (this.waiting.size > 0) this.waiting.push(delta);
      else this.publish(delta);
    }
  }

  /** `count` more facts were committed: they go out, with the deltas up to the next fact that still waits. */
  committed(count: number): void {
    const gone = this.waiting.takeFacts(count);
    if (this.subscribers.size > 0) for (const event of gone) this.publish(event);
  }

  private publish(event: TurnEvent): void {
    // It is on the account of a turn that has ended, whose screens are gone.
    if (event.type === "auxiliary-run" && event.turnId !== undefined) return;
    for (const subscriber of this.subscribers) subscriber.push(event);
  }

  end(): void {
    this.ended = true;
    for (const subscriber of this.subscribers) subscriber.end();
  }
}
