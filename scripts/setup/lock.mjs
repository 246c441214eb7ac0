import { renameSync, writeFileSync } from "node:fs";
import { mkdir, readFile, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 100;
const HEARTBEAT_MS = 5000;
/** Longer than any pause of a live owner, heartbeats come twelve times as often. */
const SILENT_FOR_MS = 60_000;
/** Between `mkdir` of a lock and the write of its owner lie microseconds. */
const NAMELESS_FOR_MS = 5000;

/**
 * @typedef {{ host: string, pids: number[] }} Owner every process that works under the lock
 * @typedef {{ addWorker(pid: number): void, release(): Promise<void> }} Lock
 */

/**
 * Whether a lock was left behind: its processes are gone, or it has been silent too long to be alive.
 * @param {Owner | undefined} owner undefined while the owner has not written its name
 * @param {number} silentMs since the last heartbeat
 * @param {{ host: string, isAlive: (pid: number) => boolean }} machine
 * @returns {boolean}
 */
export function isAbandoned(owner, silentMs, machine) {
  if (owner === undefined) return silentMs > NAMELESS_FOR_MS;
  if (owner.host === machine.host && !owner.pids.some(machine.isAlive)) return true;
  return silentMs > SILENT_FOR_MS;
}

/**
 * Takes the lock directory, waiting for a live owner and clearing away a dead one.
 * @param {string} path of the lock directory
 * @param {(owner: Owner | undefined) => void} [onWait] called once if another process holds it
 * @returns {Promise<Lock>}
 */
export async function takeLock(path, onWait) {
  await mkdir(dirname(path), { recursive: true });
  let waited = false;
  while (!(await tryMkdir(path))) {
    if (await looksAbandoned(path)) {
      await breakLock(path);
      continue;
    }
    if (!waited) onWait?.(await readOwner(path));
    waited = true;
    await sleep(POLL_MS);
  }
  return hold(path);
}

/**
 * @param {string} path
 * @returns {Lock}
 */
function hold(path) {
  const ownerFile = join(path, "owner.json");
  /** @type {Owner} */
  const owner = { host: hostname(), pids: [process.pid] };
  const sign = () => {
    const draft = join(path, `owner.${process.pid}`);
    writeFileSync(draft, JSON.stringify(owner));
    renameSync(draft, ownerFile);
  };
  sign();
  const heartbeat = setInterval(() => {
    const now = new Date();
    // A missed beat is harmless: the next one follows long before anybody may break the lock.
    utimes(ownerFile, now, now).catch(() => undefined);
  }, HEARTBEAT_MS);
  heartbeat.unref();
  return {
    addWorker: (pid) => {
      owner.pids.push(pid);
      sign();
    },
    release: () => {
      clearInterval(heartbeat);
      return rm(path, { recursive: true, force: true });
    },
  };
}

/**
 * Removes an abandoned lock. A second lock keeps two waiters from breaking it at once: the slower one
 * would otherwise remove the lock that the faster one has just taken.
 * @param {string} path
 */
async function breakLock(path) {
  const breaker = `${path}.break`;
  if (!(await tryMkdir(breaker))) {
    if ((await silentFor(breaker)) > NAMELESS_FOR_MS) await rm(breaker, { recursive: true, force: true });
    await sleep(POLL_MS);
    return;
  }
  try {
    if (await looksAbandoned(path)) await rm(path, { recursive: true, force: true });
  } finally {
    await rm(breaker, { recursive: true, force: true });
  }
}

/** @param {string} path */
async function looksAbandoned(path) {
  const owner = await readOwner(path);
  const silentMs = await silentFor(owner === undefined ? path : join(path, "owner.json"));
  return isAbandoned(owner, silentMs, { host: hostname(), isAlive });
}

/**
 * @param {string} path
 * @returns {Promise<Owner | undefined>}
 */
async function readOwner(path) {
  try {
    return JSON.parse(await readFile(join(path, "owner.json"), "utf8"));
  } catch {
    return undefined;
  }
}

/**
 * @param {string} path
 * @returns {Promise<number>} ms since its last change, 0 when it is gone
 */
async function silentFor(path) {
  try {
    return Date.now() - (await stat(path)).mtimeMs;
  } catch {
    return 0;
  }
}

/** @param {string} path */
async function tryMkdir(path) {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EEXIST") return false;
    throw error;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}
