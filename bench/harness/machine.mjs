import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * A monotonic clock that all processes of the machine share, in ms.
 * @returns {number}
 */
export const now = () => Number(process.hrtime.bigint()) / 1e6;

/**
 * CPU seconds all programs of the machine have used since it started.
 * @returns {number}
 */
export function busySeconds() {
  const used = os.cpus().map(({ times }) => times.user + times.nice + times.sys + times.irq);
  return used.reduce((sum, ms) => sum + ms, 0) / 1000;
}

/** Others may use this many cores before a measurement starts. */
const CALM_CORES = 0.3;

/**
 * Waits until the machine is calm, but not for ever.
 * @param {number} longestMs
 */
export async function waitForCalm(longestMs) {
  const end = now() + longestMs;
  while (now() < end) {
    const [busy, since] = [busySeconds(), now()];
    await sleep(200);
    if ((busySeconds() - busy) / ((now() - since) / 1000) < CALM_CORES) return;
  }
}
