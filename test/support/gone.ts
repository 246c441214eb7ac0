import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** Gone, or only waiting for somebody to notice. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}

/** What was sent a signal goes when the machine comes to it; false when it has not within 10 s. */
export async function goesSoon(pid: number): Promise<boolean> {
  for (let looks = 0; looks < 1_000 && !isGone(pid); looks++) await setTimeout(10);
  return isGone(pid);
}
