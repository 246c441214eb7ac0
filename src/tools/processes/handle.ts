import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../protocol/json.ts";
import { writeWhole } from "../write-whole.ts";
import { startTicksOf, type Tree } from "../terminal/process-tree.ts";

/** The call that started it. */
export interface Call {
  readonly sessionId: string;
  readonly turnId?: string | undefined;
  readonly iteration?: number | undefined;
  readonly callId: string;
}

/** What is written down of a background process, so that another life of the program finds it. */
export interface Handle extends Call {
  /** Short, of its session. */
  readonly id: string;
  readonly marker: string;
  readonly command: string;
  readonly cwd: string;
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
  /** The program that looks after it. */
  readonly owner: { readonly pid: number; readonly startTicks?: number | undefined };
  /** Which start of the machine it belongs to; a pid means nothing in another. */
  readonly boot?: string | undefined;
  /** Absent: it was about to be started. */
  readonly pid?: number;
  readonly startTicks?: number | undefined;
}

/** The same for the same call in every life of the program. */
export const markerOf = ({ sessionId, turnId = "", iteration = 0, callId }: Call): string =>
  createHash("sha256")
    .update(JSON.stringify([sessionId, turnId, iteration, callId]))
    .digest("hex")
    .slice(0, 32);

/** Undefined: of another start of the machine, or never started. */
export function treeOf({ pid, startTicks, marker, boot }: Handle): Tree | undefined {
  return pid === undefined || boot !== bootId() ? undefined : { pid, startTicks, marker };
}

export const isOwnerAlive = ({ owner, boot }: Handle): boolean =>
  boot === bootId() && owner.startTicks !== undefined && startTicksOf(owner.pid) === owner.startTicks;

export const ownOwner = (): Handle["owner"] => ({ pid: process.pid, startTicks: startTicksOf(process.pid) });

export function bootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return undefined;
  }
}

/** One small file for each process, and one for its output, that only their owner can read. */
export class HandleFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Throws when it cannot be written. */
  write(handle: Handle): void {
    writeWhole(this.#path(handle, "json"), JSON.stringify(handle));
  }

  logPath(handle: Handle): string {
    return this.#path(handle, "log");
  }

  /** Never throws. */
  remove(handle: Handle): void {
    for (const kind of ["json", "log"]) rmSync(this.#path(handle, kind), { force: true });
    try {
      rmdirSync(this.#folder);
    } catch {
      // It holds others.
    }
  }

  /** Never throws: what cannot be read is not there. */
  all(): readonly Handle[] {
    try {
      return readdirSync(this.#folder)
        .filter((name) => name.endsWith(".json"))
        .flatMap((name) => readHandle(join(this.#folder, name)) ?? []);
    } catch {
      return [];
    }
  }

  #path({ sessionId, id }: Handle, kind: string): string {
    const session = createHash("sha256").update(sessionId).digest("hex").slice(0, 16);
    return join(this.#folder, `${session}.${id}.${kind}`);
  }
}

function readHandle(path: string): Handle | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isObject(value) || !isObject(value["owner"])) return undefined;
    const isWhole = ["id", "sessionId", "callId", "marker", "command", "cwd"].every(
      (name) => typeof value[name] === "string",
    );
    return isWhole ? (value as unknown as Handle) : undefined;
  } catch {
    return undefined;
  }
}
