import type { Adjustment } from "../protocol/fact.ts";
import type { Inherited, Setup, TurnState, View } from "./state.ts";

/** A server said what it cannot do: requests leave differently. The failure is answered. */
export function applyAdjustment(state: TurnState, adjustment: Adjustment): void {
  state.failure = undefined;
  if ("streaming" in adjustment) state.streaming = adjustment.streaming;
  else if ("toolChoice" in adjustment) state.toolChoice = adjustment.toolChoice;
  else if ("pictures" in adjustment) state.pictures = adjustment.pictures;
  else if ("opaque" in adjustment) state.opaque = adjustment.opaque;
  else if ("strict" in adjustment) state.strict = adjustment.strict;
  else {
    state.room = adjustment.maxOutput;
    state.smaller++;
  }
}

/** What the next turn of the session takes over. */
export function learnt(state: View, { provider, model }: Pick<Setup, "provider" | "model">): Inherited {
  const { streaming, toolChoice, compaction } = state;
  const sameProvider = state.provider === provider;
  const sameModel = state.model === model;
  return {
    streaming,
    toolChoice,
    pictures: sameModel ? state.pictures : true,
    opaque: state.opaque || !sameProvider,
    strict: state.strict && sameProvider && sameModel,
    compaction,
  };
}
