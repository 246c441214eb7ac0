import { createHash } from "node:crypto";

/**
 * A path as the disk has it: one character for each byte, because a name need not be text. Its order and its `/` are those
 * of the bytes.
 */
export type RawPath = string;

export const rawOf = (path: string): RawPath => Buffer.from(path).toString("latin1");

/** As people and models read it. */
export const shownPath = (raw: RawPath): string => Buffer.from(raw, "latin1").toString("utf8");

/** As the system takes it: what is no ASCII goes by its bytes. */
export const onDisk = (raw: RawPath): string | Buffer => (/^[ -~]*$/u.test(raw) ? raw : Buffer.from(raw, "latin1"));

/** `below` is empty for the root itself. */
export const joinRaw = (root: RawPath, below: RawPath): RawPath =>
  below === "" ? root : root.endsWith("/") ? root + below : `${root}/${below}`;

export const isBelow = (folder: RawPath, path: RawPath): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

/** Why something cannot be put back: too large, more than a snapshot may hold, not readable, no file, not looked into. */
export type Unkept = "large" | "over" | "unreadable" | "special" | "left-out";

/** What stands at a path, for a restore. `mode`: permission bits. */
export type State =
  | { readonly type: "file"; readonly mode: number; readonly hash: string }
  | { readonly type: "link"; readonly target: RawPath }
  | { readonly type: "folder"; readonly mode: number }
  /** `stamp` tells two of them apart, as far as can be seen without reading. */
  | { readonly type: "unkept"; readonly why: Unkept; readonly stamp: string };

/** One short text, the same for the same state: it is what is stored and compared. */
export type StateText = string;

export function stateText(state: State): StateText {
  switch (state.type) {
    case "file":
      return `f ${state.mode.toString(8)} ${state.hash}`;
    case "link":
      return `l ${state.target}`;
    case "folder":
      return `d ${state.mode.toString(8)}`;
    case "unkept":
      return `u ${state.why} ${state.stamp}`;
  }
}

/** The text is one of ours. */
export function readState(text: StateText): State {
  const [kind, first = "", second = ""] = text.split(" ", 3);
  switch (kind) {
    case "f":
      return { type: "file", mode: Number.parseInt(first, 8), hash: second };
    case "d":
      return { type: "folder", mode: Number.parseInt(first, 8) };
    case "l":
      return { type: "link", target: text.slice(2) };
    default:
      return { type: "unkept", why: first as Unkept, stamp: second };
  }
}

export const hashOf = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");

/** For the ledger (FileChange): null where there is no file. */
export function ledgerHash(text: StateText | null): string | null {
  if (text === null) return null;
  const state = readState(text);
  switch (state.type) {
    case "file":
      return state.hash;
    case "link":
      return hashOf(Buffer.from(state.target, "latin1"));
    case "folder":
      return null;
    case "unkept":
      return `${state.why}:${state.stamp}`;
  }
}

/** What was seen of one path. The numbers tell whether it has to be read again. */
export interface Seen {
  readonly state: StateText;
  /** Bytes. */
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  /** -1: nothing tells whether it is still the same. */
  readonly ino: number;
}

/** A file, or a folder with all below it: by path below the root, which itself is "". Empty: there is nothing. */
export type Tree = ReadonlyMap<RawPath, Seen>;

/** What differs at one path. */
export interface Difference {
  /** Below the root. */
  readonly path: RawPath;
  readonly before: StateText | null;
  readonly after: StateText | null;
}

const isLeftOut = (seen: Seen | undefined): boolean => seen?.state.startsWith("u left-out") === true;

/** Whether a file fits into a snapshot depends on the others: one that did not and does now need not have changed. */
function isSame(old: Seen | undefined, now: Seen | undefined): boolean {
  if (old?.state === now?.state) return true;
  const isOver = [old, now].some((seen) => seen?.state.startsWith("u over") === true);
  return isOver && old?.size === now?.size && old?.mtimeMs === now?.mtimeMs;
}

/** Of what was not looked into, on either side, nothing is said. */
export function differences(before: Tree, after: Tree): Difference[] {
  const hidden = [before, after].flatMap((tree) =>
    [...tree].filter(([, seen]) => isLeftOut(seen)).map(([path]) => path),
  );
  const found: Difference[] = [];
  const compare = (path: RawPath): void => {
    const [old, now] = [before.get(path), after.get(path)];
    if (isSame(old, now) || hidden.some((folder) => isBelow(folder, path))) return;
    found.push({ path, before: old?.state ?? null, after: now?.state ?? null });
  };
  for (const path of before.keys()) compare(path);
  for (const path of after.keys()) if (!before.has(path)) compare(path);
  return found.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}
