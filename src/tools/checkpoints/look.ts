import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Stats } from "node:fs";
import { setImmediate } from "node:timers/promises";
import {
  hashOf,
  isBelow,
  joinRaw,
  onDisk,
  type RawPath,
  type Seen,
  shownPath,
  type State,
  stateText,
  type Tree,
  type Unkept,
} from "./state.ts";

/** Hermes §16, security §3.4; bytes. */
export interface Limits {
  readonly fileBytes: number;
  /** Of all files of one snapshot together. */
  readonly treeBytes: number;
  readonly files: number;
}

export const LIMITS: Limits = { fileBytes: 10_000_000, treeBytes: 200_000_000, files: 50_000 };

export interface Looking {
  /** What was seen there before: what has not changed since is not read again. */
  readonly known: Tree;
  readonly limits: Limits;
  /** Never looked into; absolute. */
  readonly leaveOut: readonly RawPath[];
  /** Takes the content of a file that had to be read; absent: it is only told apart. */
  readonly keep?: (hash: string, content: Buffer) => void;
  /** What lies below a folder is not looked at. */
  readonly flat?: boolean;
}

export interface Look {
  readonly tree: Tree;
  /** Paths below the root that cannot be put back, each with why. */
  readonly unkept: readonly { readonly path: RawPath; readonly why: Unkept }[];
}

/** Of a folder that holds more entries than a snapshot may. */
export class TooManyFiles extends Error {
  override readonly name = "TooManyFiles";
}

/** Where a folder is too large these go first: they can be made again, or are too many to be looked at. */
const HEAVY: ReadonlySet<string> = new Set([
  "node_modules",
  ".git",
  ".venv",
  "venv",
  "target",
  ".cache",
  ".tox",
  "__pycache__",
]);

/**
 * Looks at a file or folder without following a link. What is unchanged costs no read. Throws TooManyFiles; what cannot be
 * read is only noted.
 */
export async function look(root: RawPath, looking: Looking): Promise<Look> {
  try {
    return await lookAt(root, looking, false);
  } catch (error) {
    if (!(error instanceof TooManyFiles)) throw error;
    return lookAt(root, looking, true);
  }
}

/** The event loop is let in this often, ms. */
const SLICE_MS = 15;
/** Two changes nearer than this, ms, may bear the same time (FAT counts in 2 s): what is that young is read again. */
const YOUNG_MS = 2_100;

interface Walk extends Looking {
  readonly root: RawPath;
  readonly tree: Map<RawPath, Seen>;
  readonly unread: { readonly path: RawPath; readonly stats: Stats }[];
  readonly device: number | undefined;
  readonly heavyToo: boolean;
  readonly startMs: number;
}

async function lookAt(root: RawPath, looking: Looking, leaveHeavy: boolean): Promise<Look> {
  const top = attempt(() => statsOf(root));
  const walk: Walk = {
    ...looking,
    root,
    tree: new Map(),
    unread: [],
    device: top === UNREADABLE ? undefined : top?.dev,
    heavyToo: !leaveHeavy,
    startMs: Date.now(),
  };
  const slice = slices();
  const pending: RawPath[] = [""];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    pending.push(...enter(path, walk));
    if (walk.tree.size > looking.limits.files) throw new TooManyFiles();
    await slice();
  }
  for (const { path, stats, fits } of fitting(walk)) {
    walk.tree.set(
      path,
      fits ? readFile(path, stats, walk) : seen({ type: "unkept", why: "over", stamp: stampOf(stats) }, stats),
    );
    await slice();
  }
  const unkept = [...walk.tree].flatMap(([path, { state }]) =>
    state.startsWith("u ") ? [{ path, why: state.split(" ", 2)[1] as Unkept }] : [],
  );
  return { tree: walk.tree, unkept };
}

function slices(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await setImmediate();
    since = performance.now();
  };
}

function statsOf(path: RawPath): Stats | undefined {
  return lstatSync(onDisk(path), { throwIfNoEntry: false });
}

/** Notes what stands at a path; returns what is to be looked at below it. */
function enter(path: RawPath, walk: Walk): RawPath[] {
  const absolute = joinRaw(walk.root, path);
  const stats = attempt(() => statsOf(absolute));
  if (stats === undefined) return [];
  if (stats === UNREADABLE) {
    walk.tree.set(path, seen({ type: "unkept", why: "unreadable", stamp: "-" }));
    return [];
  }
  if (stats.isDirectory()) return enterFolder(path, absolute, { walk, stats });
  if (stats.isSymbolicLink()) {
    const target = attempt(() => readlinkSync(onDisk(absolute), { encoding: "latin1" }));
    if (typeof target === "string") walk.tree.set(path, seen({ type: "link", target }));
  } else if (!stats.isFile()) walk.tree.set(path, seen({ type: "unkept", why: "special", stamp: stampOf(stats) }));
  else noteFile(path, stats, walk);
  return [];
}

