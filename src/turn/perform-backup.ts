import type { Circumstances, Failure } from "../protocol/failure.ts";
import type { KeySent, TurnLog, TurnPorts } from "../protocol/ports.ts";
import { unlessAborted } from "./patience.ts";
import type { View } from "./state.ts";

/** What could be asked instead, now that a call has failed; empty where there was never anything else. */
export function lookAround(state: View, { credentials, chain }: TurnPorts): { readonly circumstances?: Circumstances } {
  const sent = keySent(state);
  if (chain === undefined && sent === undefined) return {};
  const keys = sent && credentials?.look(sent);
  return { circumstances: { ...(keys && { keys }), chainLeft: chain?.left(state) ?? 0 } };
}

/** An authority may take its time to renew a key: a stop or a redirect does not wait for it. */
export async function takeKey(
  how: "rotate-key" | "refresh-key",
  state: View,
  { credentials }: TurnPorts,
  log: TurnLog,
): Promise<void> {
  const { provider } = state;
  const { sent, failure } = ofFailure(state);
  const taking = how === "rotate-key" ? credentials?.rotate(sent, failure) : credentials?.refresh(sent);
  const to = await unlessAborted(taking ?? Promise.resolve(undefined), log.requestSignal());
  if (to === "aborted" || state.failure !== failure) return;
  if (to === undefined) {
    const renewing = how === "refresh-key" && { renewing: true as const };
    return log.record({ type: "rotation-failed", provider, key: sent.key, ...renewing });
  }
  return log.record({ type: how === "rotate-key" ? "key-rotated" : "key-refreshed", provider, from: sent.key, to });
}

/** To find a model may take a while, also where a key has to be fetched: a stop or a redirect does not wait for it. */
export async function switchModel(state: View, { chain }: TurnPorts, log: TurnLog): Promise<void> {
  const { failure, provider, model: asked } = state;
  const next = await unlessAborted(chain?.next(state, failure) ?? Promise.resolve(undefined), log.requestSignal());
  const isOn = state.failure === failure && state.provider === provider && state.model === asked;
  if (next === "aborted" || !isOn) return;
  if (next === undefined) return log.record({ type: "chain-spent" });
  return log.record({ type: "model-switched", ...next, because: failure?.reason ?? "empty_reply" });
}

function ofFailure(state: View): { readonly sent: KeySent; readonly failure: Failure } {
  const { failure } = state;
  const sent = keySent(state);
  if (failure === undefined || sent === undefined) throw new Error("nothing failed that another key could help");
  return { sent, failure };
}

const keySent = ({ provider, model, key }: View): KeySent | undefined =>
  key === undefined ? undefined : { provider, model, key };
