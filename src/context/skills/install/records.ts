import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SkillDrift, SkillManifest, SkillOrigin, SkillRecord } from "../../../protocol/skill-install.ts";
import { recordPath } from "../archive.ts";
import { hashesOf, MANIFEST_FILE, manifestFrom, recordOf } from "./manifest.ts";
import { readFolder } from "./read-folder.ts";

/** Undefined: it was not installed, or nobody can say how. */
export function readRecord(root: string, name: string): SkillRecord | undefined {
  try {
    return recordIn(JSON.parse(readFileSync(recordPath(root, name), "utf8")));
  } catch {
    return undefined;
  }
}

export function recordIn(value: unknown): SkillRecord | undefined {
  const { manifest, origin, installedMs, by } = recordOf(value) ?? {};
  const [known, from] = [manifestFrom(manifest), originFrom(origin)];
  if (known === undefined || from === undefined || typeof installedMs !== "number" || typeof by !== "string")
    return undefined;
  return { manifest: known, origin: from, installedMs, by };
}

function originFrom(value: unknown): SkillOrigin | undefined {
  const { type, path, address, commit, folder } = recordOf(value) ?? {};
  if ((type === "folder" || type === "archive") && typeof path === "string") return { type, path };
  if (type !== "git" || typeof address !== "string" || typeof commit !== "string") return undefined;
  return { type, address, commit, ...(typeof folder === "string" && { folder }) };
}

/** The installed skills of a folder, each held against what was agreed to. */
export function installedIn(root: string): SkillDrift[] {
  return recordNames(root).flatMap((name): SkillDrift[] => {
    const record = readRecord(root, name);
    const found = record === undefined ? undefined : filesThere(join(root, name));
    return record === undefined || found === undefined ? [] : [{ name, record, ...driftOf(record.manifest, found) }];
  });
}

function recordNames(root: string): string[] {
  try {
    const names = readdirSync(dirname(recordPath(root, ""))).filter((name) => name.endsWith(".json"));
    return names.map((name) => name.slice(0, -".json".length)).toSorted();
  } catch {
    return [];
  }
}

/** Undefined: there is no such folder any more. What cannot be read is there, and not what was agreed to. */
function filesThere(folder: string): SkillManifest["files"] | undefined {
  const read = readFolder(folder);
  if (read.type === "files") return hashesOf(read.files.filter(({ path }) => path !== MANIFEST_FILE));
  if (read.why === "unreadable" && read.said === "ENOENT") return undefined;
  return { ["path" in read ? read.path : "."]: "unreadable" };
}

function driftOf(
  { files }: SkillManifest,
  found: SkillManifest["files"],
): Pick<SkillDrift, "changed" | "added" | "missing"> {
  const there = Object.keys(found);
  return {
    changed: there.filter((path) => Object.hasOwn(files, path) && files[path] !== found[path]),
    added: there.filter((path) => !Object.hasOwn(files, path)),
    missing: Object.keys(files).filter((path) => !Object.hasOwn(found, path)),
  };
}
