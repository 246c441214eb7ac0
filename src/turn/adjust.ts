import type { Adjusted, Adjustment, Learnt } from "../protocol/adjustment.ts";
import type { RequestAdjusted } from "../protocol/fact.ts";
import type { ModelName } from "../protocol/ports.ts";
import type { Setup, TurnState, View } from "./state.ts";

/** All but those of one iteration. */
type Lasting = Exclude<Adjustment, { maxOutput: number }>;

const ALL: Adjusted = {};

/**
 * Where the set-up's model is asked belongs to its name: any server may be set up under the same one in the next process.
 */
function nameOf({ provider, model }: ModelName, setup: Setup): string {
  const isOwn = provider === setup.provider && model === setup.model;
  return isOwn && setup.host !== undefined ? `${provider}@${setup.host}/${model}` : `${provider}/${model}`;
}

/** What is known of the set-up's model before a turn asks it. */
export const adjustedFor = (setup: Setup, learnt: Learnt): Adjusted => learnt[nameOf(setup, setup)] ?? ALL;

export const requestAdjusted = (state: View, adjustment: Adjustment): RequestAdjusted => ({
  type: "request-adjusted",
  adjustment,
  ...(!("maxOutput" in adjustment) && { learnt: learntWith(state, adjustment) }),
});

const learntWith = (state: View, adjustment: Lasting): Learnt => ({
  ...state.learnt,
  [nameOf(state, state.setup)]: adjusted(state.adjusted, adjustment),
});

/** The request goes out again, and what was refused counts for no try of the ladder (hermes.md §9.2, steps 2 to 12). */
export function askOtherwise(state: TurnState): void {
  state.failure = undefined;
  if (state.reply !== "broken") state.failures--;
}

export function foldAdjustment(state: TurnState, { adjustment, learnt }: RequestAdjusted): void {
  askOtherwise(state);
  if ("maxOutput" in adjustment) {
    state.room = adjustment.maxOutput;
    state.smaller++;
    return;
  }
  // Stores of format 6 and older do not have it in their facts.
  state.learnt = learnt ?? learntWith(state, adjustment);
  state.adjusted = state.learnt[nameOf(state, state.setup)] ?? ALL;
}

function adjusted(before: Adjusted, adjustment: Lasting): Adjusted {
  if ("without" in adjustment) return { ...before, without: [...(before.without ?? []), adjustment.without] };
  if ("withoutTool" in adjustment)
    return { ...before, withoutTools: [...(before.withoutTools ?? []), adjustment.withoutTool] };
  return { ...before, ...adjustment };
}

/** Another model is asked. What was learnt of its server through another one holds for it too. */
export function adjustTo(state: TurnState, next: ModelName): void {
  const { streaming, toolChoice, betas } = next.provider === state.provider ? state.adjusted : ALL;
  const ofServer = {
    ...(streaming === false && { streaming }),
    ...(toolChoice === false && { toolChoice }),
    ...(betas === false && { betas }),
  };
  const known = state.learnt[nameOf(next, state.setup)];
  state.adjusted = known ?? (Object.keys(ofServer).length === 0 ? ALL : ofServer);
}
