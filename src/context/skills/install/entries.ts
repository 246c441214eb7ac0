import type { EntryTrouble } from "../../../protocol/skill-install.ts";
import { SKILL_LIMITS } from "../../../protocol/skill.ts";
import { isSafeStep } from "../name.ts";

/** What lies in a source, before a byte of it is written anywhere. */
export interface Entry {
  /** As the source writes it. */
  readonly path: string;
  /** `other`: a link, a device, a pipe, a part of another repository, … */
  readonly kind: "file" | "folder" | "other";
  readonly bytes: number;
}

/** Of one skill: files and folders, bytes of all files, bytes of a path and of one name in it, names in a path. */
export const PARCEL_LIMITS: Readonly<Record<"entries" | "bytes" | "path" | "name" | "depth", number>> = {
  entries: 1_000,
  bytes: 16 * 1024 * 1024,
  path: 512,
  name: 128,
  depth: 4,
};

/**
 * The first reason not to take any of these entries (security.md §3.4, FILE-05): a name that could lead out of the
 * folder or stand for something else on some system, what is no file, names that a disk may take for one, too much.
 * It looks at no more entries than may be there.
 */
export function entriesTrouble(entries: Iterable<Entry>): EntryTrouble | undefined {
  const seen = new Set<string>();
  const folders = new Set<string>();
  let bytes = 0;
  let count = 0;
  for (const entry of entries) {
    count += 1;
    bytes += entry.bytes;
    if (count > PARCEL_LIMITS.entries) return { why: "entries" };
    const trouble = entryTrouble(entry) ?? nameTrouble(entry, seen, folders);
    if (trouble !== undefined) return trouble;
    if (bytes > PARCEL_LIMITS.bytes) return { why: "size" };
  }
  return undefined;
}

function entryTrouble({ path, kind, bytes }: Entry): EntryTrouble | undefined {
  if (kind === "other") return { why: "no-file", path };
  if (Buffer.byteLength(path) > PARCEL_LIMITS.path) return { why: "long-path", path: `${path.slice(0, 60)}…` };
  const names = namesOf(path);
  // `./` is the folder of the skill itself.
  if (names.length === 0 && kind === "folder" && !path.startsWith("/")) return undefined;
  if (names.some((name) => Buffer.byteLength(name) > PARCEL_LIMITS.name)) return { why: "long-path", path };
  if (!staysInside(path, names) || (kind === "file" && path.endsWith("/"))) return { why: "bad-path", path };
  return kind === "file" && bytes > SKILL_LIMITS.fileBytes ? { why: "file-size", path } : undefined;
}

const staysInside = (path: string, names: readonly string[]): boolean =>
  names.length > 0 && names.length <= PARCEL_LIMITS.depth && names.every(isPlain) && !path.startsWith("/");

/** Names that a disk may take for one: one that folds case or accents, and a file where another needs a folder. */
function nameTrouble({ path, kind }: Entry, seen: Set<string>, folders: Set<string>): EntryTrouble | undefined {
  const names = namesOf(path).map(folded);
  const whole = names.join("/");
  const above = names.slice(0, -1).map((_, at) => names.slice(0, at + 1).join("/"));
  if (kind === "folder") above.push(whole);
  if (above.some((folder) => seen.has(folder))) return { why: "twice", path };
  for (const folder of above) folders.add(folder);
  if (kind === "folder") return undefined;
  if (seen.has(whole) || folders.has(whole)) return { why: "twice", path };
  seen.add(whole);
  return undefined;
}

const folded = (name: string): string => name.normalize("NFKC").toLowerCase();

/** `./a//b/` is `a/b`, as every program reads it. */
export const namesOf = (path: string): string[] => path.split("/").filter((name) => name !== "" && name !== ".");

/** A dot in front hides a name, and changes nothing else of it; programs read `~` as somebody's home. */
const isPlain = (name: string): boolean => isSafeStep(name.replace(/^\./u, "")) && !name.startsWith("~");

/** What belongs to a project and to no skill, such as `.git`: it is looked at, and not taken. */
export const isHidden = (path: string): boolean => namesOf(path).some((name) => name.startsWith("."));
