import type { WaitingCall } from "./outcome.ts";

/** What a turn that has not ended waits for (row B17). What happens then follows from `type`. */
export type Waiting = WaitingFor & {
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
  /** When the wait ends by itself, ms since the epoch; null: no time is known. */
  readonly untilMs: number | null;
};

export type WaitingFor =
  /** Those who add to the message: a memory, advisers, plug-ins; then the model is asked. */
  | { readonly type: "context" }
  /** A request that has left, or is about to; a silent model is asked again. */
  | { readonly type: "model-reply"; readonly model: string; readonly attempt: number }
  /** The pause before the next attempt. */
  | { readonly type: "retry"; readonly attempt: number }
  /** A model that puts into words what is to be left out; then less of the conversation is sent. */
  | { readonly type: "summary" }
  /** Calls that run; then the model reads their receipts. */
  | { readonly type: "tools"; readonly names: readonly string[] }
  /** A person, whose answer runs or denies each call. */
  | { readonly type: "approval"; readonly calls: readonly WaitingCall[] }
  /** All is decided, and no process goes on with the turn. */
  | { readonly type: "resume" }
  /** What was recorded is being saved; then the turn goes on. */
  | { readonly type: "store" };
