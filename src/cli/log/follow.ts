import { mkdirSync, statSync } from "node:fs";
import { type FileHandle, open, watch } from "node:fs/promises";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import type { Io } from "../io.ts";
import { LOG_FILE } from "./log-file.ts";
import { type LogRecord, newest, oldRecords, readRecord, type Wanted } from "./records.ts";

export interface Following {
  readonly folder: string;
  readonly io: Io;
  readonly print: (record: LogRecord) => void;
  readonly wanted: Wanted;
  /** So many lines that are there already come first. */
  readonly most: number;
  /** Says that it waits now, behind so many lines. */
  readonly tell: (shown: number) => void;
}

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 } as const;

/** Prints lines as they are written, until a signal comes or nobody reads any more. Returns the exit code. */
export async function follow({ folder, io, print, wanted, most, tell }: Following): Promise<number> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const end = new AbortController();
  let code = 0;
  const unlisten = io.onSignal((signal) => {
    code = CODES[signal];
    end.abort();
  });
  const gone = (): void => end.abort();
  io.stdout.once("error", gone).once("close", gone);
  // Watching begins before reading: what is written in between is told once more by the watch, and read once.
  const changes = watch(folder, { signal: end.signal });
  const tail = new Tail(join(folder, LOG_FILE));
  try {
    const there = [await tail.newRecords(), ...oldRecords(folder)];
    const shown = newest(there, wanted, most);
    for (const record of shown) print(record);
    tell(shown.length);
    for await (const _change of changes) for (const record of (await tail.newRecords()).filter(wanted)) print(record);
  } catch (error) {
    if (!end.signal.aborted) throw error;
  } finally {
    await tail.close();
    unlisten();
    io.stdout.off("error", gone).off("close", gone);
  }
  return code;
}

/** The end of a file that grows, and that another one may take the place of. */
class Tail {
  private readonly path: string;
  private file: FileHandle | undefined;
  private at = 0;
  private decoder = new StringDecoder("utf8");
  private rest = "";

  constructor(path: string) {
    this.path = path;
  }

  async newRecords(): Promise<LogRecord[]> {
    const lines = await this.grown();
    const now = statSync(this.path, { throwIfNoEntry: false })?.ino;
    if (now === undefined || now === (await this.file?.stat())?.ino) return lines;
    // What was written to the old file up to its end belongs before the new one.
    lines.push(...(await this.grown()));
    await this.close();
    this.file = await openIfThere(this.path);
    lines.push(...(await this.grown()));
    return lines;
  }

  async close(): Promise<void> {
    await this.file?.close();
    this.file = undefined;
    this.at = 0;
    this.decoder = new StringDecoder("utf8");
    this.rest = "";
  }

  private async grown(): Promise<LogRecord[]> {
    const { file } = this;
    if (file === undefined) return [];
    const buffer = Buffer.alloc(64 * 1024);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, this.at);
      if (bytesRead === 0) break;
      this.at += bytesRead;
      this.rest += this.decoder.write(buffer.subarray(0, bytesRead));
    }
    const lines = this.rest.split("\n");
    this.rest = lines.pop() ?? "";
    return lines.flatMap((line) => readRecord(line) ?? []);
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
