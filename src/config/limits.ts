import { RETRY_MODES, type RetryMode } from "../protocol/fact.ts";
import type { Caps } from "../protocol/money.ts";
import { LONGEST_MS } from "./duration.ts";

/** US dollars. */
interface CostLimits {
  readonly maxCost?: number;
  readonly maxSessionCost?: number;
  readonly maxDayCost?: number;
}

/** Throws a RangeError, as all of these. */
export const capsOf = ({ maxCost, maxSessionCost, maxDayCost }: CostLimits): Caps => ({
  ...(maxCost !== undefined && { turn: costLimit("maxCost", maxCost) }),
  ...(maxSessionCost !== undefined && { session: costLimit("maxSessionCost", maxSessionCost) }),
  ...(maxDayCost !== undefined && { day: costLimit("maxDayCost", maxDayCost) }),
});

export function costLimit<T extends number | undefined>(name: string, usd: T): T {
  if (usd === undefined || (Number.isFinite(usd) && usd > 0)) return usd;
  throw new RangeError(`${name} must be a number of US dollars above zero; it is ${usd}.`);
}

export function timeLimit(name: string, ms: number | undefined): number | undefined {
  if (ms === undefined || (Number.isInteger(ms) && ms > 0 && ms <= LONGEST_MS)) return ms;
  throw new RangeError(`${name} must be a whole number of milliseconds from 1 to ${LONGEST_MS}; it is ${ms}.`);
}

export function countLimit(name: string, count: number): number {
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new RangeError(`${name} must be a whole number above zero; it is ${count}.`);
}

/** In ms; see `approvalMinutes` of an agent. */
export function approvalTime(minutes: number): number {
  if (Number.isInteger(minutes) && minutes >= 1 && minutes <= MOST_MINUTES) return minutes * 60_000;
  throw new RangeError(`approvalMinutes must be a whole number from 1 to ${MOST_MINUTES}; it is ${minutes}.`);
}

/** Security §3.2. */
export const MOST_MINUTES = 60;

export function outputLimit(limit: number): number {
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new RangeError(`maxOutput must be a whole number of tokens above zero; it is ${limit}.`);
}

export function retryMode(name: string, mode: RetryMode | undefined): RetryMode | undefined {
  if (mode === undefined || RETRY_MODES.includes(mode)) return mode;
  throw new RangeError(`${name} must be ${RETRY_MODES.join(" or ")}; it is ${String(mode)}.`);
}
