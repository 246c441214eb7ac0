import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { printable } from "../../session/plain-text.ts";
import { LEVELS, LOG_FILE, type LogLevel, oldFiles } from "./log-file.ts";

/** One line of the log, read again. */
export interface LogRecord {
  readonly ts: string;
  readonly level: LogLevel;
  readonly event: string;
  readonly session?: string;
  readonly turn?: string;
  readonly [name: string]: unknown;
}

/** Undefined for a line that was cut off, or that nobody of ours wrote. */
export function readRecord(line: string): LogRecord | undefined {
  try {
    const value = JSON.parse(line) as Partial<LogRecord> | null;
    const { ts, level, event } = value ?? {};
    const whole = typeof ts === "string" && typeof event === "string" && LEVELS.some((known) => known === level);
    return whole ? (value as LogRecord) : undefined;
  } catch {
    return undefined;
  }
}

export type Wanted = (record: LogRecord) => boolean;

/** What is kept, the newest file first; within a file in the order written. */
export function* keptRecords(folder: string): Generator<readonly LogRecord[]> {
  yield readRecords(join(folder, LOG_FILE));
  yield* oldRecords(folder);
}

/** The same without the file that is still written to. */
export function* oldRecords(folder: string): Generator<readonly LogRecord[]> {
  if (!existsSync(folder)) return;
  for (const name of oldFiles(folder).toReversed()) yield readRecords(join(folder, name));
}

function readRecords(path: string): readonly LogRecord[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.flatMap((line) => readRecord(line) ?? []);
}

/** The newest lines that are wanted, in the order written. */
export function newest(files: Iterable<readonly LogRecord[]>, wanted: Wanted, most: number): readonly LogRecord[] {
  let found: readonly LogRecord[] = [];
  for (const records of files) {
    found = [...records.filter(wanted), ...found].slice(-most);
    if (found.length === most) break;
  }
  return found;
}

/** For people: time, level, event, then everything else by name. */
export function recordLine({ ts, level, event, ...rest }: LogRecord): string {
  const fields = Object.entries(rest).map(([name, value]) => `${name}=${fieldText(value)}`);
  return printable(`${ts.replace("T", " ").slice(0, 19)} ${level.padEnd(5)} ${[event, ...fields].join(" ")}`);
}

const fieldText = (value: unknown): string =>
  typeof value === "string" && /^[^\s"=]+$/u.test(value) ? value : JSON.stringify(value);
