import type { Failure } from "./failure.ts";
import type { Usage } from "./outcome.ts";

/** What one tiny real request to a model showed. */
export interface ModelTrial {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  /** What led to it. */
  readonly source: string;
  /** It was asked to give its reply in pieces, and did not refuse; null: there was none. */
  readonly streams: boolean | null;
  /** Whether it called the tool it was asked to call, or its server refused tools; null: the reply did not show it. */
  readonly tools: "called" | "not-called" | "refused" | null;
  /** Until the first piece came, ms; null: none came. */
  readonly firstMs: number | null;
  /** Until all of it had come, ms. */
  readonly totalMs: number;
  /** As the server counts; null: it does not say. */
  readonly usage: Usage | null;
  readonly failure: Failure | null;
}
