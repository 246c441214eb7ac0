import { lstatSync, opendirSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { plural } from "../../protocol/plural.ts";
import { heldFolder } from "../path-guard/held-folder.ts";
import { whyDeny, whyPrivate, type Place } from "../paths.ts";
import { ignoreRulesAt, NO_RULES, type IgnoreRules } from "./ignore-rules.ts";

export interface Entry {
  /** Relative to where the walk began, with `/`. */
  readonly path: string;
  readonly type: "file" | "folder" | "link" | "other";
}

export interface FileSize {
  /** Bytes. */
  readonly size: number;
  readonly modifiedMs: number;
}

/** Folders of tools, not of the user: never entered. */
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** What a walk left out. */
export interface Walked {
  entries: number;
  unreadable: number;
  /** Names of folders that are never entered. */
  readonly skipped: Set<string>;
  /** Left out by .gitignore and its like. */
  ignored: number;
  /** Folders that usually hold secrets, and those on another disk. */
  closed: number;
  /** The limit was reached, so there is more. */
  cut: boolean;
}

export const newWalk = (): Walked => ({
  entries: 0,
  unreadable: 0,
  skipped: new Set(),
  ignored: 0,
  closed: 0,
  cut: false,
});

/** Notes on what was not looked into. */
export function leftOut({ skipped, unreadable, ignored, closed }: Walked): string[] {
  const notes = [];
  if (skipped.size > 0) notes.push(`(not looked into: ${[...skipped].sort().join(" and ")})`);
  if (ignored > 0)
    notes.push(`(${plural(ignored, "name")} left out by .gitignore or its like: ignored: true shows them)`);
  if (closed > 0)
    notes.push(`(${plural(closed, "folder")} not looked into: keys are usually kept there, or it is another disk)`);
  if (unreadable > 0) notes.push(`(${plural(unreadable, "folder")} could not be read)`);
  return notes;
}

/** Where to walk, and how far. */
export interface Route {
  readonly root: string;
  readonly maxEntries: number;
  readonly place: Place;
  /** Also what .gitignore and its like leave out. */
  readonly ignored: boolean;
  readonly signal: AbortSignal;
}

/** Names read between two breaths of the program: reading them in one piece is ten times as fast. */
const AT_ONCE = 2_000;

/**
 * Every entry below a folder, sorted by name within each folder, folders before what is in them. Links are named and
 * never followed, also where one takes the place of a folder meanwhile; so no loop can hold it, and it does not leave the
 * disk. What no tool works with is not even named. Folders that cannot be read are counted, not entered.
 */
export async function* walk(route: Route, walked: Walked): AsyncGenerator<Entry> {
  const { root, signal } = route;
  const disk = lstatSync(root).dev;
  const pending: Pending[] = [{ path: "", rules: route.ignored ? NO_RULES : ignoreRulesAt(root) }];
  let next = AT_ONCE;
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    signal.throwIfAborted();
    if (walked.entries >= next) {
      next = walked.entries + AT_ONCE;
      await breathe();
    }
    const below: Pending[] = [];
    for (const entry of entriesOf(at, route, walked)) {
      if (walked.entries === route.maxEntries) {
        walked.cut = true;
        return;
      }
      walked.entries += 1;
      yield { path: entry.path, type: entry.type };
      if (entry.type !== "folder") continue;
      const real = join(root, entry.path);
      if (mayEnter(entry.name, real, { route, walked, disk })) {
        below.push({ path: entry.path, rules: at.rules.below(entry.path, real) });
      }
    }
    pending.push(...below.reverse());
  }
}

function mayEnter(
  name: string,
  real: string,
  { route, walked, disk }: { readonly route: Route; readonly walked: Walked; readonly disk: number },
): boolean {
  const isSkipped = SKIPPED_FOLDERS.has(name);
  const isClosed = !isSkipped && (whyPrivate(real, route.place) !== undefined || deviceOf(real) !== disk);
  if (isSkipped) walked.skipped.add(name);
  if (isClosed) walked.closed += 1;
  return !isSkipped && !isClosed;
}

interface Pending {
  readonly path: string;
  readonly rules: IgnoreRules;
}

/** Those of one folder that may be named. */
function entriesOf({ path: folder, rules }: Pending, route: Route, walked: Walked): (Named & Entry)[] {
  const names = namesIn(join(route.root, folder), route.maxEntries - walked.entries);
  if (names === undefined) {
    walked.unreadable += 1;
    return [];
  }
  const named = names.map(({ name, type }) => ({ name, type, path: folder === "" ? name : `${folder}/${name}` }));
  return named.filter(({ name, type, path }) => {
    if (whyDeny(join(route.root, path), route.place, "reads") !== undefined) return false;
    if (!rules.leavesOut(path, name, type === "folder")) return true;
    walked.ignored += 1;
    return false;
  });
}

type Named = Pick<Entry, "type"> & { readonly name: string };

/** At most one more than `limit`, so that a folder with millions of names is never held whole. */
function namesIn(real: string, limit: number): Named[] | undefined {
  const entries: Named[] = [];
  try {
    using held = heldFolder(real);
    const folder = opendirSync(held.pathOf("."), { bufferSize: 256 });
    try {
      for (let entry = folder.readSync(); entry !== null && entries.length <= limit; entry = folder.readSync())
        entries.push({ name: entry.name, type: typeOf(entry) });
    } finally {
      folder.closeSync();
    }
  } catch {
    return undefined;
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function typeOf(entry: Dirent): Entry["type"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}

function deviceOf(real: string): number | undefined {
  try {
    return lstatSync(real, { throwIfNoEntry: false })?.dev;
  } catch {
    return undefined;
  }
}

/** Undefined when it is gone. */
export function sizeOf(path: string): FileSize | undefined {
  try {
    const { size, mtimeMs } = lstatSync(path);
    return { size, modifiedMs: mtimeMs };
  } catch {
    return undefined;
  }
}
