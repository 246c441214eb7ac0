import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Store, StoreError } from "../../protocol/store.ts";
import { storeError, UNWRITTEN } from "./errors.ts";
import { openSqliteStore, PATIENCE_MS, type SqliteStoreOptions, storeOn } from "./store.ts";
import { openToRead } from "./to-read.ts";

export interface Waits {
  /** Milliseconds that only go on. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

const REAL: Waits = { now: () => performance.now(), sleep: (ms) => pause(ms) };
/** Between two tries, ms. */
const RETRY_MS = 25;

/**
 * As `openSqliteStore`, and a lock of another process is waited for beside the event loop. Where the store is there and
 * nothing can be written, it is opened to be read: what wants to write then tries to open it properly, and rejects with
 * StoreError, `full` or `read_only`, as long as that fails.
 */
export async function openWhenFree(options: SqliteStoreOptions, waits: Waits = REAL): Promise<Store> {
  const { patienceMs = PATIENCE_MS } = options;
  const fromMs = waits.now();
  for (;;) {
    try {
      return openOrRead(options);
    } catch (error) {
      const isLocked = error instanceof StoreError && error.fault === "locked";
      if (!isLocked || waits.now() - fromMs >= patienceMs) throw error;
    }
    await waits.sleep(RETRY_MS);
  }
}

function openOrRead(options: SqliteStoreOptions): Store {
  const open = (): Store => openSqliteStore({ ...options, openingMs: 0 });
  try {
    return open();
  } catch (error) {
    const path = resolve(options.path);
    const refusal = storeError(error, path);
    const database = UNWRITTEN.has(refusal.fault) ? openToRead(path, refusal) : undefined;
    if (database === undefined) throw refusal;
    return untilWritten(storeOn(database, options), open);
  }
}

const WRITING: ReadonlySet<string> = new Set<keyof Store>([
  "open",
  "openChild",
  "fork",
  "rename",
  "entitle",
  "pin",
  "remove",
  "restore",
]);

type Method = (...given: unknown[]) => unknown;

/** A store that is read, until something is to be written and it can be opened properly. */
function untilWritten(reading: Store, open: () => Store): Store {
  let current = reading;
  const opened = (): Store => {
    if (current !== reading) return current;
    try {
      current = open();
      reading.close();
    } catch {
      // It is told by what is asked of the store that is read.
    }
    return current;
  };
  const method =
    (name: string): Method =>
    (...given) => {
      const store = WRITING.has(name) ? opened() : current;
      return (Reflect.get(store, name) as Method)(...given);
    };
  return Object.fromEntries(Object.keys(reading).map((name) => [name, method(name)])) as unknown as Store;
}
