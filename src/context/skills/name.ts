import { SKILL_FILE, SKILL_FOLDERS, SKILL_LIMITS } from "../../protocol/skill.ts";

/** nanobot.md §6: small letters and digits, single hyphens between them. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;

/** Names that Windows keeps for devices, whatever stands behind a dot. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/iu;

export type NameFault = "blank" | "too-long" | "reserved" | "path" | "letters";

/** Why a skill cannot have this name; undefined: it can. */
export function nameFault(name: string): NameFault | undefined {
  if (name.trim() === "") return "blank";
  if (name.length > SKILL_LIMITS.nameChars) return "too-long";
  if (RESERVED.test(name)) return "reserved";
  if (/[/\\]/u.test(name) || name.startsWith(".")) return "path";
  return NAME.test(name) ? undefined : "letters";
}

/** Steps of a path from the folder of a skill; bytes that a step may have everywhere. */
const MOST_STEPS = 4;
const STEP_BYTES = 128;

/** A path that stays inside the folder of a skill and names the same file on every system. */
export function isSafePath(path: string): boolean {
  const steps = path.split("/");
  return steps.length <= MOST_STEPS && steps.every(isSafeStep);
}

/** A name of a file or folder that means the same on every system, and looks like what it is. */
export const isSafeStep = (step: string): boolean =>
  step !== "" &&
  !step.startsWith(".") &&
  !/[\p{C}\\:*?"<>|]|[. ]$/u.test(step) &&
  !RESERVED.test(step) &&
  Buffer.byteLength(step) <= STEP_BYTES;

/** A path that an agent may write: below one of the four folders. */
export const isWritablePath = (path: string): boolean =>
  isSafePath(path) && path !== SKILL_FILE && SKILL_FOLDERS.some((folder) => path.startsWith(`${folder}/`));
