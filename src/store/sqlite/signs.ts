import { constants, copyFileSync, existsSync, readFileSync, type Stats, statSync } from "node:fs";
import { uptime } from "node:os";
import type { Sentence } from "../../protocol/sentence.ts";
import { DamageError } from "./errors.ts";
import { committedFrames, type Log, readLog, readShared, type Shared, takenFrames } from "./recovery/log.ts";

/** Stands beside a store while another one takes its place: whoever finds it there finishes that. */
export const nextOf = (path: string): string => `${path}.next`;

/** How often what looks like damage is looked at again, and after how long: somebody may just be writing. In ms. */
const LOOKS = 3;
const PAUSE_MS = 20;

/** An empty file that was written to long after it was made has been emptied, ms. */
const EMPTIED_MS = 2_000;

/**
 * SQLite forgets silently what stands behind damage in its log. Throws DamageError before it can. A log that was written
 * before the machine was started may have lost what nobody had promised to be on disk: it is kept as it was found, and
 * what is to be told of it is returned.
 */
export function refuseDamage(file: string, isOpenHere: boolean): Sentence | undefined {
  if (existsSync(nextOf(file))) throw new DamageError("unfinished");
  // Whoever reads the shared memory and lets go of it takes the locks of its own process away.
  if (isOpenHere) return undefined;
  for (let look = 1; isShort(file); look++) {
    const cut = keptCut(`${file}-wal`);
    if (cut !== undefined) return cut;
    if (look === LOOKS) throw new DamageError("log");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
  return undefined;
}

/** Undefined: no machine has stopped since it was written. */
function keptCut(log: string): Sentence | undefined {
  const written = statSync(log, { throwIfNoEntry: false })?.mtimeMs;
  if (written === undefined || written >= Date.now() - uptime() * 1_000) return undefined;
  const copy = `${log}.cut-${Math.floor(written)}`;
  if (!existsSync(copy)) copyFileSync(log, copy, constants.COPYFILE_EXCL);
  return {
    en: `The machine stopped while Evander was saving: the newest steps that were not on disk yet may be gone, messages that were accepted are there. What was found is kept in ${copy}; see what is unfinished: evander ps`,
    zh: `Evander 正在保存时机器停止了：尚未写到磁盘的最新步骤可能已丢失，已接受的消息都在。当时的内容保存在 ${copy}；查看未完成的回合：evander ps`,
  };
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
  const bytes = bytesOf(path);
  return bytes && readShared(bytes);
}

function logOf(path: string): Log | undefined {
  const bytes = bytesOf(path);
  return bytes && readLog(bytes);
}

/** Undefined: there is none. Another process may close the store meanwhile, and take it away. */
function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
