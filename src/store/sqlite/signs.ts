import { existsSync, readFileSync, type Stats } from "node:fs";
import { DamageError } from "./errors.ts";
import { committedFrames, type Log, readLog, readShared, type Shared, takenFrames } from "./recovery/log.ts";

/** Stands beside a store while another one takes its place: whoever finds it there finishes that. */
export const nextOf = (path: string): string => `${path}.next`;

/** How often what looks like damage is looked at again, and after how long: somebody may just be writing. In ms. */
const LOOKS = 3;
const PAUSE_MS = 20;

/** An empty file that was written to long after it was made has been emptied, ms. */
const EMPTIED_MS = 2_000;

/** SQLite forgets silently what stands behind damage in its log. Throws DamageError before it can. */
export function refuseDamage(file: string, isOpenHere: boolean): void {
  if (existsSync(nextOf(file))) throw new DamageError("unfinished");
  // Whoever reads the shared memory and lets go of it takes the locks of its own process away.
  if (isOpenHere) return;
  for (let look = 1; isShort(file); look++) {
    if (look === LOOKS) throw new DamageError("log");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

/** A store is never left empty but by whoever has just made it. */
export const wasEmptied = ({ size, birthtimeMs, mtimeMs }: Stats): boolean =>
  size === 0 && mtimeMs - birthtimeMs > EMPTIED_MS;

/** More was committed than SQLite would find. */
function isShort(file: string): boolean {
  const shared = sharedOf(`${file}-shm`);
  const log = logOf(`${file}-wal`);
  if (log === undefined) return shared !== undefined && shared.frames > shared.brought;
  const agreed = shared?.salts === log.salts ? shared.frames : 0;
  return takenFrames(log) < Math.max(committedFrames(log), agreed);
}

function sharedOf(path: string): Shared | undefined {
  return existsSync(path) ? readShared(readFileSync(path)) : undefined;
}

function logOf(path: string): Log | undefined {
  return existsSync(path) ? readLog(readFileSync(path)) : undefined;
}
