import { AssertionError } from "node:assert";
import type { TurnResult } from "../protocol/result.ts";

/** Each throws an AssertionError that says how the turn ended. */
export interface TurnExpectation {
  toExit(reason: TurnResult["exit"]["reason"]): this;
  /** Model calls that counted. */
  toHaveIterations(count: number): this;
  /** Attempts beyond the first of a call. */
  toHaveRetries(count: number): this;
  /** Iterations that were given back to the budget. */
  toHaveRefunds(count: number): this;
}

export function expectTurn(result: TurnResult): TurnExpectation {
  const { exit, error, iterations, retries } = result;
  const why = error === null ? "" : ` ${error.message}`;
  const same = (what: string, actual: unknown, expected: unknown): TurnExpectation => {
    if (actual === expected) return expectation;
    const message = `Expected the turn to have ${what} ${String(expected)}; it has ${String(actual)} and ended as ${exit.reason}.${why}`;
    throw new AssertionError({ message, actual, expected, operator: "strictEqual", stackStartFn: same });
  };
  const expectation: TurnExpectation = {
    toExit: (reason) => same("the exit reason", exit.reason, reason),
    toHaveIterations: (count) => same("an iteration count of", iterations.used, count),
    toHaveRetries: (count) => same("a retry count of", retries, count),
    toHaveRefunds: (count) => same("a refund count of", iterations.refunded, count),
  };
  return expectation;
}
