import { findTroubles } from "./troubles.ts";
import { type Death, dieAt, evenSample } from "./canonical-turn.ts";
import type { Boundary } from "./strace.ts";

export interface Sweep {
  readonly tried: number;
  readonly died: number;
  /** How many deaths left what. */
  readonly left: Readonly<Record<Death["left"], number>>;
  readonly violations: readonly string[];
}

/** Two processes die at a time. */
const LANES = 2;

/** Kills the program behind each of these calls, or behind some at even distances. */
export async function sweep(
  boundaries: readonly Boundary[],
  { most = Infinity, onDeath = () => {} }: { readonly most?: number; readonly onDeath?: () => void } = {},
): Promise<Sweep> {
  const rest = [...evenSample(boundaries, most)];
  const tried = rest.length;
  const left = { nothing: 0, "open turn": 0, "whole turn": 0 };
  const violations: string[] = [];
  let died = 0;
  const lane = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
      const death = await dieAt(next, findTroubles);
      left[death.left] += 1;
      if (death.died) died += 1;
      for (const breach of death.breaches) violations.push(`${next.call} ${next.nth}: ${breach}`);
      onDeath();
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return { tried, died, left, violations };
}
