import { MAX_CONTINUATIONS } from "./cut-reply.ts";
import { isOpaqueRefused } from "./refused-opaque.ts";
import type { Rung } from "./rung.ts";

/** Attempts per call and model (hermes.md §1). */
export const MAX_ATTEMPTS = 3;

/** Half of the wait may be added at random (row D4). */
const JITTER = 0.5;

/** Waits what the server asked for, or longer each time; a wait that is too long for this setting is not begun. */
export const waitAndRetry: Rung = (failure, state) => {
  const { baseMs, maxMs, maxWaitMs } = state.setup.retry;
  if (!failure.retryable || failure.shouldCompress || isOpaqueRefused(failure) || state.failures >= MAX_ATTEMPTS)
    return undefined;
  if (state.cut !== undefined && state.cut.times > MAX_CONTINUATIONS) return undefined;
  const asked = failure.retryAfterMs ?? 0;
  if (asked > maxWaitMs) return undefined;
  if (asked > 0) return { do: "wait-and-retry", delayMs: asked, jitterMs: 0 };
  const delayMs = Math.min(baseMs * 2 ** Math.max(0, state.failures - 1), maxMs, maxWaitMs);
  return { do: "wait-and-retry", delayMs, jitterMs: delayMs * JITTER };
};
