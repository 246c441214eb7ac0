import type { Background } from "./background.ts";

/** Characters of a command that name it. */
const NAMED_CHARS = 80;

/** What a model is told a process is called. */
export const named = ({ handle: { id, command } }: Background): string => `${id} (${shortOf(command)})`;

export function shortOf(command: string): string {
  const line = command.replaceAll(/\s+/gu, " ").trim();
  return line.length > NAMED_CHARS ? `${line.slice(0, NAMED_CHARS)}…` : line;
}

/** How it ended and how long it ran. */
export function endWords(process: Background): string {
  const past = process.past();
  if (past === undefined) return "it runs";
  const seconds = secondsOf(past.atMs - process.handle.startedMs);
  if (past.end === undefined)
    return process.handle.pid === undefined
      ? "this program was interrupted while it started it, and nothing of it runs"
      : "how is not known, since this program was interrupted meanwhile";
  const { code, killedBy } = past.end;
  return code === null ? `killed by ${killedBy ?? "a signal"} after ${seconds}` : `exit code ${code} after ${seconds}`;
}

/** Where it stands now. */
export function standing(process: Background, nowMs: number): string {
  const { handle } = process;
  if (process.past() !== undefined) return `has ended: ${endWords(process)}`;
  const adopted = process.isAdopted
    ? "; this program was interrupted since it was started, so what it prints now is not seen, and it takes no input"
    : "";
  return `runs since ${secondsOf(nowMs - handle.startedMs)} (pid ${handle.pid ?? "unknown"})${adopted}`;
}

const secondsOf = (ms: number): string => `${(Math.max(0, ms) / 1_000).toFixed(1)} s`;
