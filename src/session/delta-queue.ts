import { type Delta, isFact, type TurnEvent } from "../protocol/fact.ts";

/** Deltas behind a fact that keep their order; more of them melt into those that are there. */
const MOST_DELTAS = 100;
/** Characters of what a call prints that stay of its end, where twice as many wait for a reader who is slow. */
const MOST_OUTPUT = 100_000;

/**
 * What waits for somebody. No fact is dropped. Neighbouring deltas melt together, and where many wait, all that are of one
 * kind: what a slow reader costs does not grow with the time that nobody reads.
 */
export class DeltaQueue {
  private events: TurnEvent[] = [];
  /** Deltas behind the last fact. */
  private deltas = 0;

  get size(): number {
    return this.events.length;
  }

  push(event: TurnEvent): void {
    if (isFact(event)) this.deltas = 0;
    else if (this.melted(event)) return;
    else this.deltas++;
    this.events.push(event);
  }

  shift(): TurnEvent | undefined {
    return this.take(1)[0];
  }

  /** All up to the fact behind the first `facts` ones. */
  takeFacts(facts: number): TurnEvent[] {
    let left = facts;
    const end = this.events.findIndex((event) => isFact(event) && left-- === 0);
    return this.take(end < 0 ? this.events.length : end);
  }

  private take(count: number): TurnEvent[] {
    const taken = this.events.splice(0, count);
    this.deltas = Math.min(this.deltas, this.events.length);
    return taken;
  }

  private melted(event: Delta): boolean {
    const reach = this.deltas < MOST_DELTAS ? 1 : this.deltas;
    for (let back = 1; back <= Math.min(reach, this.deltas); back++) {
      const at = this.events.length - back;
      const before = this.events[at];
      const both = before === undefined || isFact(before) ? undefined : melt(before, event);
      if (both === undefined) continue;
      this.events[at] = both;
      return true;
    }
    return false;
  }
}

/** Undefined: they are not of one kind. */
function melt(before: Delta, event: Delta): Delta | undefined {
  switch (event.type) {
    case "text-delta":
    case "reasoning-delta":
      return before.type === event.type ? { type: event.type, text: before.text + event.text } : undefined;
    case "tool-output-delta":
      return before.type === event.type && before.callId === event.callId
        ? { ...event, text: endOf(before.text + event.text) }
        : undefined;
    case "activity-delta":
      return before.type === event.type ? event : undefined;
    case "first-delta":
      return undefined;
  }
}

const endOf = (text: string): string =>
  text.length > 2 * MOST_OUTPUT ? text.slice(-MOST_OUTPUT).toWellFormed() : text;
