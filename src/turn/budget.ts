/** Iterations of a turn where nobody says otherwise (row B2). */
export const MAX_ITERATIONS = 500;

/** How many iterations a turn may still begin (row B2). Counts iterations, never attempts. */
export interface IterationBudget {
  readonly max: number;
  used: number;
}

export const iterationBudget = (max: number): IterationBudget => ({ max, used: 0 });

/** Takes one iteration; false when none is left, and then nothing is taken. */
export function consume(budget: IterationBudget): boolean {
  if (budget.used >= budget.max) return false;
  budget.used++;
  return true;
}

/** Gives one back (row B3); never below zero used. */
export function refund(budget: IterationBudget): void {
  if (budget.used > 0) budget.used--;
}

export const remaining = (budget: Readonly<IterationBudget>): number => Math.max(0, budget.max - budget.used);
