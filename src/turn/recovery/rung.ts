import type { Adjustment } from "../../protocol/adjustment.ts";
import type { CompactionCause } from "../../protocol/projection/compaction.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { View } from "../state.ts";

/** What the loop does about a failed model call, instead of giving up. */
export type Recovery =
  | {
      readonly do: "wait-and-retry";
      readonly delayMs: number;
      /** Up to this much is added at random, so that processes do not come back together. */
      readonly jitterMs: number;
    }
  /** Aims at this share of what is sent now. */
  | {
      readonly do: "compact";
      readonly share: number;
      readonly because: Extract<CompactionCause, "too-large" | "pressure">;
    }
  | { readonly do: "adjust-request"; readonly adjustment: Adjustment }
  /** Another key of the same provider; or the same key, renewed. */
  | { readonly do: "rotate-key" }
  | { readonly do: "refresh-key" }
  /** The next model of the fallback chain. */
  | { readonly do: "switch-model" };

/** One rung: an action, or undefined to pass to the next. "Once" is a question to the state, never a flag. */
export type Rung = (failure: Failure, state: View) => Recovery | undefined;
