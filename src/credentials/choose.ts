import type { KeyStrategy } from "../protocol/keys.ts";
import { byPriority, isUsable, type KeyEntry, type Keys } from "./entry.ts";

export interface Choice {
  readonly strategy: KeyStrategy;
  /** How many requests are under way with a key. */
  readonly leases: (entry: KeyEntry) => number;
  readonly nowMs: number;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
}

/** The key to go on with; those that nobody uses at this moment first (hermes.md §11.3). Undefined: none can be used. */
export function choose(keys: Keys, choice: Choice): KeyEntry | undefined {
  const usable = byPriority(keys.filter((entry) => isUsable(entry, choice.nowMs)));
  const least = Math.min(...usable.map(choice.leases));
  const free = usable.filter((entry) => choice.leases(entry) === least);
  switch (choice.strategy) {
    case "fill_first":
      return free[0];
    case "random":
      return free[Math.floor(choice.random() * free.length)];
    case "least_used":
      return first(free, ({ uses }) => uses);
    case "round_robin":
      return first(free, ({ lastUse }) => lastUse);
  }
}

/** Of those that are equal, the first. */
const first = (keys: Keys, of: (entry: KeyEntry) => number): KeyEntry | undefined =>
  keys.reduce<KeyEntry | undefined>(
    (best, entry) => (best === undefined || of(entry) < of(best) ? entry : best),
    undefined,
  );

/** Where no key can be used: the one that can be used soonest, never a dead one while another is there. */
export function soonest(keys: Keys): KeyEntry | undefined {
  const returns = ({ status }: KeyEntry): number =>
    status.state === "dead" ? Infinity : status.state === "exhausted" ? status.untilMs : 0;
  return first(byPriority(keys.filter(({ secret }) => secret !== undefined)), returns);
}

/** It was chosen: strategies that count remember it. */
export function chosen(keys: Keys, fingerprint: string): Keys {
  const last = Math.max(0, ...keys.map(({ lastUse }) => lastUse));
  return keys.map((entry) =>
    entry.fingerprint === fingerprint ? { ...entry, uses: entry.uses + 1, lastUse: last + 1 } : entry,
  );
}
