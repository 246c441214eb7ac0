import { createHash } from "node:crypto";
import type { InstallRefusal, SkillManifest, SkillNeeds } from "../../../protocol/skill-install.ts";
import type { SkillFile } from "./read-folder.ts";

/** A source may bring its own; what is made here has the same form. */
export const MANIFEST_FILE = "manifest.json";

const hashOf = (content: Buffer | string): string => createHash("sha256").update(content).digest("hex");

/** By path, in the order of paths. */
export const hashesOf = (files: readonly SkillFile[]): Record<string, string> =>
  Object.fromEntries(
    files.map(({ path, content }) => [path, hashOf(content)] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Of all files together: the same for the same bytes in the same places. */
export const digestOf = (files: SkillManifest["files"]): string =>
  hashOf(JSON.stringify(Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1))));

export interface ManifestTold {
  readonly id: string;
  readonly version: string | undefined;
  readonly needs: SkillNeeds;
}

type Made = { readonly manifest: SkillManifest } | InstallRefusal;

/** What a skill is to be known by. What the source says of itself must be true of every file, and of no other. */
export function manifestOf(files: readonly SkillFile[], told: ManifestTold): Made {
  const own = files.find(({ path }) => path === MANIFEST_FILE);
  const hashes = hashesOf(files.filter((file) => file !== own));
  const usual = told.version ?? `0+${digestOf(hashes).slice(0, 12)}`;
  if (own === undefined) return { manifest: { id: told.id, version: usual, files: hashes, needs: told.needs } };
  const said = manifestIn(own.content.toString("utf8"));
  if (said === undefined) return { why: "manifest", what: "broken" };
  if (said.id !== told.id) return { why: "manifest", what: "id" };
  if (told.version !== undefined && said.version !== told.version) return { why: "manifest", what: "version" };
  const wrong = firstDifference(said.files, hashes);
  return wrong ?? { manifest: { ...said, files: hashes, needs: bothNeeds(said.needs, told.needs) } };
}

/** The first file that is not what the manifest says. */
function firstDifference(
  said: SkillManifest["files"],
  found: SkillManifest["files"],
): Extract<InstallRefusal, { why: "manifest-file" }> | undefined {
  const extra = Object.keys(found).find((path) => !Object.hasOwn(said, path));
  if (extra !== undefined) return { why: "manifest-file", what: "extra", path: extra };
  for (const [path, hash] of Object.entries(said)) {
    if (!Object.hasOwn(found, path)) return { why: "manifest-file", what: "missing", path };
    if (found[path] !== hash.toLowerCase()) return { why: "manifest-file", what: "changed", path };
  }
  return undefined;
}

/** Undefined: it says not what a manifest must. */
function manifestIn(text: string): SkillManifest | undefined {
  try {
    return manifestFrom(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export function manifestFrom(value: unknown): SkillManifest | undefined {
  const { id, version, files, needs } = recordOf(value) ?? {};
  const hashes = recordOf(files);
  if (typeof id !== "string" || typeof version !== "string" || hashes === undefined) return undefined;
  if (!/^[\w.+-]{1,64}$/u.test(version)) return undefined;
  const isHash = (hash: unknown): hash is string => typeof hash === "string" && /^[0-9a-f]{64}$/iu.test(hash);
  const known = Object.entries(hashes).flatMap(([path, hash]) => (isHash(hash) ? [[path, hash] as const] : []));
  if (known.length !== Object.keys(hashes).length) return undefined;
  const need = recordOf(needs ?? {});
  return need && { id, version, files: Object.fromEntries(known), needs: needsFrom(need) };
}

export const recordOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;

/** Words, of whatever was written. */
export function needsFrom(said: Readonly<Record<string, unknown>>): SkillNeeds {
  const words = (name: string): string[] => {
    const value = said[name];
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    return list
      .flatMap((word) => (typeof word === "string" ? word.split(/[\s\p{Cc}\p{Zl}\p{Zp}]+/u) : []))
      .filter(Boolean);
  };
  return { tools: words("tools"), hosts: words("hosts"), env: words("env"), bins: words("bins") };
}

function bothNeeds(a: SkillNeeds, b: SkillNeeds): SkillNeeds {
  const both = (name: keyof SkillNeeds): string[] => [...new Set([...a[name], ...b[name]])];
  return { tools: both("tools"), hosts: both("hosts"), env: both("env"), bins: both("bins") };
}
