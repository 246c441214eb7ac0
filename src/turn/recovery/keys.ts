import type { Failure } from "../../protocol/failure.ts";
import type { View } from "../state.ts";
import type { Rung } from "./rung.ts";

/**
 * A key that its server refuses is given up for another one of the pool, as often in an iteration as there are keys: the
 * last one too, so that everybody knows of it. A rate limit may be a moment's: while another key is there, the first one
 * is tried again on the same key (hermes.md §11.4, row D6).
 */
export const rotateKey: Rung = (failure, state) => {
  const keys = state.circumstances?.keys;
  if (keys === undefined || keys.size < 2 || state.keysSpent || !failure.shouldRotateCredential) return undefined;
  if (state.rotations >= keys.size) return undefined;
  if (failure.reason === "rate_limit" && keys.usable > 0 && keys.spent !== true && mayPass(failure, state))
    return undefined;
  return { do: "rotate-key" };
};

/** The plain retry is one of the waits below; where that may not be begun, there is nothing to wait for. */
function mayPass({ keyState, retryAfterMs = 0 }: Failure, { limited, setup }: View): boolean {
  return keyState === undefined && !limited && retryAfterMs <= setup.retry.maxWaitMs;
}

/** How many keys there were, where the newest failure has left none of several. */
export function spentKeys({ circumstances, keysSpent }: View): number | undefined {
  const keys = circumstances?.keys;
  return keys !== undefined && keys.size > 1 && (keysSpent || keys.usable === 0) ? keys.size : undefined;
}
