import { setTimeout } from "node:timers/promises";

/** ms */
const PATIENCE_MS = 10_000;
/** Between two looks, ms; up to as much again at random, so that processes do not look together. */
const PAUSE_MS = 2;

/** Who waits in this process, by path: they go in one after the other. */
const queues = new Map<string, Promise<unknown>>();

/**
 * Does the work while nobody else, in this process or another, holds the lock of this path. It is the lock of an empty
 * database: the system lets go of it when its process dies, so none is ever left over. Throws when it cannot be had.
 */
export async function locked<T>(
  path: string,
  work: () => T | Promise<T>,
  patienceMs: number = PATIENCE_MS,
): Promise<T> {
  const before = queues.get(path);
  const done = await queued(path, async () => {
    await before?.catch(() => undefined);
    return alone(path, work, patienceMs);
  });
  if (done === undefined) throw new Error(`${path} is held by another process.`);
  return done.value;
}

/** The same, unless somebody holds the lock: then undefined, at once. */
export const unlessLocked = <T>(path: string, work: () => T | Promise<T>): Promise<{ readonly value: T } | undefined> =>
  queues.has(path) ? Promise.resolve(undefined) : queued(path, () => alone(path, work, 0));

/** Who comes later in this process waits behind it. */
async function queued<T>(path: string, begin: () => Promise<T>): Promise<T> {
  const mine = begin();
  queues.set(path, mine);
  try {
    return await mine;
  } finally {
    if (queues.get(path) === mine) queues.delete(path);
  }
}

/** Undefined: nobody has let go of the lock in time. */
async function alone<T>(
  path: string,
  work: () => T | Promise<T>,
  patienceMs: number,
): Promise<{ readonly value: T } | undefined> {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    const deadline = performance.now() + patienceMs;
    while (!began(database)) {
      if (performance.now() >= deadline) return undefined;
      await setTimeout(PAUSE_MS + Math.random() * PAUSE_MS);
    }
    return { value: await work() };
  } finally {
    database.close();
  }
}

const SQLITE_BUSY = 5;

function began(database: { exec(sql: string): void }): boolean {
  try {
    database.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false;
    throw error;
  }
}
