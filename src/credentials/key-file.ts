import { chmodSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inKeyOrder, isObject, type JsonObject, objectInText } from "../protocol/json.ts";
import { KEY_FILE, KeyFileError } from "../protocol/keys.ts";
import { whyNotPrivate } from "../protocol/private-file.ts";
import { settled } from "./cool-down.ts";
import { type Keys, readEntry, toKeep } from "./entry.ts";
import { locked } from "./lock.ts";

/** Where the keys of one provider are kept. */
export interface KeyShelf {
  /** As they are now; cheap where nothing has changed. Without the secrets that are borrowed. */
  read(): Keys;
  /** Changes them as they are now, and not as they were seen last: nobody can come between. Never rejects. */
  change(change: (keys: Keys) => Keys): Promise<Keys>;
  /** Does the work while nobody else does, here or in another process. Rejects where that cannot be. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** How long a renewal may hold up others that want the same, ms. */
const RENEWAL_MS = 60_000;

/** What is learnt of keys ends with this process. */
export function memoryShelf(): KeyShelf {
  let keys: Keys = [];
  let queue: Promise<unknown> = Promise.resolve();
  return {
    read: () => keys,
    change: (change) => Promise.resolve((keys = change(keys))),
    alone: (_name, work) => {
      const mine = queue.then(work);
      queue = mine.catch(() => undefined);
      return mine;
    },
  };
}

/**
 * `credentials.json` in a folder: the keys that were typed in, and what is known of all. Its owner's alone, written
 * whole and renamed into place, under a lock. Throws KeyFileError where it cannot be used.
 */
export class KeyFile {
  readonly path: string;
  readonly #folder: string;
  readonly #now: () => number;
  #stamp = "";
  #text = "";
  #providers: ReadonlyMap<string, Keys> = new Map();

  constructor(folder: string, now: () => number) {
    this.#folder = folder;
    this.#now = now;
    this.path = join(folder, KEY_FILE);
  }

  /** The keys of each provider. */
  read(): ReadonlyMap<string, Keys> {
    const found = statSync(this.path, { throwIfNoEntry: false });
    const stamp = found === undefined ? "" : `${found.ino} ${found.mtimeMs} ${found.size}`;
    if (stamp === this.#stamp) return this.#providers;
    if (found?.isFile() === false)
      throw new KeyFileError(`${this.path} is no file.`, { do: "put-aside", path: this.path });
    const why = found && whyNotPrivate(this.path, found, process);
    if (why !== undefined)
      throw new KeyFileError(why.message, { do: why.type === "open" ? "close" : "put-aside", path: this.path });
    this.#text = found === undefined ? "" : readFileSync(this.path, "utf8");
    this.#providers = this.#text === "" ? new Map() : parse(this.#text, this.path);
    this.#stamp = stamp;
    return this.#providers;
  }

  async change(provider: string, change: (keys: Keys) => Keys): Promise<Keys> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    return locked(join(this.#folder, "credentials.lock"), () => {
      this.#stamp = "anew";
      const before = this.read();
      const keys = change(before.get(provider) ?? []);
      this.#write(new Map(before).set(provider, keys));
      return keys;
    });
  }

  /** The shelf of one provider. A disk that fails takes nothing from this process: it goes on with what it knows. */
  shelf(provider: string): KeyShelf {
    let own: Keys | undefined;
    const read = (): Keys => {
      try {
        return own ?? this.read().get(provider) ?? [];
      } catch {
        return [];
      }
    };
    return {
      read,
      change: async (change) => {
        try {
          const before = own;
          const changed = await this.change(provider, (keys) => change(before ?? keys));
          own = undefined;
          return changed;
        } catch {
          own = change(read());
          return own;
        }
      },
      alone: async (name, work) => {
        mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
        return locked(join(this.#folder, `credentials-${name}.lock`), work, RENEWAL_MS);
      },
    };
  }

  #write(providers: ReadonlyMap<string, Keys>): void {
    const nowMs = this.#now();
    const kept = [...providers].flatMap(([provider, keys]) => {
      const entries = toKeep(settled(keys, nowMs));
      return entries.length === 0 ? [] : [[provider, entries] as const];
    });
    const file = inKeyOrder({ version: 1, providers: Object.fromEntries(kept) });
    const text = `${JSON.stringify(file, undefined, 2)}\n`;
    if (text === this.#text) return;
    const path = realPath(this.path);
    const draft = `${path}.${process.pid}`;
    try {
      writeFileSync(draft, text, { mode: 0o600, flush: true });
      chmodSync(draft, 0o600);
      renameSync(draft, path);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  }
}

/** Whoever keeps the file elsewhere, behind a link, finds it there. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function parse(text: string, path: string): ReadonlyMap<string, Keys> {
  const providers = Object.entries(providersIn(text, path));
  return new Map(
    providers.map(([provider, entries]) => {
      const keys = (Array.isArray(entries) ? entries : []).map((entry) => readEntry(entry));
      return [provider, keys.filter((entry) => entry !== undefined)];
    }),
  );
}

function providersIn(text: string, path: string): JsonObject {
  const providers = objectInText(text)?.["providers"];
  if (isObject(providers)) return providers;
  throw new KeyFileError(`${path} is no JSON object of keys by provider.`, { do: "put-aside", path });
}
