import type { ApprovalPolicy } from "../../src/turn/state.ts";

/** One process: it dies at the first fact it may not record any more. */
export interface Process {
  readonly crashAfter: number;
  readonly policy: ApprovalPolicy;
  recorded: number;
  die(): void;
}

export const isDead = (process: Process): boolean => process.recorded > process.crashAfter;
