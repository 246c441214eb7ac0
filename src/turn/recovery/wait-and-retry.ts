import type { Failure, Overload } from "../../protocol/failure.ts";
import type { RetryPolicy, View } from "../state.ts";
import { MAX_CONTINUATIONS } from "./cut-reply.ts";
import { isOpaqueRefused } from "./refused-opaque.ts";
import type { Rung } from "./rung.ts";

/** Attempts per call and model (hermes.md §1). */
export const MAX_ATTEMPTS = 3;

/** Half of the wait may be added at random (row D4). */
const JITTER = 0.5;

/** A server that asks for more is asked again after so long, ms (hermes.md §9.2, step 23). */
const MOST_ASKED_MS = 600_000;

/** The waits for an overload that is known to last, behind as many usual ones as there are attempts, ms (row D5). */
const LONG_WAITS: Readonly<Record<Overload, readonly number[]>> = {
  zai: [30_000, 60_000, 90_000, 120_000],
  anthropic: [15_000, 30_000, 60_000, 120_000],
};
const LONG_JITTER = 0.2;

/** So that the last of them is reached (hermes.md §9.4). */
export const MAX_OVERLOADED: number = MAX_ATTEMPTS + LONG_WAITS.zai.length + 1;

/** With patience for all that passes: how often the same words may come in a row, and how long each wait may be (row D15). */
export const MAX_ALIKE = 10;
/** Patience ends as well, whatever comes in turn: a day of the longest waits, in attempts of one call and model. */
export const MAX_PATIENT = 1_440;
const MOST_PATIENT_MS = 60_000;

interface Wait {
  readonly delayMs: number;
  /** Up to this much is added at random, so that processes do not come back together. */
  readonly jitterMs: number;
}

/** Waits what the server asked for, or longer each time; a wait that may be too long for this setting is not begun. */
export const waitAndRetry: Rung = (failure, state) => {
  const wait = dueWait(failure, state);
  return wait === undefined || isTooLong(wait, state) ? undefined : { do: "wait-and-retry", ...wait };
};

/** The wait that was too long to be begun, ms: when it makes sense to ask again (row D4). */
export function withheldWait(failure: Failure, state: View): number | undefined {
  const wait = dueWait(failure, state);
  return wait !== undefined && isTooLong(wait, state) ? (failure.retryAfterMs ?? wait.delayMs) : undefined;
}

const isTooLong = ({ delayMs, jitterMs }: Wait, state: View): boolean => delayMs + jitterMs > longest(policyOf(state));

const policyOf = ({ setup, asked }: View): RetryPolicy => ({ ...setup.retry, mode: asked.retry ?? setup.retry.mode });

const longest = ({ mode, maxWaitMs }: RetryPolicy): number => (mode === "persistent" ? MOST_PATIENT_MS : maxWaitMs);

function dueWait(failure: Failure, state: View): Wait | undefined {
  if (!failure.retryable || failure.shouldCompress || isOpaqueRefused(failure)) return undefined;
  if (state.cut !== undefined && state.cut.times > MAX_CONTINUATIONS) return undefined;
  const policy = policyOf(state);
  return policy.mode === "persistent" ? patientWait(failure, state, policy) : usualWait(failure, state, policy);
}

function usualWait({ overload, retryAfterMs }: Failure, { failures }: View, policy: RetryPolicy): Wait | undefined {
  if (failures >= (overload === undefined ? MAX_ATTEMPTS : MAX_OVERLOADED)) return undefined;
  const asked = askedWait(retryAfterMs, MOST_ASKED_MS);
  const long = overload && longWait(overload, failures);
  if (long !== undefined) return { ...long, delayMs: Math.max(long.delayMs, asked?.delayMs ?? 0) };
  return asked ?? backOff(policy, failures, Math.min(policy.maxMs, policy.maxWaitMs / (1 + JITTER)));
}

function patientWait({ retryAfterMs }: Failure, { alike, failures }: View, policy: RetryPolicy): Wait | undefined {
  if (alike.times >= MAX_ALIKE || failures >= MAX_PATIENT) return undefined;
  const most = Math.min(policy.maxMs, MOST_PATIENT_MS / (1 + JITTER));
  return askedWait(retryAfterMs, MOST_PATIENT_MS) ?? backOff(policy, failures, most);
}

const askedWait = (ms: number | undefined, most: number): Wait | undefined =>
  ms === undefined || ms <= 0 ? undefined : { delayMs: Math.min(ms, most), jitterMs: 0 };

/** Undefined: short ones come first (hermes.md §9.4). */
export function longWait(overload: Overload, failures: number): Wait | undefined {
  if (failures <= MAX_ATTEMPTS) return undefined;
  const waits = LONG_WAITS[overload];
  const delayMs = waits[Math.min(failures - MAX_ATTEMPTS, waits.length) - 1] ?? 0;
  return { delayMs, jitterMs: delayMs * LONG_JITTER };
}

/** hermes.md §9.3: twice as long each time, and half of that at random. */
export function backOff({ baseMs }: Pick<RetryPolicy, "baseMs">, failures: number, most: number): Wait {
  const delayMs = Math.min(baseMs * 2 ** Math.max(0, failures - 1), most);
  return { delayMs, jitterMs: delayMs * JITTER };
}
