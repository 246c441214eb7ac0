import type { Lane } from "./lane.ts";

/** Sessions that stay open while nothing goes on in them: each holds its whole history and what its models were sent. */
export const MOST_LANES = 32;

interface Entry {
  readonly opening: Promise<Lane>;
  lane?: Lane;
}

/**
 * The lanes of this process. Those in which nothing goes on are let go where there are too many, the longest unused first:
 * they give their session back, and whoever needs it next opens it from the store.
 */
export class OpenLanes {
  /** The longest unused first. */
  private readonly entries = new Map<string, Entry>();
  /** More than a lane knows itself stands in the way of letting it go. */
  private readonly isNeeded: (lane: Lane) => boolean;

  constructor(isNeeded: (lane: Lane) => boolean) {
    this.isNeeded = isNeeded;
  }

  get(sessionId: string): Promise<Lane> | undefined {
    const entry = this.entries.get(sessionId);
    if (entry === undefined) return undefined;
    this.entries.delete(sessionId);
    this.entries.set(sessionId, entry);
    return entry.opening;
  }

  /** Whether this very lane is the one of its session. */
  has(lane: Lane): boolean {
    return this.entries.get(lane.sessionId)?.lane === lane;
  }

  /** What cannot be opened is forgotten. */
  add(sessionId: string, opening: Promise<Lane>): Promise<Lane> {
    const opened = opening.then(
      (lane) => (entry.lane = lane),
      (error: unknown) => {
        if (this.entries.get(sessionId) === entry) this.entries.delete(sessionId);
        throw error;
      },
    );
    const entry: Entry = { opening: opened };
    this.entries.set(sessionId, entry);
    return opened;
  }

  drop(sessionId: string): void {
    this.entries.delete(sessionId);
  }

  all(): Promise<Lane>[] {
    return [...this.entries.values()].map(({ opening }) => opening);
  }

  letGo(): void {
    for (const [sessionId, { lane }] of this.entries) {
      if (this.entries.size <= MOST_LANES) return;
      if (lane === undefined || isBusy(lane) || this.isNeeded(lane)) continue;
      this.entries.delete(sessionId);
      lane.release();
    }
  }
}

/** A turn, or something between two turns, goes on in it. */
const isBusy = (lane: Lane): boolean => lane.running !== undefined || lane.compacting.isOn;
