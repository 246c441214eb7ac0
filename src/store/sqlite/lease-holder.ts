import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { SessionOwner } from "../../protocol/store.ts";

/** A holder that does not renew its lease for so long has lost it, wherever it runs. In ms. */
export const LEASE_MS = 30_000;

/**
 * Milliseconds since the machine started: the same for all its processes, and nobody can set it. It stands still while the
 * machine sleeps, as those do who hold a lease.
 */
export const machineMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/** The lease of a session as it is kept. `expires` is a time of the machine. */
export interface Holder {
  readonly owner: string | null;
  readonly expires: number;
}

/**
 * Names a process so that others on its machine can see that it died, long before its lease runs out: also when another
 * process has got its number since.
 */
export const newOwner = (): string => `${hostname()}/${process.pid}/${randomUUID()}/${startOf(process.pid)}`;

/** Who holds a lease; null: nobody has taken it, or it was given back. */
export function ownerOf({ owner, expires }: Holder, nowMs: number = machineMs()): SessionOwner | null {
  if (owner === null) return null;
  const [host = "", pid] = owner.split("/");
  return { host, pid: Number(pid), alive: isHeld(expires, nowMs) && !isDead(owner) };
}

/** A lease that ends later than any could is one of before the machine was started anew. */
export const isHeld = (expires: number, nowMs: number): boolean => expires >= nowMs && expires <= nowMs + LEASE_MS;

/** The process is gone, as far as it can be seen from here. */
export function isDead(owner: string): boolean {
  const [host, pid, , start = ""] = owner.split("/");
  if (host !== hostname() || pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
  const [state = "", found] = seenOf(Number(pid));
  // One that has ended keeps its number until its parent asks how: that may be never.
  if (state === "Z" || state === "X") return true;
  return start !== "" && found !== undefined && found !== start;
}

/** When a process was started, in ticks since its machine was; "" where nobody says. */
const startOf = (pid: number): string => seenOf(pid)[1] ?? "";

/** The state of a process, and when it was started; nothing where nobody says. */
function seenOf(pid: number): readonly [state?: string, start?: string] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program may hold anything; the 1st and the 20th field behind it are the ones.
    const [state, ...numbers] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const start = numbers[18];
    return state === undefined || start === undefined ? [] : [state, start];
  } catch {
    return [];
  }
}
