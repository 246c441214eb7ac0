import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * A folder whose own settings may be read. It is known by its real path and by what the file system calls it, so that
 * nothing that lies in a folder can make it pass for another (security §2c, 46).
 */
export interface TrustedFolder {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
  /** When it was trusted, ms. */
  readonly sinceMs: number;
}

const listOf = (dataFolder: string): string => join(dataFolder, "trusted.json");

/** The folders that are trusted. A list that cannot be read trusts nothing. */
export function trustedFolders(dataFolder: string): readonly TrustedFolder[] {
  try {
    const parsed: unknown = JSON.parse(readFileSync(listOf(dataFolder), "utf8"));
    return Array.isArray(parsed) ? parsed.filter(isTrustedFolder) : [];
  } catch {
    return [];
  }
}

function isTrustedFolder(value: unknown): value is TrustedFolder {
  if (typeof value !== "object" || value === null) return false;
  const { path, device, inode, sinceMs } = value as Partial<Record<keyof TrustedFolder, unknown>>;
  return typeof path === "string" && [device, inode, sinceMs].every((it) => typeof it === "number");
}

/**
 * Whether a person has trusted this folder, or one around it: trust reaches down to where another project begins, with
 * a `.git` or an `.evander` of its own.
 */
export function isTrusted(dataFolder: string, folder: string): boolean {
  const trusted = trustedFolders(dataFolder);
  if (trusted.length === 0) return false;
  for (let at = realFolder(folder); at !== undefined; at = dirname(at) === at ? undefined : dirname(at)) {
    const here = identityOf(at);
    if (here !== undefined && trusted.some((it) => isSame(it, here))) return true;
    if (existsSync(join(at, ".git")) || existsSync(join(at, ".evander"))) return false;
  }
  return false;
}

/** Adds a folder; throws when it is none, or the list cannot be written. */
export function trustFolder(dataFolder: string, folder: string): TrustedFolder {
  const path = realFolder(folder);
  const here = path === undefined ? undefined : identityOf(path);
  if (here === undefined) throw new TypeError(`${folder} is no folder that can be trusted.`);
  const entry = { ...here, sinceMs: Date.now() };
  writeList(dataFolder, [...trustedFolders(dataFolder).filter(({ path: known }) => known !== here.path), entry]);
  return entry;
}

/** Takes a folder off the list; false when it was not on it. A folder that is gone is named by its path. */
export function distrustFolder(dataFolder: string, folder: string): boolean {
  const path = realFolder(folder) ?? folder;
  const before = trustedFolders(dataFolder);
  const left = before.filter((it) => it.path !== path);
  if (left.length === before.length) return false;
  writeList(dataFolder, left);
  return true;
}

function writeList(dataFolder: string, folders: readonly TrustedFolder[]): void {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const draft = `${listOf(dataFolder)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(folders, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(draft, listOf(dataFolder));
}

type Identity = Omit<TrustedFolder, "sinceMs">;

function identityOf(path: string): Identity | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true ? { path, device: found.dev, inode: found.ino } : undefined;
}

const isSame = (a: Identity, b: Identity): boolean => a.path === b.path && a.device === b.device && a.inode === b.inode;

function realFolder(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    return undefined;
  }
}
