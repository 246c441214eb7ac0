import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StoreError } from "../../src/protocol/store.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { type Disk, type DiskOp, FailingDisk } from "../durability/power-loss.ts";
import { dice } from "../support/dice.ts";
import { DISK_CALLS, diskOps, IN_HEX } from "./disk-trace.ts";
import { recorded } from "./strace.ts";
import { findTroubles } from "./troubles.ts";

const LIFE = join(import.meta.dirname, "stored-life.mjs");
/** The model is the disk, so that a real one need not be waited for. */
const FAST = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const BEFORE_START = new Date(2020, 0);
const FILES = ["store.db", "store.db-wal", "store.db-journal"] as const;

/** What a life has done to its disk. */
export interface RecordedLife {
  readonly name: string;
  /** What it found. */
  readonly before: Disk;
  readonly ops: readonly DiskOp[];
  /** What had been told before it. */
  readonly told: readonly string[];
}

/** A folder in which lives are lived and disks are laid out. */
export class Bench implements Disposable {
  readonly folder: string = mkdtempSync(join(FAST, "evander-power-"));
  readonly path: string = join(this.folder, "store.db");

  /** Lives a life under strace on what lies in the folder, and records it. */
  record(name: string, args: readonly string[], told: readonly string[] = []): RecordedLife {
    const before = this.look();
    const trace = `${this.folder}.trace`;
    const [strace = "", ...under] = recorded(trace, DISK_CALLS, ...IN_HEX);
    const { status, stderr } = spawnSync(strace, [...under, process.execPath, LIFE, this.path, ...args], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`a life ended with ${status}: ${stderr}`);
    const ops = diskOps(readFileSync(trace, "utf8"), this.folder);
    rmSync(trace);
    return { name, before, ops, told };
  }

  /** As the next start of the machine finds it: everything was written before. */
  lay(disk: Disk): void {
    rmSync(this.folder, { recursive: true });
    mkdirSync(this.folder);
    for (const file of FILES) {
      const bytes = disk.get(join(this.folder, file));
      if (bytes === undefined) continue;
      writeFileSync(join(this.folder, file), bytes);
      utimesSync(join(this.folder, file), BEFORE_START, BEFORE_START);
    }
  }

  private look(): Disk {
    const found = new Map<string, Buffer>();
    for (const file of FILES) {
      try {
        found.set(join(this.folder, file), readFileSync(join(this.folder, file)));
      } catch {
        continue;
      }
    }
    return found;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Lives whose disks lose power: the first of a store, one that goes on, one that finds a log that nobody has tidied. */
export function recordLives(bench: Bench): RecordedLife[] {
  const first = bench.record("the first life of a store", ["0", "6"]);
  const told = toldIn(first.ops);
  const long = bench.record("a log that is moved into the file", ["6", "50", "stop"], told);
  const after = [...told, ...toldIn(long.ops)];
  return [first, long, bench.record("a log that is found and begun anew", ["56", "50"], after)];
}

const toldIn = (ops: readonly DiskOp[]): string[] =>
  ops.flatMap((op) => (op.type === "told" ? op.text.split("\n").filter((line) => /^(?:start|end) /u.test(line)) : []));

export interface Loss {
  readonly life: string;
  /** Behind so many operations. */
  readonly at: number;
  readonly seed: number;
  readonly disk: Disk;
  readonly told: readonly string[];
}

/** So many losses of one life, at points by chance, each with its own seed. */
export function* lossesOf(life: RecordedLife, seed: number, count: number): Generator<Loss> {
  const random = dice(seed);
  const points = Array.from({ length: count }, () => Math.floor(random() * life.ops.length)).toSorted((a, b) => a - b);
  const disk = new FailingDisk(life.before);
  const told = [...life.told];
  let next = 0;
  for (const [at, op] of life.ops.entries()) {
    disk.do(op);
    told.push(...toldIn([op]));
    for (; points[next] === at; next++) {
      const own = seed + next;
      yield { life: life.name, at, seed: own, disk: disk.lose(dice(own)), told: [...told] };
    }
  }
}

/** What is wrong with what was found after a loss; undefined: everything that was told is there. */
export function wrongAfter(bench: Bench, { disk, told }: Pick<Loss, "disk" | "told">): string | undefined {
  bench.lay(disk);
  return wrongIn(bench.path, told);
}

function wrongIn(path: string, told: readonly string[]): string | undefined {
  try {
    const store = openSqliteStore({ path });
    try {
      const missing = told.filter((line) => !isThere(store, line));
      if (missing.length > 0) return `silently short: ${missing.length} of ${told.length} are missing (${missing[0]})`;
    } finally {
      store.close();
    }
    const troubles = findTroubles(path);
    return troubles.length > 0 ? troubles.join("; ") : undefined;
  } catch (error) {
    if (error instanceof StoreError) return `reported: ${error.message}`;
    throw error;
  }
}

function isThere(store: ReturnType<typeof openSqliteStore>, line: string): boolean {
  const [what, session = "", n] = line.split(" ");
  const turn = store.turn(`${session}-${n}`);
  if (turn === undefined) return false;
  return what === "start" || turn.facts.at(-1)?.fact.type === "turn-end";
}

/** As `FailingDisk` sees it, where the program did not ask for its log to be on disk. */
export const withoutSyncs = (life: RecordedLife): RecordedLife => ({
  ...life,
  ops: life.ops.filter((op) => op.type !== "sync" || !op.path.endsWith("-wal")),
});

/** The power goes, comes back, and goes again while the store is being opened: what is found then. */
export function loseAgain(bench: Bench, loss: Loss): Loss {
  bench.lay(loss.disk);
  const recovery = bench.record(`${loss.life}, and again in recovery`, ["0", "0"]);
  const random = dice(loss.seed);
  const upTo = Math.floor(random() * recovery.ops.length);
  const disk = new FailingDisk(recovery.before);
  for (const op of recovery.ops.slice(0, upTo)) disk.do(op);
  return { ...loss, life: recovery.name, disk: disk.lose(random) };
}
