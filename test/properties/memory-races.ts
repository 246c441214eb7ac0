import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { openNotes } from "../../src/program/notes.ts";
import type { NoteVersion } from "../../src/protocol/memory.ts";
import type { Raced } from "./memory-racer.ts";

/** A disk in memory where there is one: the race is for the lock, and not for the disk. */
const DISK = process.env["TEST_TMP"] ?? (existsSync("/dev/shm") ? "/dev/shm" : tmpdir());
const RACER = join(import.meta.dirname, "memory-racer.ts");

export interface RaceSeen {
  readonly made: number;
  /** Notes that were not as their process had left them, then or in the end. */
  readonly lost: number;
  /** Versions that say more or less than one change of the version before. */
  readonly odd: number;
}

const inFolder = async <T>(work: (data: string) => Promise<T>): Promise<T> => {
  const data = mkdtempSync(join(DISK, "evander-memory-races-"));
  try {
    return await work(data);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
};

/** Two processes change notes of one file, `times` each. */
export const raceForNotes = (times: number): Promise<RaceSeen> =>
  inFolder(async (data) => {
    const run = promisify(execFile);
    const ended = await Promise.all(
      ["a", "b"].map((name) => run(process.execPath, [RACER, data, name, String(times)], { maxBuffer: 1e7 })),
    );
    const seen = ended.map(({ stdout }) => JSON.parse(stdout) as Raced);
    const book = openNotes({ data });
    const there = book.read("memory").notes.map(({ text }) => text);
    const left = seen.flatMap((each) => each.left);
    const lost =
      left.filter((note) => !there.includes(note)).length + there.filter((note) => !left.includes(note)).length;
    const sum = (of: "made" | "lost"): number => seen.reduce((total, each) => total + each[of], 0);
    return { made: sum("made"), lost: sum("lost") + lost, odd: oddVersions(book.versions()) };
  });

/** The newest comes first; each brings one note in, takes one out, or both. */
const oddVersions = (versions: readonly NoteVersion[]): number =>
  versions.slice(0, -1).filter(({ notes }, at) => {
    const before = versions[at + 1]?.notes ?? [];
    const came = notes.filter((note) => !before.includes(note)).length;
    const went = before.filter((note) => !notes.includes(note)).length;
    return came > 1 || went > 1 || came + went === 0;
  }).length;

export interface KillsSeen {
  readonly kills: number;
  /** Notes that a process had been told are written, and that are not there. */
  readonly lost: number;
  /** Killed processes after which a file was not one that somebody had written whole. */
  readonly torn: number;
}

/** A process after the other writes notes and is killed when it has been told of a few, in whatever it does then. */
export const killWriters = (kills: number): Promise<KillsSeen> =>
  inFolder(async (data) => {
    const seen = { kills: 0, lost: 0, torn: 0 };
    const book = openNotes({ data });
    for (; seen.kills < kills; seen.kills++) {
      const name = `k${seen.kills}-`;
      const told = await killed(data, name, 1 + (seen.kills % 4));
      const known = new Set(book.versions().flatMap(({ notes }) => notes));
      seen.lost += told.filter((note) => !known.has(note)).length;
      const now = book
        .read("memory")
        .notes.map(({ text }) => text)
        .join("\n§\n");
      const isWhole = [...book.versions(), { notes: [] }].some(({ notes }) => notes.join("\n§\n") === now);
      const text = readFileSync(join(data, "memory", "MEMORY.md"), "utf8");
      if (!isWhole || !text.endsWith(".\n")) seen.torn++;
      // Whoever comes next begins with a file of its own.
      const answer = await book.rewrite("memory", [`after ${name}.`], { by: "person" });
      if (answer.type !== "done") seen.torn++;
    }
    return seen;
  });

/** Returns what it had been told is written. */
async function killed(data: string, name: string, after: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [RACER, data, name, "100000"], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "exit");
  const told: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    told.push(line);
    if (told.length === after) child.kill("SIGKILL");
  }
  await ended;
  if (told.length < after) throw new Error(`it ended before it was killed: ${told.join("\n")}`);
  return told;
}
