import type { Author } from "./memory.ts";
import type { Sentence } from "./sentence.ts";

/** Procedures that are written down in folders with a `SKILL.md` (row F6, agentskills.io). */

/** Where a skill lies: a later root holds where two have the same name. `project`: only of a folder that is trusted. */
export type SkillRoot = (typeof SKILL_ROOTS)[number];
export const SKILL_ROOTS = ["bundled", "user", "project"] as const;

/** Characters and bytes (hermes.md §16, nanobot.md §6). */
export const SKILL_LIMITS = {
  nameChars: 64,
  descriptionChars: 1_024,
  skillChars: 100_000,
  fileBytes: 1_048_576,
  /** Of one skill, `SKILL.md` among them. */
  files: 100,
} as const;

/** The file that makes a folder a skill. */
export const SKILL_FILE = "SKILL.md";

/** Where the other files of a skill lie. */
export const SKILL_FOLDERS = ["references", "templates", "scripts", "assets"] as const;

/** What is told of a skill before it is read. */
export interface Skill {
  readonly name: string;
  /** One line. */
  readonly description: string;
  readonly root: SkillRoot;
  /** Its folder. */
  readonly folder: string;
  /** The model is told all of it from the start; never of a project's. */
  readonly always?: true;
  /** Why it cannot be used here, such as a program that is not there. */
  readonly unavailable?: string;
}

/** What is no skill although it lies where skills do, and why. */
export interface SkillTrouble {
  readonly path: string;
  readonly sentence: Sentence;
}

export interface SkillsRead {
  /** By name, each once; those that are off are not among them. */
  readonly skills: readonly Skill[];
  readonly troubles: readonly SkillTrouble[];
}

export interface SkillView {
  readonly skill: Skill;
  /** The one that was asked for, as a path from the folder; else `SKILL.md`. */
  readonly file: string;
  /** Without the header of `SKILL.md`, and without what a person does not see. */
  readonly text: string;
  /** What was taken out of the text because a person does not see it: names of findings. */
  readonly hidden: readonly string[];
  /** The other files of the skill, as paths from its folder. */
  readonly files: readonly string[];
}

/** What lies there cannot be told. The sentence may hold words of whoever wrote it. */
export interface SkillUnread {
  readonly sentence: Sentence;
  readonly root: SkillRoot;
}

/** A file of a skill, as a path from its folder. */
export interface SkillFile {
  readonly path: string;
  readonly text: string;
}

/** What a look at a skill has found. `refuse`: it is not taken; `ask`: a person has to agree; `tell`: nothing is wrong. */
export interface SkillFinding {
  readonly level: "refuse" | "ask" | "tell";
  /** `fake_prerequisite`, `encoded_command`, … */
  readonly id: string;
  readonly file: string;
  /** From 1; absent: it is not of one line. */
  readonly line?: number;
  /** What was found, one short line. */
  readonly text: string;
}

/** What an agent does with a skill of its user; `file`: a path from its folder. */
export type SkillChange =
  | { readonly do: "create"; readonly name: string; readonly content: string }
  | { readonly do: "edit"; readonly name: string; readonly content: string }
  | {
      readonly do: "patch";
      readonly name: string;
      readonly file?: string;
      readonly find: string;
      readonly text: string;
    }
  | { readonly do: "delete"; readonly name: string }
  | { readonly do: "write_file"; readonly name: string; readonly file: string; readonly content: string }
  | { readonly do: "remove_file"; readonly name: string; readonly file: string };

export type SkillAnswer =
  | { readonly type: "done"; readonly skill: Skill | undefined }
  /** It waits for a person: `evander skill review`. */
  | { readonly type: "proposed"; readonly id: string; readonly findings: readonly SkillFinding[] }
  | { readonly type: "refused"; readonly sentence: Sentence };

/** A change that waits for a person. */
export interface SkillProposal {
  readonly id: string;
  readonly change: SkillChange;
  readonly author: Author;
  /** ms since the epoch */
  readonly atMs: number;
  /** What had been read: the name of the first tool that brought others' words. Absent: it waits for its findings. */
  readonly tainted?: string;
  readonly findings: readonly SkillFinding[];
}

/** The skills of one profile and of the folder that is worked in. Whoever dies leaves the old skill or the new one. */
export interface SkillShelf {
  list(): Promise<SkillsRead>;
  /** Undefined: there is no such skill. */
  view(name: string, file?: string): Promise<SkillView | SkillUnread | undefined>;
  /**
   * `tainted`: what others' words came from that had been read; the change is then proposed, and not made. So is one
   * that a person has to agree to, unless a person makes it. What is replaced or deleted is kept in an archive.
   */
  change(change: SkillChange, author: Author, tainted?: string): Promise<SkillAnswer>;
  /** The oldest first. */
  proposals(): Promise<readonly SkillProposal[]>;
  /** A person's yes makes the change, a no drops it. Undefined: nothing of this name waits. */
  decide(id: string, accept: boolean): Promise<SkillAnswer | undefined>;
}
