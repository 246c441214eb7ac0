import { readFileSync } from "node:fs";

/** What one command may take of the machine, where the system offers such limits to everybody (security §3.11). */
export interface Limits {
  /** Processes and threads beside those that run already. The system does not hold root to it. */
  readonly processes: number;
  /** Of each process, MB; what is only reserved does not count. */
  readonly memoryMb: number;
  /** Of each process. */
  readonly openFiles: number;
  /** Of each file that is written, MB. */
  readonly fileMb: number;
}

export const USUAL_LIMITS: Limits = { processes: 256, memoryMb: 4_096, openFiles: 512, fileMb: 2_048 };

/** What a shell does before it becomes the shell of the command. Where a limit is stricter already, that one stays. */
export function limitScript({ processes, memoryMb, openFiles, fileMb }: Limits): string {
  const running = runningThreads();
  const asked: readonly (readonly [flag: string, value: number])[] = [
    ["d", memoryMb * 1_024],
    ["n", openFiles],
    ["f", fileMb * 1_024],
    // The system counts all that belong to the user.
    ...(running === undefined ? [] : [["u", running + processes] as const]),
  ];
  return [...asked.map(([flag, value]) => `ulimit -${flag} ${value} 2>/dev/null`), "ulimit -c 0 2>/dev/null"].join(
    "; ",
  );
}

/** What a program says that has come up against one of them. */
const MET =
  /cannot allocate memory|allocation failed|bad_alloc|out of memory|memory exhausted|memoryerror|too many open files|resource temporarily unavailable|file size limit exceeded|file too large|\b(?:ENOMEM|EMFILE|EFBIG)\b/iu;

/** A sentence for who may have met a limit; undefined: nothing speaks for it. */
export function limitNote(output: string, { processes, memoryMb, openFiles, fileMb }: Limits): string | undefined {
  if (!MET.test(output)) return undefined;
  return `[Limits of a command here: ${memoryMb} MB of memory for each process, ${openFiles} open files, ${fileMb} MB for each file it writes, ${processes} processes.]`;
}

/** On the whole machine; undefined: the system does not say. */
function runningThreads(): number | undefined {
  try {
    const total = /\/(?<total>\d+) /u.exec(readFileSync("/proc/loadavg", "utf8"))?.groups?.["total"];
    return total === undefined ? undefined : Number(total);
  } catch {
    return undefined;
  }
}
