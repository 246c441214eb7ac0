import type { ExitReason, RefusalReason } from "./exit.ts";
import type { ReceiptStatus } from "./message.ts";
import type { Usage, WaitingCall } from "./outcome.ts";

/** One thing a person can do next; `command` can be run as it stands, or is null. */
export interface NextStep {
  readonly do: string;
  readonly text: string;
  readonly command: string | null;
}

export interface ToolEvent {
  readonly name: string;
  readonly status: ReceiptStatus;
  /** One short line. */
  readonly detail: string;
}

export interface ResultError {
  /** The exit reason, or a narrower word. */
  readonly code: string;
  readonly message: string;
  readonly next: readonly NextStep[];
  readonly status: number | null;
  readonly retryAfterMs: number | null;
}

/** The one result of every surface (row J7, product.md §3.2). Every key is always there; null or [] when empty. */
export interface TurnResult {
  readonly schema: "evander.result.v1";
  readonly ok: boolean;
  readonly completed: boolean;
  readonly failed: boolean;
  readonly partial: boolean;
  readonly interrupted: boolean;
  /** The model's text. */
  readonly answer: string | null;
  /** The answer as people see it: with an explanation where there was no usable answer. */
  readonly shown: string | null;
  readonly structured: unknown;
  readonly exit: {
    readonly reason: ExitReason | RefusalReason;
    readonly code: number;
    readonly detail: Readonly<Record<string, unknown>> | null;
    readonly explain: string | null;
    readonly next: readonly NextStep[];
  };
  readonly error: ResultError | null;
  readonly sessionId: string | null;
  readonly turnId: string | null;
  readonly model: string | null;
  readonly provider: string | null;
  readonly baseUrl: string | null;
  readonly providerSource: string | null;
  readonly iterations: { readonly used: number; readonly limit: number; readonly refunded: number };
  readonly attempts: number;
  readonly retries: number;
  readonly usage: Usage;
  readonly cost: {
    readonly usd: number | null;
    readonly status: "actual" | "estimated" | "included" | "unknown";
    readonly source: string | null;
  };
  readonly cache: { readonly hitRatio: number | null; readonly brokeAt: string | null };
  readonly toolEvents: readonly ToolEvent[];
  /** What differs on the disk from before the turn, by its receipts: `created`, `changed`, `deleted` or `mode`. */
  readonly files: readonly { readonly path: string; readonly change: string }[];
  readonly lastReasoning: string | null;
  readonly previewed: boolean;
  readonly pendingSteer: readonly string[];
  readonly interruptMessage: string | null;
  readonly waitingFor: readonly WaitingCall[];
  readonly cleanupErrors: readonly string[];
  readonly durationMs: number;
}
