import type { ExitReason, RefusalReason } from "./exit.ts";
import type { Cost } from "./money.ts";
import type { Usage } from "./outcome.ts";
import type { ToolEvent } from "./result.ts";
import type { ToolContext } from "./tool.ts";

/** The tool by which a model gives work to child agents. */
export const DELEGATE_TASK = "delegate_task";

/** What one child agent is to do. It knows nothing else of the conversation. */
export interface ChildTask {
  readonly goal: string;
  readonly context?: string;
  /** Names of tools, or of sets of them: of what its parent has. Absent: all that a child may use. */
  readonly tools?: readonly string[];
}

/** How a child ended (hermes.md §16). `error`: it could not be run at all. */
export type ChildStatus = "completed" | "failed" | "interrupted" | "timeout" | "error";

/** What a child has come to. */
export interface ChildReport {
  /** The place of its task, from 0. */
  readonly index: number;
  readonly status: ChildStatus;
  /** Its own account, or why there is none. */
  readonly summary: string;
  readonly exit: ExitReason | RefusalReason;
  /** The hidden session in which it has worked; null: there is none. */
  readonly sessionId: string | null;
  readonly model: string | null;
  /** Requests to a model. */
  readonly attempts: number;
  readonly durationMs: number;
  readonly usage: Usage;
  readonly cost: Cost;
  readonly toolEvents: readonly ToolEvent[];
  /** Calls that needed a person's yes, which nobody gives a child. */
  readonly denied: readonly string[];
  /** Files that it has changed. */
  readonly files: readonly string[];
  /** What brought others' words into its work; absent: nothing did. */
  readonly tainted?: string;
}

/** Runs child agents for the calls of one session. */
export interface Delegation {
  /**
   * Runs them side by side; in the order of the tasks, one report for each. A call that a process that died had started
   * finds its children again: none runs twice. Never rejects for what a child does; an abort stops all of them.
   */
  run(tasks: readonly ChildTask[], context: ToolContext): Promise<readonly ChildReport[]>;
}
