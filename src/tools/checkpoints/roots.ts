import { lstatSync, realpathSync } from "node:fs";
import { isBelow, onDisk, type RawPath, rawOf } from "./state.ts";

export interface OwnPlaces {
  /** The home folder of whoever runs the program. */
  readonly home: string;
  /** Folders of the program itself: what happens there is no change of a turn. */
  readonly own: readonly string[];
}

/** What a snapshot is made of for a path that may change; `why`: it is refused. */
export type Root =
  | { readonly type: "root"; readonly path: RawPath }
  | { readonly type: "refused"; readonly why: "own" | "home" | "top" };

/**
 * The path itself; where it is not there yet, the outermost folder that would be made for it, so that it goes again with an
 * undo. The home folder, and what lies above it, is too much to keep (hermes.md §16).
 */
export function rootOf(path: string, { home, own }: OwnPlaces): Root {
  const raw = rawOf(path);
  if (own.some((folder) => isBelow(rawOf(folder), raw))) return { type: "refused", why: "own" };
  if (raw === "/") return { type: "refused", why: "top" };
  if (isBelow(raw, rawOf(home))) return { type: "refused", why: "home" };
  return { type: "root", path: outermost(raw) };
}

function outermost(path: RawPath): RawPath {
  let root = path;
  for (let above = parentOf(root); above !== root && !isThere(root) && !isThere(above); above = parentOf(root))
    root = above;
  return root;
}

export const parentOf = (path: RawPath): RawPath => path.slice(0, Math.max(1, path.lastIndexOf("/")));

function isThere(path: RawPath): boolean {
  try {
    return lstatSync(onDisk(path), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** Its one name, where it is there. */
export function realFolder(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** It is a folder, and no link leads to it. */
export function isRealFolder(path: RawPath): boolean {
  try {
    return lstatSync(onDisk(path)).isDirectory() && realpathSync(onDisk(path), { encoding: "latin1" }) === path;
  } catch {
    return false;
  }
}
