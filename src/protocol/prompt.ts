import type { SkillTrouble } from "./skill.ts";

/** The system prompt of a session: built once, kept with it, and sent again as it is (rows A7, A8). */

/**
 * Why a prompt is built: there is no session yet (`missing`), none was kept (`null`), an empty one was, the one that was
 * is for another model or folder (`stale_runtime`), or was made from other words of the program (`stale_system`).
 */
export type PromptState = "missing" | "null" | "empty" | "stale_runtime" | "stale_system";

/** The session's system prompt was built: the text is kept beside the journal (`Writer.keepPrompt`). */
export interface PromptBuilt {
  readonly type: "prompt-built";
  /** What there was instead of one that could be sent (row A8). */
  readonly state: PromptState;
  /** Of the text, hex. */
  readonly sha256: string;
  readonly parts: readonly PromptPart[];
}

/** A part of a system prompt, in its place: what changes least stands in front. */
export interface PromptPart {
  readonly tier: "stable" | "context" | "volatile";
  /** What it is: `identity`, `project instructions`, … */
  readonly name: string;
  /** The file or folder that it was read from. */
  readonly source?: string;
  /** Of its text, UTF-16 units; 0: nothing of it is sent. Parts stand behind each other with a blank line between. */
  readonly chars: number;
  readonly note?: PromptNote;
}

/** What became of a file that a prompt tells of, or does not. */
export type PromptNote =
  /** Its middle is left out; `bytes`: of the whole file. */
  | { readonly type: "cut"; readonly bytes: number }
  /** In its place stands that these were found in it. */
  | { readonly type: "blocked"; readonly threats: readonly string[] }
  /** It was not opened: nobody has trusted its folder. */
  | { readonly type: "untrusted"; readonly folder: string }
  | { readonly type: "unread"; readonly because: Unread }
  /** There are too many, or no room is left; `count`: of all of them, some of whose names are given. */
  | { readonly type: "files-left-out"; readonly names: readonly string[]; readonly count: number }
  /** Notes that hold a threat, with all that was found, and notes that there is no room for; the others are told. */
  | {
      readonly type: "notes-left-out";
      readonly blocked: number;
      readonly threats: readonly string[];
      readonly noRoom: number;
    }
  /** More skills than are told of; `count`: of all of them, some of whose names are given. */
  | { readonly type: "skills-left-out"; readonly names: readonly string[]; readonly count: number }
  /** What lies where skills do, and is none; `count`: of all of it. */
  | { readonly type: "skills-unfit"; readonly troubles: readonly SkillTrouble[]; readonly count: number };

/**
 * Why nothing of a file that is there can be told; `leads-out`: a link of the project to what lies elsewhere;
 * `leads-nowhere`: a link to what is not there.
 */
export type Unread =
  | "not-a-file"
  | "not-text"
  | "too-large"
  | "no-permission"
  | "leads-out"
  | "leads-nowhere"
  | "unreadable";

/** What a session's model is told first; `built`: it is not kept yet. */
export interface SessionPrompt {
  readonly text: string;
  readonly built?: PromptBuilt;
}

export interface BuiltPrompt {
  readonly text: string;
  readonly parts: readonly PromptPart[];
}

/** Stands between two parts. */
export const BETWEEN_PARTS = "\n\n";
