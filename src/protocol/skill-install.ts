import type { Skill, SkillFinding, SkillTrouble } from "./skill.ts";

/** How a skill of somebody else comes into the folder of the user's skills (security.md §3.8). */

/** What it says it needs. It narrows what may be done with it, and grants nothing. */
export interface SkillNeeds {
  readonly tools: readonly string[];
  readonly hosts: readonly string[];
  /** Names of variables. */
  readonly env: readonly string[];
  /** Programs. */
  readonly bins: readonly string[];
}

export interface SkillManifest {
  readonly id: string;
  readonly version: string;
  /** SHA-256 in hex, by path from the folder of the skill; the manifest itself is not among them. */
  readonly files: Readonly<Record<string, string>>;
  readonly needs: SkillNeeds;
}

export type SkillOrigin =
  | { readonly type: "folder" | "archive"; readonly path: string }
  /** `folder`: in the repository; absent: its root. */
  | { readonly type: "git"; readonly address: string; readonly commit: string; readonly folder?: string };

/** What is kept beside an installed skill. */
export interface SkillRecord {
  readonly manifest: SkillManifest;
  readonly origin: SkillOrigin;
  /** ms since the epoch */
  readonly installedMs: number;
  /** The account that installed it. */
  readonly by: string;
}

export interface SkillDifference {
  readonly path: string;
  readonly change: "added" | "removed" | "changed";
  /** Lines with `+`, `-` or a blank in front; empty for what is no text. */
  readonly lines: readonly string[];
}

/** A skill that could be installed, with all that a person has to see before. */
export interface SkillParcel {
  readonly manifest: SkillManifest;
  readonly description: string;
  readonly origin: SkillOrigin;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  readonly findings: readonly SkillFinding[];
  /** Of the skill that has this name now; undefined: none has. */
  readonly update:
    | {
        /** Undefined: nobody installed it; it was written here. */
        readonly version: string | undefined;
        readonly differences: readonly SkillDifference[];
        /** Somebody has changed it since it was installed: those changes go with it. */
        readonly edited: boolean;
      }
    | undefined;
}

/** Why an entry cannot be a file of a skill. */
export type EntryTrouble =
  | { readonly why: "bad-path" | "long-path" | "no-file" | "twice" | "file-size"; readonly path: string }
  | { readonly why: "entries" | "size" };

/** Why nothing was installed; nothing has changed. */
export type InstallRefusal =
  | EntryTrouble
  /** `said`: the system's or another program's own words. */
  | { readonly why: "unreadable" | "archive" | "git"; readonly path: string; readonly said: string }
  | { readonly why: "source" | "no-commit" | "absent" | "address-key" | "protocol"; readonly source: string }
  | { readonly why: "no-skill"; readonly folders: readonly string[] }
  | { readonly why: "front-matter"; readonly trouble: SkillTrouble["sentence"] }
  | { readonly why: "manifest"; readonly what: "broken" | "id" | "version" }
  | { readonly why: "manifest-file"; readonly what: "missing" | "extra" | "changed"; readonly path: string }
  | { readonly why: "dangerous"; readonly findings: readonly SkillFinding[] }
  | { readonly why: "same-version"; readonly version: string }
  | { readonly why: "bundled"; readonly name: string }
  | { readonly why: "revoked"; readonly name: string };

export type InstallAnswer =
  | {
      readonly type: "ready";
      readonly parcel: SkillParcel;
      /** Puts into place what was shown, and nothing else. Resolves with the folder of what was there before, kept. */
      readonly install: () => Promise<{ readonly folder: string; readonly archived: string | undefined }>;
    }
  /** Every byte of it is there already. */
  | { readonly type: "same"; readonly manifest: SkillManifest }
  | ({ readonly type: "refused" } & InstallRefusal);

/** How an installed skill differs from what was agreed to. */
export interface SkillDrift {
  readonly name: string;
  readonly record: SkillRecord;
  readonly changed: readonly string[];
  readonly added: readonly string[];
  readonly missing: readonly string[];
}

/** What a list of revoked skills says of some. */
export interface RevokedRead {
  /** By name, each with the line of the list that says so. */
  readonly named: ReadonlyMap<string, string>;
  /** The list is there, and cannot be read. */
  readonly unread?: { readonly path: string; readonly said: string };
}

/** What a person does with skills as a whole. */
export interface SkillDesk {
  /** Reads a source and writes nothing. Never rejects because of what it reads. */
  prepare(source: string): Promise<InstallAnswer>;
  /** What was installed, each with what has changed since; and what of it cannot be read. */
  installed(): readonly SkillDrift[];
  /** Looks through a folder, or a `SKILL.md` alone, as an installation would. */
  scan(path: string): Promise<readonly SkillFinding[] | ({ readonly type: "refused" } & InstallRefusal)>;
  /** Of these skills the ones that must not be used. */
  revoked(skills: readonly Skill[]): RevokedRead;
  /** Takes a skill of the user out of its folder; resolves with the folder it is kept in; undefined: it is not there. */
  archive(name: string): Promise<string | undefined>;
}
