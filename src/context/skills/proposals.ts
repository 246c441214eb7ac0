import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isObject, objectInText } from "../../protocol/json.ts";
import type { SkillProposal } from "../../protocol/skill.ts";
import { DISK } from "../disk.ts";

/** Beside the skills of the user; it is no skill, and no prompt reads it. */
const PROPOSED = ".proposed";
/** Somebody who cannot be asked must not fill the disk. */
export const MOST_PROPOSALS = 100;

const ID = /^[a-z0-9-]{1,80}$/u;

/** What waits in a root, the oldest first. What is no proposal is passed over. */
export function proposalsIn(root: string): SkillProposal[] {
  const proposals = namesIn(root).flatMap((name) => readProposal(root, name.slice(0, -ENDING.length)) ?? []);
  return proposals.toSorted((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1));
}

const ENDING = ".json";

function namesIn(root: string): string[] {
  try {
    return readdirSync(join(root, PROPOSED)).filter((name) => name.endsWith(ENDING));
  } catch {
    return [];
  }
}

export function readProposal(root: string, id: string): SkillProposal | undefined {
  if (!ID.test(id)) return undefined;
  try {
    const value = objectInText(readFileSync(join(root, PROPOSED, id + ENDING), "utf8"));
    return value !== undefined && isProposal(value) && value.id === id ? value : undefined;
  } catch {
    return undefined;
  }
}

/** As it was written by `putProposal`; whoever edits it by hand proposes what stands there. */
function isProposal(value: object): value is SkillProposal {
  const { id, atMs, change, author, findings } = value as Partial<Record<keyof SkillProposal, unknown>>;
  if (typeof id !== "string" || typeof atMs !== "number" || !isObject(author) || !Array.isArray(findings)) return false;
  if (!isObject(change) || typeof change["name"] !== "string") return false;
  const texts = FIELDS.get(String(change["do"]));
  return texts?.every((field) => typeof change[field] === "string") === true;
}

const FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["create", ["content"]],
  ["edit", ["content"]],
  ["patch", ["find", "text"]],
  ["delete", []],
  ["write_file", ["file", "content"]],
  ["remove_file", ["file"]],
]);

export const putProposal = (root: string, proposal: SkillProposal): void =>
  DISK.replace(join(root, PROPOSED, proposal.id + ENDING), `${JSON.stringify(proposal, undefined, 2)}\n`);

export const dropProposal = (root: string, id: string): void =>
  rmSync(join(root, PROPOSED, id + ENDING), { force: true });
