import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";

/** One line of the log: an event, the ids of what it belongs to, numbers and names. */
export type LogFields = Readonly<Record<string, string | number>>;

/** From the least to the most urgent. */
export const LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LEVELS)[number];

export interface LogFileOptions {
  readonly folder: string;
  /** The least urgent that is kept. */
  readonly level: LogLevel | "off";
  /** Takes what must not be kept out of a text. */
  readonly clean: (text: string) => string;
  /** Is told, once, why a line could not be written. */
  readonly complain: (why: string) => void;
}

/** The file that is written to; older ones lie beside it, with the time of their end in their name. */
export const LOG_FILE = "evander.jsonl";
const OLD_FILE = /^evander-\d{8}T\d{9}Z-\d+\.jsonl$/u;

/** A file that is as large, or whose first line is as old, is put aside. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_AGE_MS = 7 * 86_400_000;
/** So many are kept beside it, for so long. */
const KEPT_FILES = 5;
const KEPT_MS = 30 * 86_400_000;
const MAX_TEXT = 2_000;

/** A file of JSON lines. Several processes may write to it; that it cannot be written stops nothing. */
export class LogFile {
  private readonly options: LogFileOptions;
  private readonly path: string;
  /** Of the file that is written to, by its inode. */
  private began: { readonly inode: number; readonly ms: number } | undefined;
  /** A line may have been cut off by a full disk: the next one must not become part of it. */
  private torn = false;
  private complained = false;

  constructor(options: LogFileOptions) {
    this.options = options;
    this.path = join(options.folder, LOG_FILE);
  }

  keeps(level: LogLevel): boolean {
    return this.options.level !== "off" && LEVELS.indexOf(level) >= LEVELS.indexOf(this.options.level);
  }

  /** One write. Never throws. */
  write(level: LogLevel, fields: LogFields): void {
    if (!this.keeps(level)) return;
    try {
      this.makeRoom();
      const line = JSON.stringify({ ts: new Date().toISOString(), level, ...this.cleaned(fields), pid: process.pid });
      appendFileSync(this.path, `${this.torn ? "\n" : ""}${line}\n`, { mode: 0o600 });
      this.torn = false;
    } catch (error) {
      this.torn = true;
      if (!this.complained) this.options.complain(error instanceof Error ? error.message : String(error));
      this.complained = true;
    }
  }

  private cleaned(fields: LogFields): LogFields {
    const { clean } = this.options;
    const texts = Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "string" ? clean(value).slice(0, MAX_TEXT) : value,
    ]);
    return Object.fromEntries(texts) as LogFields;
  }

  /** Makes the folder, and puts a file aside that is full or old. */
  private makeRoom(): void {
    const found = statSync(this.path, { throwIfNoEntry: false });
    if (found === undefined) mkdirSync(this.options.folder, { recursive: true, mode: 0o700 });
    else if (found.size >= MAX_BYTES || Date.now() - this.beginOf(found.ino) >= MAX_AGE_MS) this.putAside();
  }

  private beginOf(inode: number): number {
    if (this.began?.inode !== inode) this.began = { inode, ms: firstTime(this.path) ?? Date.now() };
    return this.began.ms;
  }

  /** Another process may have done the same a moment ago: then its new file is put aside early, and nothing is lost. */
  private putAside(): void {
    const { folder } = this.options;
    const stamp = new Date().toISOString().replaceAll(/[-:.]/gu, "");
    renameSync(this.path, join(folder, `evander-${stamp}-${process.pid}.jsonl`));
    const old = oldFiles(folder);
    const since = Date.now() - KEPT_MS;
    for (const [at, name] of old.entries()) {
      const path = join(folder, name);
      const keep = at >= old.length - KEPT_FILES && (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= since;
      if (!keep) rmSync(path, { force: true });
    }
  }
}

/** Names of the files that were put aside, the oldest first. */
export const oldFiles = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => OLD_FILE.test(name))
    .toSorted();

/** When the first line of a file was written, ms since the epoch. */
function firstTime(path: string): number | undefined {
  const file = openSync(path, "r");
  try {
    const start = Buffer.alloc(64);
    const length = readSync(file, start, 0, start.length, 0);
    const [, time] = /^\{"ts":"([^"]+)"/u.exec(start.toString("utf8", 0, length)) ?? [];
    const ms = Date.parse(time ?? "");
    return Number.isNaN(ms) ? undefined : ms;
  } finally {
    closeSync(file);
  }
}
