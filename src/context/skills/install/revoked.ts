import { readFileSync } from "node:fs";
import type { SkillManifest } from "../../../protocol/skill-install.ts";
import type { Skill } from "../../../protocol/skill.ts";
import { digestOf, hashesOf, MANIFEST_FILE } from "./manifest.ts";
import { readFolder } from "./read-folder.ts";
import { readRecord } from "./records.ts";

/** Beside the config: skills that must not be used, one a line. */
export const REVOKED_FILE = "skills-revoked";

/**
 * Lines of a list of revoked skills, in small letters: NAME or NAME@VERSION of a skill, or the SHA-256 of one of its files
 * or of all together; `#` begins a remark. It only ever disables. Where there is none it is empty; one that is there and
 * cannot be read throws: nobody knows what it says.
 */
export function readRevoked(path: string): ReadonlySet<string> {
  try {
    const lines = readFileSync(path, "utf8").split("\n");
    const said = lines.map((line) =>
      line
        .replace(/(?:^|\s)#.*$/u, "")
        .trim()
        .toLowerCase(),
    );
    return new Set(said.filter((line) => line !== ""));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return new Set();
    throw error;
  }
}

type Known = Pick<SkillManifest, "id" | "files"> & Partial<Pick<SkillManifest, "version">>;

/** The line that names a skill, or undefined. */
export function revokedBy(list: ReadonlySet<string>, { id, version, files }: Known): string | undefined {
  if (list.size === 0) return undefined;
  const hashes = [digestOf(files), ...Object.values(files)].flatMap((hash) => [hash, `sha256:${hash}`]);
  return [id, ...(version === undefined ? [] : [`${id}@${version}`]), ...hashes].find((name) => list.has(name));
}

/** Of these skills the ones a list names. Their files are read only where the list names bytes. */
export function revokedAmong(list: ReadonlySet<string>, skills: readonly Skill[], root: string): Map<string, string> {
  const namesBytes = [...list].some((line) => /^(?:sha256:)?[0-9a-f]{64}$/u.test(line));
  return new Map(
    (list.size === 0 ? [] : skills).flatMap((skill) => {
      const { name, folder } = skill;
      const read = namesBytes ? readFolder(folder) : undefined;
      const there = read?.type === "files" ? read.files.filter(({ path }) => path !== MANIFEST_FILE) : [];
      const version = skill.root === "user" ? readRecord(root, name)?.manifest.version.toLowerCase() : undefined;
      const known = { id: name, files: hashesOf(there), ...(version !== undefined && { version }) };
      const line = revokedBy(list, known);
      return line === undefined ? [] : [[name, line] as const];
    }),
  );
}
