import { statSync } from "node:fs";
import { resolve } from "node:path";
import { whyUnfit } from "../../words/skills.ts";
import type { Adapters } from "../adapters.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { usageRefusal } from "../refusal.ts";
import { findingLines } from "./parcel-lines.ts";
import { existingSkill, type SkillsHere, skillsHere } from "./room.ts";

/** `evander skill scan`: 0 when nothing was found, else 1. */
export async function scanSkill(asked: string, adapters: Adapters, { io, json, language }: Asked): Promise<number> {
  const here = await skillsHere(adapters, io);
  const folder = await folderOf(asked, here, io.cwd);
  const found = await here.desk.scan(folder);
  if ("type" in found) throw usageRefusal(whyUnfit(found), { code: found.why.replaceAll("-", "_") });
  if (json) sayJson(io, { folder, findings: found });
  else for (const line of findingLines(found, language)) say(io.stdout, line);
  return found.length === 0 ? 0 : 1;
}

/** A path is one that is there and written like one; every other word is a name. */
async function folderOf(asked: string, here: SkillsHere, cwd: string): Promise<string> {
  const path = resolve(cwd, asked);
  const isPath = /[/\\]|^\.{1,2}$|^SKILL\.md$/u.test(asked) && !asked.includes("\0");
  if (isPath && statSync(path, { throwIfNoEntry: false }) !== undefined) return path;
  const { skills } = await here.shelf.list();
  const named = skills.find(({ name }) => name === asked);
  if (named !== undefined) return named.folder;
  if (!asked.includes("\0") && statSync(path, { throwIfNoEntry: false }) !== undefined) return path;
  return (await existingSkill(asked, here)).folder;
}
