import { realpathSync } from "node:fs";
import { join } from "node:path";
import { type Skill, SKILL_FILE, SKILL_LIMITS, type SkillRoot } from "../../protocol/skill.ts";
import { threatsIn } from "../prompt/threats.ts";
import type { WhatIsMissing } from "./available.ts";
import { describe } from "./describe.ts";
import { HEADER_CHARS, readHeader, splitSkill, type SplitSkill } from "./header.ts";
import { nameFault } from "./name.ts";
import { isBelow, readIn } from "./read-file.ts";
import type { SkillFault } from "./sentences.ts";

/** A folder with folders of skills in it. */
export interface Root {
  readonly root: SkillRoot;
  readonly folder: string;
  /** Nothing is told that lies outside of this folder, whatever links lead to it. Absent: its user may lay links. */
  readonly within?: string;
  /** Nobody has trusted where it lies: it is named where there is one, and not opened. */
  readonly untrusted?: true;
}

/** Nearly every header ends before, bytes. */
const FIRST_BYTES = 4_096;
/** A character has at most three bytes for each UTF-16 unit. */
const MOST_BYTES = 3;

export type SkillRead = Skill | { readonly fault: SkillFault };

/** What is told of a skill before it is read. Little is read of its file, whatever is in it. */
export async function readSkill(
  { root, folder, within }: Root,
  name: string,
  whatIsMissing: WhatIsMissing,
): Promise<SkillRead> {
  const badName = nameFault(name);
  if (badName !== undefined) return { fault: { type: "name", fault: badName } };
  const own = join(folder, name);
  if (within !== undefined && leadsOut(own, within)) return { fault: { type: "links-out" } };
  const split = startOf(own);
  if ("fault" in split) return split;
  const described = await describeBlock(split.block, name);
  if ("fault" in described) return described;
  const { description, always, needs } = described;
  const missing = whatIsMissing(needs);
  return {
    name,
    description,
    root,
    folder: own,
    ...(always && root !== "project" && { always }),
    ...(missing !== undefined && { unavailable: missing }),
  };
}

/** What a header says, where it may be told. */
export async function describeBlock(
  block: string,
  name: string,
): Promise<Exclude<ReturnType<typeof describe>, { fault: unknown }> | { readonly fault: SkillFault }> {
  const header = await readHeader(block);
  if ("fault" in header) return { fault: { type: "header", fault: header.fault } };
  const described = describe(header.fields, name);
  if ("fault" in described) return { fault: { type: "description", fault: described.fault } };
  const threats = threatsIn(described.description);
  return threats.length > 0 ? { fault: { type: "threats", threats } } : described;
}

function startOf(folder: string): SplitSkill | { readonly fault: SkillFault } {
  const first = readStart(folder, FIRST_BYTES);
  if ("fault" in first) return { fault: first.fault };
  if (first.bytes > SKILL_LIMITS.skillChars) {
    const tooLong = longFault(folder, first.bytes);
    if (tooLong !== undefined) return { fault: tooLong };
  }
  const split = splitSkill(first.text);
  if (!("fault" in split) || first.bytes <= FIRST_BYTES || split.fault.why !== "open") return headed(split);
  const more = readStart(folder, HEADER_CHARS * MOST_BYTES);
  return "fault" in more ? { fault: more.fault } : headed(splitSkill(more.text));
}

const headed = (split: ReturnType<typeof splitSkill>): SplitSkill | { readonly fault: SkillFault } =>
  "fault" in split ? { fault: { type: "header", fault: split.fault } } : split;

function readStart(
  folder: string,
  bytes: number,
): { readonly text: string; readonly bytes: number } | { readonly fault: SkillFault } {
  const read = readIn(folder, SKILL_FILE, { read: bytes, most: SKILL_LIMITS.fileBytes });
  return "fault" in read ? { fault: { type: "file", fault: read.fault } } : read;
}

/** Its characters are counted where its bytes do not tell. */
function longFault(folder: string, bytes: number): SkillFault | undefined {
  const most = SKILL_LIMITS.skillChars;
  if (bytes > most * MOST_BYTES) return { type: "too-long", chars: undefined };
  const whole = readStart(folder, bytes);
  if ("fault" in whole) return whole.fault;
  return whole.text.length > most ? { type: "too-long", chars: whole.text.length } : undefined;
}

function leadsOut(folder: string, within: string): boolean {
  try {
    return !isBelow(realpathSync(within), realpathSync(folder));
  } catch {
    return false;
  }
}
