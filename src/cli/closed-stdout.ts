import { readFileSync, readlinkSync } from "node:fs";

const NOWHERE = "/dev/null";
const SHELL = /^-?(?:a|ba|c|da|fi|k|mk|tc|z)?sh$/u;

/**
 * Whether stdout was closed when the program began (`>&-`), as far as Linux tells. Node opens /dev/null in its place, to
 * read and to write, and so do programs that want no output of what they run. It was closed where the parent has no
 * stdout itself, or is a shell with another one: shells open /dev/null to write alone.
 */
export function isStdoutClosed(): boolean {
  if (process.platform !== "linux") return false;
  try {
    if (readlinkSync("/proc/self/fd/1") !== NOWHERE || !isOpenToRead()) return false;
    const theirs = stdoutOf(process.ppid);
    return theirs === undefined || (theirs !== NOWHERE && SHELL.test(nameOf(process.ppid)));
  } catch {
    return false;
  }
}

/** Flags of open(2), in octal: the last two bits say for what. */
function isOpenToRead(): boolean {
  const [, flags = "1"] = /^flags:\s*([0-7]+)$/mu.exec(readFileSync("/proc/self/fdinfo/1", "utf8")) ?? [];
  return (Number.parseInt(flags, 8) & 3) === 2;
}

/** Undefined where it is closed. */
function stdoutOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/1`);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

const nameOf = (pid: number): string => readFileSync(`/proc/${pid}/comm`, "utf8").trim();
