import type { InstallRefusal, SkillNeeds } from "../../../protocol/skill-install.ts";
import { SKILL_FILE, SKILL_LIMITS, type SkillFinding } from "../../../protocol/skill.ts";
import { describe, type Described } from "../describe.ts";
import { type Fields, readHeader, splitSkill } from "../header.ts";
import { scanSkill } from "../scan.ts";
import { faultSentence, type SkillFault } from "../sentences.ts";
import { needsFrom, recordOf } from "./manifest.ts";
import type { SkillFile } from "./read-folder.ts";

/** What the files of a skill say of it, and what was found in them. */
export interface Told {
  readonly name: string;
  readonly description: string;
  /** Undefined: it says none. */
  readonly version: string | undefined;
  readonly needs: SkillNeeds;
  readonly findings: readonly SkillFinding[];
}

/** A skill by its files alone: it is called what its header says, whatever its folder is called. `known`: names of others. */
export async function skillIn(files: readonly SkillFile[], known: readonly string[]): Promise<Told | InstallRefusal> {
  const main = files.find(({ path }) => path === SKILL_FILE);
  if (main === undefined) return { why: "no-skill", folders: foldersWithSkills(files) };
  const text = textOf(main);
  if (text === undefined) return faulty({ type: "file", fault: { why: "not-text" } });
  const split = splitSkill(text.replaceAll("\r\n", "\n"));
  if ("fault" in split) return faulty({ type: "header", fault: split.fault });
  if (text.length > SKILL_LIMITS.skillChars) return faulty({ type: "too-long", chars: text.length });
  const read = await readHeader(split.block);
  if ("fault" in read) return faulty({ type: "header", fault: read.fault });
  const described = describe(read.fields, textIn(read.fields, "name") ?? "");
  if ("fault" in described) return faulty({ type: "description", fault: described.fault });
  return toldOf(read.fields, described, { files, known });
}

interface Parts {
  readonly files: readonly SkillFile[];
  readonly known: readonly string[];
}

function toldOf(fields: Fields, described: Described, { files, known }: Parts): Told {
  const { name, description, needs } = described;
  const metadata = recordOf(fields["metadata"]) ?? {};
  const requires = recordOf(metadata["requires"]) ?? recordOf(fields["requires"]) ?? {};
  const { tools, hosts } = needsFrom(requires);
  const version = textIn(fields, "version") ?? textIn(metadata, "version");
  const texts = files.flatMap((file) => {
    const text = textOf(file);
    return text === undefined ? [] : [{ path: file.path, text }];
  });
  const binaries = files.filter((file) => textOf(file) === undefined).map(binaryFinding);
  return {
    name,
    description,
    version: version !== undefined && /^[\w.+-]{1,64}$/u.test(version) ? version : undefined,
    needs: { tools, hosts, env: needs.env, bins: needs.bins },
    findings: [...scanSkill(texts, name, known), ...binaries],
  };
}

/** A picture is what a skill may have; nobody can read what a program does. */
const binaryFinding = ({ path, executable }: SkillFile): SkillFinding => ({
  level: executable || !/\.(?:png|jpe?g|gif|webp|svg|pdf|ttf|otf|woff2?)$/iu.test(path) ? "ask" : "tell",
  id: "no_text",
  file: path,
  text: path,
});

const faulty = (fault: SkillFault): InstallRefusal => ({
  why: "front-matter",
  trouble: faultSentence(SKILL_FILE, fault),
});

const textIn = (fields: Fields, name: string): string | undefined => {
  const value = fields[name];
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;
};

/** Undefined: no text. */
function textOf({ content }: SkillFile): string | undefined {
  if (content.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
}

/** So many are named. */
const MOST_NAMED = 8;

const foldersWithSkills = (files: readonly SkillFile[]): string[] =>
  files
    .filter(({ path }) => path.endsWith(`/${SKILL_FILE}`))
    .map(({ path }) => path.slice(0, -SKILL_FILE.length - 1))
    .slice(0, MOST_NAMED);
