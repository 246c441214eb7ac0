import type { Author } from "./memory.ts";
import type { Sentence } from "./provider.ts";

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
} as const;

/** What is told of a skill before it is read. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly root: SkillRoot;
  /** Its folder. */
  readonly folder: string;
  /** The model is told all of it from the start. */
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
  readonly skills: readonly Skill[];
  readonly troubles: readonly SkillTrouble[];
}

export interface SkillView {
  readonly skill: Skill;
  /** The one that was asked for; else `SKILL.md`. */
  readonly file: string;
  readonly text: string;
  /** The other files of the skill, as paths from its folder. */
  readonly files: readonly string[];
}

/** What an agent does with a skill of its user; `file`: a path from its folder. */
export type SkillChange =
  | { readonly do: "create" | "edit"; readonly name: string; readonly content: string }
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
  | { readonly type: "proposed"; readonly id: string }
  | { readonly type: "refused"; readonly sentence: Sentence };

/** A change that waits for a person. */
export interface SkillProposal {
  readonly id: string;
  readonly change: SkillChange;
  readonly author: Author;
  /** ms since the epoch */
  readonly atMs: number;
  /** What had been read: the name of the first tool that brought others' words. */
  readonly tainted: string;
}

/** The skills of one profile and of the folder that is worked in. Whoever dies leaves the old skill or the new one. */
export interface SkillShelf {
  list(): SkillsRead;
  /** Undefined: there is no such skill. */
  view(name: string, file?: string): SkillView | { readonly sentence: Sentence } | undefined;
  /** `tainted`: what others' words came from that had been read; the change is then proposed, and not made. */
  change(change: SkillChange, author: Author, tainted?: string): Promise<SkillAnswer>;
  proposals(): readonly SkillProposal[];
  /** A person's yes makes the change, a no drops it. Undefined: nothing of this name waits. */
  decide(id: string, accept: boolean): Promise<SkillAnswer | undefined>;
}
