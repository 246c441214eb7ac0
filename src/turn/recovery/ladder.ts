import type { Failure } from "../../protocol/failure.ts";
import type { View } from "../state.ts";
import type { Adjustment } from "../../protocol/fact.ts";
import { continueBroken } from "./broken-stream.ts";
import { compactAndRetry } from "./compact-and-retry.ts";
import { askForLess } from "./output-room.ts";
import { stopStreaming } from "./refused-streaming.ts";
import { waitAndRetry } from "./wait-and-retry.ts";

/** What the loop does about a failed model call, instead of giving up. */
export type Recovery =
  | {
      readonly do: "wait-and-retry";
      readonly delayMs: number;
      /** Up to this much is added at random, so that processes do not come back together. */
      readonly jitterMs: number;
    }
  /** Aims at this share of what is sent now. */
  | { readonly do: "compact"; readonly share: number }
  | { readonly do: "adjust-request"; readonly adjustment: Adjustment };

/** One rung: an action, or undefined to pass to the next. "Once" is a question to the state, never a flag. */
export type Rung = (failure: Failure, state: View) => Recovery | undefined;

/** Order is the policy. */
const LADDER: readonly Rung[] = [stopStreaming, askForLess, compactAndRetry, continueBroken, waitAndRetry];

/** The first rung that has an answer; undefined means give up. */
export function recover(failure: Failure, state: View): Recovery | undefined {
  for (const rung of LADDER) {
    const recovery = rung(failure, state);
    if (recovery !== undefined) return recovery;
  }
  return undefined;
}
