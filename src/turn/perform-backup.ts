import type { Circumstances, Failure } from "../protocol/failure.ts";
import type { KeySent, TurnLog, TurnPorts } from "../protocol/ports.ts";
import type { View } from "./state.ts";

/** What could be asked instead, now that a call has failed; empty where there was never anything else. */
export async function lookAround(
  state: View,
  { credentials, chain }: TurnPorts,
): Promise<{ readonly circumstances?: Circumstances }> {
  if (credentials === undefined && chain === undefined) return {};
  const sent = keySent(state);
  const keys = sent && (await credentials?.look(sent));
  return { circumstances: { ...(keys && { keys }), chainLeft: (await chain?.left(state)) ?? 0 } };
}

export async function takeKey(
  how: "rotate-key" | "refresh-key",
  state: View,
  { credentials }: TurnPorts,
  log: TurnLog,
): Promise<void> {
  const { provider } = state;
  const { sent, failure } = ofFailure(state);
  const to = await (how === "rotate-key" ? credentials?.rotate(sent, failure) : credentials?.refresh(sent, failure));
  if (to === undefined) return log.record({ type: "rotation-failed", provider, key: sent.key });
  return log.record({ type: how === "rotate-key" ? "key-rotated" : "key-refreshed", provider, from: sent.key, to });
}

export async function switchModel(state: View, { chain }: TurnPorts, log: TurnLog): Promise<void> {
  const { failure } = ofFailure(state);
  const next = await chain?.next(state, failure);
  if (next === undefined) return log.record({ type: "chain-spent" });
  const { provider, model, price } = next;
  return log.record({ type: "model-switched", provider, model, ...(price && { price }), because: failure.reason });
}

function ofFailure(state: View): { readonly sent: KeySent; readonly failure: Failure } {
  if (state.failure === undefined) throw new Error("nothing failed that another key or model could help");
  return { sent: keySent(state) ?? { ...named(state), key: "" }, failure: state.failure };
}

const named = ({ provider, model }: View): Omit<KeySent, "key"> => ({ provider, model });

const keySent = (state: View): KeySent | undefined =>
  state.key === undefined ? undefined : { ...named(state), key: state.key };
