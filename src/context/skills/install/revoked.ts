import { dirname } from "node:path";
import type { RevokedRead, SkillManifest } from "../../../protocol/skill-install.ts";
import type { Skill } from "../../../protocol/skill.ts";
import { readText } from "../../prompt/read-text.ts";
import { digestOf, hashesOf, MANIFEST_FILE } from "./manifest.ts";
import { readFolder } from "./read-folder.ts";
import { readRecord } from "./records.ts";

type UnreadList = NonNullable<RevokedRead["unread"]>;

/**
 * Lines of a list of revoked skills, in small letters: NAME or NAME@VERSION of a skill, or the SHA-256 of one of its files
 * or of all together; `#` begins a remark. It only ever disables. Where there is none it is empty; of one that is there and
 * cannot be read nobody knows what it says.
 */
export function readRevoked(path: string): ReadonlySet<string> | UnreadList {
  const read = readText(path);
  if (read.type === "absent") return new Set();
  if (read.type === "unread") return { path, said: read.because };
  if (read.tail !== undefined) return { path, said: `${read.bytes} bytes` };
  const said = read.head.split("\n").map((line) =>
    line
      .replace(/(?:^|\s)#.*$/u, "")
      .trim()
      .toLowerCase(),
  );
  return new Set(said.filter((line) => line !== ""));
}

export const isUnread = (list: ReadonlySet<string> | UnreadList): list is UnreadList => !(list instanceof Set);

type Known = Pick<SkillManifest, "id" | "files"> & Partial<Pick<SkillManifest, "version">>;

/** The line that names a skill, or undefined. */
export function revokedBy(list: ReadonlySet<string>, { id, version, files }: Known): string | undefined {
  if (list.size === 0) return undefined;
  const hashes = [digestOf(files), ...Object.values(files)].flatMap((hash) => [hash, `sha256:${hash}`]);
  return [id, ...(version === undefined ? [] : [`${id}@${version}`]), ...hashes].find((name) => list.has(name));
}

/** Of these skills the ones that a list names. Their files are read only where it names bytes. */
export function revokedAmong(path: string, skills: readonly Skill[]): RevokedRead {
  const list = readRevoked(path);
  if (isUnread(list)) return { named: new Map(), unread: list };
  const namesBytes = [...list].some((line) => /^(?:sha256:)?[0-9a-f]{64}$/u.test(line));
  const lines = (list.size === 0 ? [] : skills).flatMap(({ name, root, folder }) => {
    const read = namesBytes ? readFolder(folder) : undefined;
    const there = read?.type === "files" ? read.files.filter((file) => file.path !== MANIFEST_FILE) : [];
    const version = root === "user" ? readRecord(dirname(folder), name)?.manifest.version.toLowerCase() : undefined;
    const line = revokedBy(list, { id: name, files: hashesOf(there), ...(version !== undefined && { version }) });
    return line === undefined ? [] : [[name, line] as const];
  });
  return { named: new Map(lines) };
}
