import { createHash, randomUUID } from "node:crypto";
import { chmod, mkdir, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LONGEST_FILE, type ResultFiles } from "../../protocol/result-file.ts";

export interface ResultFolder extends Pick<ResultFiles, "limit" | "preview" | "batch"> {
  /** Holds one folder for each session. */
  readonly folder: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** nanobot.md §9.4. */
const OLDEST_MS = 7 * 24 * 3_600_000;
const MOST_SESSIONS = 32;
/** Of one session; one is seldom larger than 100 KB, and never than `LONGEST_FILE`. */
const MOST_FILES = 200;

/** Results in files that only their owner can read, one folder for each session (row E8). */
export function resultFiles({ folder, now = Date.now, ...sizes }: ResultFolder): ResultFiles {
  return {
    ...sizes,
    async keep(text, { sessionId, callId }) {
      const own = safeName(sessionId);
      try {
        const path = await write(text, join(folder, own), safeName(callId));
        await tidy(folder, own, now());
        return path;
      } catch {
        return undefined;
      }
    },
  };
}

/** What a session has kept, once it is gone itself. Never rejects. */
export async function removeResults(folder: string, sessionId: string): Promise<void> {
  await rm(join(folder, safeName(sessionId)), { recursive: true, force: true }).catch(() => undefined);
}

/** Whole or not at all. Providers give the same id to calls of other turns: the text has its part in the name. */
async function write(text: string, folder: string, call: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const path = join(folder, `${call}-${digest(text)}.txt`);
  const draft = join(folder, `.${randomUUID()}`);
  try {
    await writeFile(draft, keptBytes(text), { mode: 0o600, flag: "wx" });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return path;
}

/** Never half a character at its end. */
function keptBytes(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length <= LONGEST_FILE) return bytes;
  let end = LONGEST_FILE;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}

/**
 * Folders of sessions that kept nothing for long go, and the oldest ones where there are too many; so do the oldest files of
 * this one. Never rejects.
 */
async function tidy(folder: string, own: string, now: number): Promise<void> {
  try {
    await removeOldest(join(folder, own), MOST_FILES, await readdir(join(folder, own)));
    // A folder of a session is as old as what it kept last, also where that was written anew.
    await utimes(join(folder, own), now / 1_000, now / 1_000);
    const names = (await readdir(folder, { withFileTypes: true })).flatMap((entry) =>
      entry.isDirectory() && entry.name !== own ? [entry.name] : [],
    );
    await removeOldest(folder, MOST_SESSIONS - 1, names, now - OLDEST_MS);
  } catch {
    // Another process tidies as well: what it took is gone.
  }
}

/** All but the newest `most`, and what is older than `sinceMs`. */
async function removeOldest(folder: string, most: number, names: readonly string[], sinceMs?: number): Promise<void> {
  if (names.length <= most && sinceMs === undefined) return;
  const aged = await Promise.all(names.map(async (name) => ({ name, ms: (await stat(join(folder, name))).mtimeMs })));
  const newestFirst = aged.toSorted((one, other) => other.ms - one.ms);
  const gone = newestFirst.filter(({ ms }, index) => index >= most || (sinceMs !== undefined && ms < sinceMs));
  await Promise.all(gone.map(async ({ name }) => rm(join(folder, name), { recursive: true, force: true })));
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);

/** Ids are whatever a user or a server wrote: two that differ never share a name. */
const safeName = (id: string): string =>
  /^\w[\w-]{0,63}$/u.test(id) ? id : `${id.replaceAll(/\W+/gu, "_").slice(0, 40)}-${digest(id)}`;
