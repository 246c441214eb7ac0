import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** The variable by which everything that a command starts is known again, also when it left the group and the session. */
export const MARKER = "EVANDER_COMMAND";

/** A command and all that it started. */
export interface Tree {
  /** Of its shell, which leads a session and a group of its own. */
  readonly pid: number;
  /** When the shell began, in clock ticks since the machine did: a later process may get its number. Undefined: not known. */
  readonly startTicks: number | undefined;
  /** The value of `MARKER` in its environment. */
  readonly marker: string;
}

export interface Member {
  readonly pid: number;
  /** The program and its arguments, as the system tells them. */
  readonly command: string;
}

interface Entry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly startTicks: number;
  readonly name: string;
}

/** Between SIGTERM and SIGKILL, ms; shorter than a turn waits for an interrupted tool. */
const GRACE_MS = 1_000;
/** After SIGKILL, ms: what forks faster than it is killed, or waits for a disk. */
const GIVE_UP_MS = 900;
/** The parent of the kernel's own threads, which have no environment. */
const KERNEL_THREADS = 2;
/** One look after the other, ms. */
const LOOKS_MS = [5, 10, 20, 40, 80] as const;
/** Looks of one that cannot wait, such as a process that ends. */
const LAST_LOOKS = 20;

/**
 * All of the tree that runs: by group, by session, by marker, and the children of those. Where the system has no `/proc`,
 * only whether the group is left, as its leader. A program that empties its environment, makes itself a session and
 * outlives its parent is not found.
 */
export const membersOf = (tree: Tree): readonly Member[] => lookFor(tree).members;

export interface Look {
  readonly members: readonly Member[];
  /** Nobody is there, and nobody is unclear: in the moment a process becomes another program it shows no environment. */
  readonly isGone: boolean;
}

export function lookFor(tree: Tree): Look {
  const entries = allProcesses();
  if (entries === undefined) {
    const isThere = signalGroup(tree.pid, 0);
    return { members: isThere ? [{ pid: tree.pid, command: "" }] : [], isGone: !isThere };
  }
  const whoseOf = belonging(tree, entries);
  const whose = new Map(entries.map((entry) => [entry.pid, whoseOf(entry)]));
  const found = new Map(entries.filter(({ pid }) => whose.get(pid) === "ours").map((entry) => [entry.pid, entry]));
  // A child may stand before its parent.
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const entry of entries) if (found.has(entry.parent)) found.set(entry.pid, entry);
  }
  found.delete(process.pid);
  const members = [...found.values()].map(({ pid, name }) => ({ pid, command: commandLine(pid) ?? name }));
  return { members, isGone: members.length === 0 && ![...whose.values()].includes("unclear") };
}

/**
 * Ends a whole tree: SIGTERM, and after `graceMs` SIGKILL, until a look finds nobody. Resolves with what could not be
 * ended in about two seconds.
 */
export async function endTree(tree: Tree, graceMs: number = GRACE_MS): Promise<readonly Member[]> {
  if (send(tree, "SIGTERM").isGone) return [];
  if (await isGoneWithin(graceMs, () => lookFor(tree).isGone)) return [];
  if (await isGoneWithin(GIVE_UP_MS, () => send(tree, "SIGKILL").isGone)) return [];
  return membersOf(tree);
}

/** As `endTree`, for a process that ends now and can wait for nothing. */
export function endTreeNow(tree: Tree): void {
  for (let looks = 0; looks < LAST_LOOKS && !send(tree, "SIGKILL").isGone; looks++);
}

/** When a process began; undefined: there is none, or the system does not say. */
export function startTicksOf(pid: number): number | undefined {
  return readEntry(pid)?.startTicks;
}

/** The processes that carry a marker, whoever their parents are now. */
export function markedBy(marker: string): readonly Member[] {
  return (allProcesses() ?? [])
    .filter(({ pid }) => isMarkedBy(environmentOf(pid), marker) && pid !== process.pid)
    .map(({ pid, name }) => ({ pid, command: commandLine(pid) ?? name }));
}

function send(tree: Tree, signal: NodeJS.Signals): Look {
  const look = lookFor(tree);
  const { members } = look;
  const told = signal === "SIGKILL" ? members : members.filter(({ command }) => !isBox(command));
  for (const { pid } of told) signalOne(pid, signal);
  // What was forked since the look is in the group, as a rule.
  if (members.length > 0 && told.length === members.length && isGroupOurs(tree)) signalGroup(tree.pid, signal);
  return look;
}

/** What stands around a command ends with it, and takes it along when it ends first: the command has its time to end. */
const isBox = (command: string): boolean => /^(?:\S*\/)?bwrap /u.test(command);

async function isGoneWithin(ms: number, isGone: () => boolean): Promise<boolean> {
  const deadline = performance.now() + ms;
  for (let look = 0; ; look++) {
    if (isGone()) return true;
    if (performance.now() >= deadline) return false;
    await delay(LOOKS_MS[look] ?? 100);
  }
}

function belonging(tree: Tree, entries: readonly Entry[]): (entry: Entry) => "ours" | "unclear" | "others" {
  const isNamed = isOurs(tree, entries);
  const since = tree.startTicks ?? 0;
  return ({ pid, parent, group, session, startTicks }) => {
    if (isNamed && (group === tree.pid || session === tree.pid || pid === tree.pid)) return "ours";
    if (startTicks < since || parent === KERNEL_THREADS) return "others";
    const environment = environmentOf(pid);
    return isMarkedBy(environment, tree.marker) ? "ours" : environment === "" ? "unclear" : "others";
  };
}

/** A number is given anew only when neither a process, a group nor a session has it: a leader of another time has taken it. */
const isOurs = ({ pid, startTicks }: Tree, entries: readonly Entry[]): boolean =>
  startTicks === undefined || (entries.find((entry) => entry.pid === pid)?.startTicks ?? startTicks) === startTicks;

const isGroupOurs = ({ pid, startTicks }: Tree): boolean =>
  startTicks === undefined || (startTicksOf(pid) ?? startTicks) === startTicks;

/** Undefined: this system does not tell. What only waits to be noticed is gone. */
function allProcesses(): readonly Entry[] | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/u.test(name) ? (readEntry(Number(name)) ?? []) : []));
  } catch {
    return undefined;
  }
}

function readEntry(pid: number): Entry | undefined {
  const text = read(`/proc/${pid}/stat`);
  // The name stands in brackets, and may hold some.
  const end = text?.lastIndexOf(")") ?? -1;
  if (text === undefined || end < 0) return undefined;
  const fields = text.slice(end + 2).split(" ");
  const [state = "Z", ...numbers] = fields;
  if (state === "Z" || state === "X") return undefined;
  const [parent = 0, group = 0, session = 0] = numbers.map(Number);
  const startTicks = Number(fields[19] ?? 0);
  return { pid, parent, group, session, startTicks, name: text.slice(text.indexOf("(") + 1, end) };
}

/** Of another user's processes the system does not tell. */
const environmentOf = (pid: number): string | undefined => read(`/proc/${pid}/environ`);

const isMarkedBy = (environment: string | undefined, marker: string): boolean =>
  `\0${environment ?? ""}`.includes(`\0${MARKER}=${marker}\0`);

const commandLine = (pid: number): string | undefined => {
  const text = read(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ").trim();
  return text === "" ? undefined : text;
};

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has gone by itself, or belongs to somebody else.
  }
}

/** False when there is no such group any more. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}
