import type { Failure, FailureReason } from "../../protocol/failure.ts";
import type { View } from "../state.ts";
import { MAX_CONTINUATIONS } from "./cut-reply.ts";
import type { Rung } from "./rung.ts";

/** What is too large for one model ends the turn with a clear error, not with the next model (row D14). */
const TOO_LARGE: ReadonlySet<FailureReason> = new Set(["context_overflow", "payload_too_large", "long_context_tier"]);

/** From this failure of one call on, a silent or crowded server is left for another (row D11). */
const PATIENT = 2;

/** Another model is asked before this one is waited for, where waiting helps least (row D11, hermes.md §9.2). */
export const switchAtOnce: Rung = (failure, state) =>
  isUrgent(failure, state) && mayHelp(failure, state) ? { do: "switch-model" } : undefined;

/** Nothing else has helped. Also where nobody seems to be left: that the chain is spent is to be known (row D9). */
export const switchAtLast: Rung = (failure, state) =>
  switchFromSilence(state) && isOfModel(failure, state) ? { do: "switch-model" } : undefined;

function isUrgent({ reason, retryable, noReply }: Failure, state: View): boolean {
  switch (reason) {
    case "rate_limit":
    case "billing":
      return state.keysSpent || (state.circumstances?.keys?.usable ?? 0) === 0;
    case "timeout":
    case "overloaded":
      return state.failures >= PATIENT;
    default:
      return noReply === true || !retryable;
  }
}

/** There is somebody to ask, who was not asked in this turn. */
const mayHelp = (failure: Failure, state: View): boolean =>
  !state.chainSpent && (state.circumstances?.chainLeft ?? 0) > 0 && isOfModel(failure, state);

/** What failed is not the request itself, nor what its sender forbids. */
function isOfModel({ reason, retryable, shouldFallback, noReply }: Failure, { cut }: View): boolean {
  if (TOO_LARGE.has(reason) || !(retryable || shouldFallback || noReply === true)) return false;
  return reason === "content_policy_blocked" || cut === undefined || cut.times <= MAX_CONTINUATIONS;
}

/** Nobody was looked for when an empty reply came; it has tried the rungs before (row C9). */
export const switchFromSilence = ({ setup, chainSpent }: View): boolean =>
  (setup.fallbacks ?? 0) > 0 && setup.runtime === undefined && !chainSpent;
