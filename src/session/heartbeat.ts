import type { Clock } from "../protocol/ports.ts";

/** Well below the 30 s of row B16, so that a monitor that looks at any instant has seen life in time. */
const BEAT_MS = 10_000;

/** Calls `tell` again and again until the signal aborts; then it resolves. */
export async function beat(clock: Clock, tell: () => void, over: AbortSignal): Promise<void> {
  for (;;) {
    await clock.sleep(BEAT_MS, over, "aside");
    if (over.aborted) return;
    tell();
  }
}
