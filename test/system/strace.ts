import { spawnSync } from "node:child_process";

/** The calls by which a process changes files or talks to others: between two of them nothing of it can be seen outside. */
export const CHANGING: readonly string[] = (
  "write pwrite64 writev pwritev sendto sendmsg fsync fdatasync ftruncate fallocate " +
  "rename renameat renameat2 link linkat unlink unlinkat mkdir mkdirat rmdir kill tgkill"
).split(" ");

/** Throws, with what to install, where system calls cannot be watched: a test that needs it never passes without. */
export function needStrace(): void {
  const { status, error, stderr } = spawnSync("strace", ["-qq", "-e", "trace=none", "true"], { encoding: "utf8" });
  if (status === 0) return;
  throw new Error(
    `These tests watch system calls. Install strace with the package manager of this machine ` +
      `(apt-get install strace), and let it trace its children: ${error?.message ?? stderr}`,
  );
}

/**
 * In the environment of what is traced: one thread does what the event loop does not, so that its calls can be counted
 * (strace counts the calls of each thread by itself).
 */
export const COUNTABLE: NodeJS.ProcessEnv = { UV_THREADPOOL_SIZE: "1" };

/** The head of a command line whose calls are written to `file`, with the path of each descriptor. */
export const recorded = (file: string, calls: readonly string[], ...more: readonly string[]): readonly string[] => [
  "strace",
  "-f",
  "-y",
  "-qq",
  ...more,
  "-o",
  file,
  "-e",
  `trace=${calls.join(",")}`,
];

/** One call of a process: the nth of its name in the thread that has made so many of them first. */
export interface Boundary {
  readonly call: string;
  readonly nth: number;
}

/** The head of a command line that ends with SIGKILL once the call of a boundary was made. */
export const killedAt = ({ call, nth }: Boundary): readonly string[] => injected(call, `signal=SIGKILL:when=${nth}`);

/** The head of a command line whose calls fail, from the nth one of a thread on or (`only`) that one alone. */
export const failing = (
  call: string,
  { error, nth, only = false }: { readonly error: string; readonly nth: number; readonly only?: boolean },
): readonly string[] => injected(call, `error=${error}:when=${nth}${only ? "" : "+"}`);

const injected = (call: string, what: string): readonly string[] =>
  `strace -f -qq -o /dev/null -e trace=${call} -e inject=${call}:${what}`.split(" ");

/** The boundaries of a recorded life, in the order in which they are met. */
export function boundariesIn(trace: string): Boundary[] {
  const counts = new Map<string, number>();
  const found = new Map<string, Boundary>();
  for (const line of trace.split("\n")) {
    const [, thread, call] = /^(\d+) +([a-z0-9]+)\(/u.exec(line) ?? [];
    if (thread === undefined || call === undefined) continue;
    const nth = (counts.get(`${thread} ${call}`) ?? 0) + 1;
    counts.set(`${thread} ${call}`, nth);
    const name = `${call} ${nth}`;
    if (!found.has(name)) found.set(name, { call, nth });
  }
  return [...found.values()];
}
