import { noLines, LOG_WORDS, unreadableLog } from "../../words/log.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { readCount } from "../records/filter.ts";
import { RefusalError } from "../refusal.ts";
import { follow } from "./follow.ts";
import { LEVELS, type LogLevel } from "./log-file.ts";
import { keptRecords, type LogRecord, newest, recordLine, type Wanted } from "./records.ts";

export interface LogFlags {
  readonly follow?: boolean;
  readonly turn?: string;
  readonly session?: string;
  readonly level?: LogLevel;
  readonly lines?: string;
}

const LINES = "100";

/** `evander logs`: the newest lines, and with `-f` those to come. Returns the exit code. */
export async function showLogs(folder: string, flags: LogFlags, { io, json, language }: Asked): Promise<number> {
  const most = readCount("--lines", flags.lines ?? LINES);
  const print = (record: LogRecord): void => (json ? sayJson(io, record) : say(io.stdout, recordLine(record)));
  const tell = (shown: number): void => {
    if (shown === 0) say(io.stderr, nothing(folder, flags)[language]);
  };
  try {
    const wanted = filterOf(flags, flags.turn === "last" ? lastTurn(folder) : flags.turn);
    if (flags.follow === true) {
      const waits = (shown: number): void => {
        tell(shown);
        say(io.stderr, LOG_WORDS.follows[language]);
      };
      return await follow({ folder, io, print, wanted, most, tell: waits });
    }
    const found = newest(keptRecords(folder), wanted, most);
    for (const record of found) print(record);
    tell(found.length);
    return 0;
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    throw new RefusalError({ reason: "store_unavailable", message: unreadableLog(folder, error.message) });
  }
}

function filterOf({ level, session }: LogFlags, turn: string | undefined): Wanted {
  const least = level === undefined ? 0 : LEVELS.indexOf(level);
  return (record) =>
    LEVELS.indexOf(record.level) >= least &&
    (turn === undefined || record.turn?.startsWith(turn) === true) &&
    (session === undefined || record.session?.startsWith(session) === true);
}

/** The turn of the newest line that has one. */
function lastTurn(folder: string): string {
  for (const records of keptRecords(folder)) {
    const turn = records.findLast((record) => typeof record.turn === "string" && record.turn !== "")?.turn;
    if (turn !== undefined) return turn;
  }
  return "last";
}

function nothing(folder: string, { turn, session, level }: LogFlags): ReturnType<typeof noLines> {
  const asked = Object.entries({ turn, session, level }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${value}`],
  );
  const empty = newest(keptRecords(folder), () => true, 1).length === 0;
  return empty || asked.length === 0 ? LOG_WORDS.empty : noLines(asked.join(" "));
}
