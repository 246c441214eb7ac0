import { existsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type {
  InstallAnswer,
  InstallRefusal,
  SkillDesk,
  SkillManifest,
  SkillOrigin,
  SkillParcel,
  SkillRecord,
} from "../../../protocol/skill-install.ts";
import { SKILL_FILE } from "../../../protocol/skill.ts";
import { archiveSkill } from "../archive.ts";
import { differencesOf } from "./differences.ts";
import { digestOf, manifestOf } from "./manifest.ts";
import { finishPlacing, isPlacing, type Placed, place } from "./place.ts";
import { readArchive } from "./read-archive.ts";
import { type FilesRead, readFolder, type SkillFile } from "./read-folder.ts";
import { readGit } from "./read-git.ts";
import { installedIn, readRecord } from "./records.ts";
import { isUnread, readRevoked, revokedAmong, revokedBy } from "./revoked.ts";
import { readSource, type Whereabouts } from "./source.ts";
import { skillIn, type Told } from "./told.ts";

export interface DeskPlaces extends Whereabouts {
  /** The folder of the user's skills. */
  readonly root: string;
  /** The list of skills that must not be used. */
  readonly revokedList: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whose account installs. */
  readonly account: string;
  /** Names of skills in other folders, and of those in the folder of the user. */
  readonly names: () => Promise<{ readonly bundled: readonly string[]; readonly others: readonly string[] }>;
  readonly now: () => number;
  /** Does the work while no other process changes the folder. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
}

const namesOf = ({ bundled, others }: Awaited<ReturnType<DeskPlaces["names"]>>): string[] => [...bundled, ...others];

type Refused = { readonly type: "refused" } & InstallRefusal;

const refused = (refusal: InstallRefusal): Refused => ({ type: "refused", ...refusal });

export function skillDesk(places: DeskPlaces): SkillDesk {
  const { root, alone, now } = places;
  return {
    prepare: async (source) => {
      if (isPlacing(root)) await alone(async () => finishPlacing(root));
      return prepare(source, places);
    },
    installed: () => installedIn(root),
    revoked: (skills) => revokedAmong(places.revokedList, skills),
    scan: async (path) => {
      const read = readForScan(path);
      if (read.type === "refused") return read;
      const told = await skillIn(read.files, namesOf(await places.names()));
      return "why" in told ? refused(told) : told.findings;
    },
    archive: (name) => alone(async () => (existsSync(join(root, name)) ? archiveSkill(root, name, now()) : undefined)),
  };
}

/** A `SKILL.md` that is named itself stands for its folder. */
function readForScan(path: string): FilesRead {
  const isFile = basename(path) === SKILL_FILE && statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  return readFolder(isFile ? dirname(path) : path);
}

async function prepare(source: string, places: DeskPlaces): Promise<InstallAnswer> {
  const origin = readSource(source, places);
  if ("why" in origin) return refused(origin);
  const read = await readFrom(origin, places);
  if (read.type === "refused") return read;
  const names = await places.names();
  const told = await skillIn(read.files, namesOf(names));
  if ("why" in told) return refused(told);
  const made = manifestOf(read.files, { id: told.name, version: told.version, needs: told.needs });
  if ("why" in made) return refused(made);
  const refusal = forbidden(made.manifest, { told, bundled: names.bundled, places });
  return refusal === undefined
    ? judge({ manifest: made.manifest, origin, told, files: read.files }, places)
    : refused(refusal);
}

function readFrom(origin: SkillOrigin, { env }: DeskPlaces): FilesRead | Promise<FilesRead> {
  switch (origin.type) {
    case "folder":
      return readFolder(origin.path);
    case "archive":
      return readArchive(origin.path);
    case "git":
      return readGit(origin, env);
  }
}

interface Judged {
  readonly told: Told;
  readonly bundled: readonly string[];
  readonly places: DeskPlaces;
}

/** What nobody can agree to. */
function forbidden(manifest: SkillManifest, { told, bundled, places }: Judged): InstallRefusal | undefined {
  const dangers = told.findings.filter(({ level }) => level === "refuse");
  if (dangers.length > 0) return { why: "dangerous", findings: dangers };
  if (bundled.includes(told.name)) return { why: "bundled", name: told.name };
  const list = readRevoked(places.revokedList);
  if (isUnread(list)) return { why: "unreadable", ...list };
  const line = revokedBy(list, manifest);
  return line === undefined ? undefined : { why: "revoked", name: line };
}

interface Found {
  readonly manifest: SkillManifest;
  readonly origin: SkillOrigin;
  readonly told: Told;
  readonly files: readonly SkillFile[];
}

/** Whether it may take the place of what is there, and what changes then. */
function judge({ manifest, origin, told, files }: Found, places: DeskPlaces): InstallAnswer {
  const { id, version } = manifest;
  const before = existsSync(join(places.root, id)) ? readFolder(join(places.root, id)) : undefined;
  // What cannot be read is archived as it is; what is no skill, such as a tree of links, is its owner's to move away.
  if (before?.type === "refused" && before.why !== "unreadable") return before;
  const record = before && readRecord(places.root, id);
  const update = before && updateOf(before, files, { root: places.root, record });
  if (record !== undefined && update?.differences.length === 0) return { type: "same", manifest };
  if (record !== undefined && isSameVersion(record.manifest, manifest))
    return refused({ why: "same-version", version });
  const parcel: SkillParcel = {
    manifest,
    description: told.description,
    origin,
    files: files.map(({ path, content }) => ({ path, bytes: content.length })),
    findings: told.findings,
    update,
  };
  const kept: SkillRecord = { manifest, origin, installedMs: places.now(), by: places.account };
  return { type: "ready", parcel, install: () => install(places, kept, files) };
}

interface Known {
  readonly root: string;
  readonly record: SkillRecord | undefined;
}

function updateOf(
  before: FilesRead,
  files: readonly SkillFile[],
  { root, record }: Known,
): NonNullable<SkillParcel["update"]> {
  const differences = differencesOf(before.type === "files" ? before.files : [], files);
  const id = record?.manifest.id;
  return { version: record?.manifest.version, differences, edited: id !== undefined && isEdited(root, id) };
}

const install = (places: DeskPlaces, record: SkillRecord, files: readonly SkillFile[]): Promise<Placed> =>
  places.alone(async () => {
    finishPlacing(places.root);
    return place(places.root, record, files);
  });

/** The same version, and other bytes. */
const isSameVersion = (a: SkillManifest, b: SkillManifest): boolean =>
  a.version === b.version && digestOf(a.files) !== digestOf(b.files);

const isEdited = (root: string, id: string): boolean =>
  installedIn(root).some(
    ({ name, changed, added, missing }) => name === id && changed.length + added.length + missing.length > 0,
  );