const UNREADABLE = Symbol("unreadable");

/** What vanished meanwhile was never there. */
function attempt<T>(work: () => T): T | undefined | typeof UNREADABLE {
  try {
    return work();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EINVAL") return undefined;
    if (code === undefined) throw error;
    return UNREADABLE;
  }
}

interface Entered {
  readonly walk: Walk;
  readonly stats: Stats;
}

function enterFolder(path: RawPath, absolute: RawPath, { walk, stats }: Entered): RawPath[] {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isOut =
    walk.leaveOut.some((folder) => isBelow(folder, absolute)) ||
    stats.dev !== walk.device ||
    (!walk.heavyToo && HEAVY.has(name));
  if (isOut) {
    walk.tree.set(path, seen({ type: "unkept", why: "left-out", stamp: "-" }));
    return [];
  }
  walk.tree.set(path, seen({ type: "folder", mode: stats.mode & 0o7777 }));
  if (walk.flat === true) return [];
  const names = attempt(() => readdirSync(onDisk(absolute), { encoding: "latin1" }));
  if (names === undefined) return [];
  if (names === UNREADABLE) {
    walk.tree.set(path, seen({ type: "unkept", why: "unreadable", stamp: `${stats.mode}` }));
    return [];
  }
  return names.map((each) => (path === "" ? each : `${path}/${each}`));
}

const seen = (state: State, { size, mtimeMs }: Pick<Stats, "size" | "mtimeMs"> = { size: 0, mtimeMs: 0 }): Seen => ({
  state: stateText(state),
  size,
  mtimeMs,
  ctimeMs: 0,
  ino: -1,
});

const stampOf = ({ size, mtimeMs, mode }: Stats): string => `${size}-${mtimeMs}-${mode.toString(8)}`;

function noteFile(path: RawPath, stats: Stats, walk: Walk): void {
  const known = walk.known.get(path);
  const { size, mtimeMs, ctimeMs, ino } = stats;
  if (size > walk.limits.fileBytes) walk.tree.set(path, seen({ type: "unkept", why: "large", stamp: stampOf(stats) }));
  else if (
    known !== undefined &&
    known.size === size &&
    known.mtimeMs === mtimeMs &&
    known.ctimeMs === ctimeMs &&
    known.ino === ino
  )
    walk.tree.set(path, known);
  else {
    // Its place is kept, so that the files are counted.
    walk.tree.set(path, seen({ type: "unkept", why: "over", stamp: stampOf(stats) }, stats));
    walk.unread.push({ path, stats });
  }
}

/** The smallest first, so that one large file does not crowd out all sources. */
function* fitting({ tree, unread, limits }: Walk): Iterable<{ path: RawPath; stats: Stats; fits: boolean }> {
  let bytes = 0;
  for (const { size, state } of tree.values()) if (state.startsWith("f ")) bytes += size;
  const bySize = unread.toSorted((one, other) => one.stats.size - other.stats.size);
  for (const file of bySize) {
    bytes += file.stats.size;
    yield { ...file, fits: bytes <= limits.treeBytes };
  }
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

function readFile(path: RawPath, stats: Stats, walk: Walk): Seen {
  const absolute = joinRaw(walk.root, path);
  const content = attempt(() => contentOf(absolute));
  if (!Buffer.isBuffer(content)) return seen({ type: "unkept", why: "unreadable", stamp: stampOf(stats) });
  const hash = hashOf(content);
  walk.keep?.(hash, content);
  const { size, mtimeMs, ctimeMs, ino } = stats;
  const isSettled = ctimeMs + YOUNG_MS < walk.startMs && mtimeMs + YOUNG_MS < walk.startMs && size === content.length;
  const state = stateText({ type: "file", mode: stats.mode & 0o7777, hash });
  return { state, size, mtimeMs, ctimeMs, ino: isSettled ? ino : -1 };
}

/** Never blocks, and never follows a link that was put there meanwhile. Throws what the system says. */
export function contentOf(absolute: RawPath): Buffer {
  const file = openSync(onDisk(absolute), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile())
      throw Object.assign(new Error(`${shownPath(absolute)} is no file`), { code: "EISDIR" });
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
