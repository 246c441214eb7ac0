import type { BackupFact, ModelSwitched } from "../protocol/fact.ts";
import { adjustTo, askOtherwise } from "./adjust.ts";
import { startAfresh } from "./fold-reply.ts";
import { windowOf } from "./gauge.ts";
import { NOT_ALIKE, type TurnState } from "./state.ts";

/** Whom else to ask. */
export function foldBackup(state: TurnState, fact: BackupFact): void {
  switch (fact.type) {
    case "model-switched":
      return switchModel(state, fact);
    case "key-rotated":
      state.rotations++;
      return sendAnother(state, fact.to);
    case "key-refreshed":
      state.refreshes = { ...state.refreshes, [fact.to]: (state.refreshes[fact.from] ?? 0) + 1 };
      return sendAnother(state, fact.to);
    case "rotation-failed":
      if (fact.renewing === true) state.notRenewed = true;
      else state.keysSpent = true;
      return;
    case "chain-spent":
      state.chainSpent = true;
      return;
  }
}

function sendAnother(state: TurnState, key: string): void {
  state.key = key;
  askOtherwise(state);
}

/**
 * What was learnt of one server and what it failed at say nothing about another (design §3, scopes): whoever takes over,
 * or is chosen by a person, has all tries before it.
 */
function switchModel(state: TurnState, { provider, model, price, because, ...size }: ModelSwitched): void {
  if (because === undefined) state.tried = [];
  else leave(state, because);
  adjustTo(state, { provider, model });
  state.provider = provider;
  state.model = model;
  state.price = price;
  state.contextWindow = windowOf(state.gauge, { provider, model, contextWindow: size.contextWindow });
  state.overhead = size.overhead;
  state.key = undefined;
  state.failure = undefined;
  state.compactions = 0;
  state.smaller = 0;
  state.rotations = 0;
  state.limited = false;
  state.room = undefined;
  state.failures = 0;
  state.alike = NOT_ALIKE;
  state.retryUntilMs = undefined;
}

/** A request that goes on costs its iteration nothing (row B3). */
function leave(state: TurnState, because: NonNullable<ModelSwitched["because"]>): void {
  const { provider, model, tried } = state;
  state.tried = [...tried, { provider, model }];
  if (because === "content_policy_blocked" && state.iterationOpen) state.refunded++;
  if (because === "empty_reply") startAfresh(state);
}
