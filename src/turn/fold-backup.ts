import type { BackupFact, ModelSwitched } from "../protocol/fact.ts";
import type { TurnState } from "./state.ts";

/** Whom else to ask. Another key answers a failure without being a try of the ladder (hermes.md §9.2, step 5). */
export function foldBackup(state: TurnState, fact: BackupFact): void {
  switch (fact.type) {
    case "model-switched":
      return switchModel(state, fact);
    case "key-rotated":
    case "key-refreshed":
      state.failure = undefined;
      if (state.reply !== "broken") state.failures--;
      return;
    case "rotation-failed":
      state.keysSpent = true;
      return;
    case "chain-spent":
      state.chainSpent = true;
      return;
  }
}

/** What was learnt of one server and what it failed at say nothing about another (design §3, scopes). */
function switchModel(state: TurnState, { provider, model, price, because }: ModelSwitched): void {
  if (provider !== state.provider) {
    state.streaming = true;
    state.toolChoice = true;
  }
  state.pictures = true;
  state.provider = provider;
  state.model = model;
  state.price = price;
  state.key = undefined;
  state.room = undefined;
  if (because !== undefined) state.failure = undefined;
  state.failures = 0;
}
