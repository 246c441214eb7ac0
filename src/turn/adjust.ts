import type { Adjusted, Adjustment } from "../protocol/adjustment.ts";
import type { TurnState } from "./state.ts";

/** What models were found not to take, by their names. */
export type Learnt = Readonly<Record<string, Adjusted>>;

type ModelName = Pick<TurnState, "provider" | "model">;

const ALL: Adjusted = {};

const nameOf = ({ provider, model }: ModelName): string => `${provider}/${model}`;

/** What is known of a model before it is asked in this turn. */
export const adjustedFor = (name: ModelName, learnt: Learnt): Adjusted => learnt[nameOf(name)] ?? ALL;

/** A request that is only asked for otherwise is no try of the ladder (hermes.md §9.2, steps 2 to 12). */
export function foldAdjustment(state: TurnState, adjustment: Adjustment): void {
  state.failure = undefined;
  if (state.reply !== "broken") state.failures--;
  if ("maxOutput" in adjustment) {
    state.room = adjustment.maxOutput;
    state.smaller++;
    return;
  }
  state.adjusted = adjusted(state.adjusted, adjustment);
  state.learnt = { ...state.learnt, [nameOf(state)]: state.adjusted };
}

const adjusted = (before: Adjusted, adjustment: Exclude<Adjustment, { maxOutput: number }>): Adjusted =>
  "without" in adjustment
    ? { ...before, without: [...(before.without ?? []), adjustment.without] }
    : { ...before, ...adjustment };

/** Another model is asked. What was learnt of its server through another one holds for it too. */
export function adjustTo(state: TurnState, next: ModelName): void {
  const { streaming, toolChoice, betas } = next.provider === state.provider ? state.adjusted : ALL;
  const ofServer = {
    ...(streaming === false && { streaming }),
    ...(toolChoice === false && { toolChoice }),
    ...(betas === false && { betas }),
  };
  state.adjusted = state.learnt[nameOf(next)] ?? (Object.keys(ofServer).length === 0 ? ALL : ofServer);
}
