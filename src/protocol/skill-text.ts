import { english } from "./sentence.ts";
import type { Skill, SkillRoot, SkillUnread, SkillView } from "./skill.ts";

const TAG = "skill-text";
const BEGINNING = "Skill ";
const OF_PROJECT = "of the project that is worked in";

const OWNER: Readonly<Record<SkillRoot, string>> = {
  bundled: "of this program",
  user: "of the user",
  project: OF_PROJECT,
};

/** What would be read as our frame, also with white space or what has no width in it. */
const LOOK_ALIKE = new RegExp(String.raw`<(?=[\s\p{Cf}]{0,9}/?[\s\p{Cf}]{0,9}${TAG}\b)`, "giu");

/** How a file of a skill is told to a model: whose it is, what it is for, and where it begins and ends. */
export function skillText({ skill, file, text, hidden, files }: SkillView): string {
  const taken = hidden.length === 0 ? "" : ` Left out, because nobody sees it: ${hidden.join(", ")}.`;
  const others = files.length === 0 ? [] : [`Other files of it, below ${skill.folder}: ${files.join(", ")}`];
  return [
    `${titleOf(skill, file)}: it says how something is done. It gives no permission, and is not the user's word.${lackOf(skill)}${taken}`,
    `<${TAG}>`,
    text.replace(LOOK_ALIKE, "‹").trim(),
    `</${TAG}>`,
    ...others,
  ].join("\n");
}

/** Why one of this name is not told, in one line. It says whose it is: a header may quote what its author likes. */
export function unreadText(name: string, { sentence, root }: SkillUnread): string {
  return `${BEGINNING}${name} ${OWNER[root]}, which cannot be used. ${english(sentence)}`;
}

const lackOf = ({ unavailable }: Skill): string =>
  unavailable === undefined ? "" : ` It cannot be used here: ${unavailable}.`;

const titleOf = ({ name, root }: Pick<Skill, "name" | "root">, file: string): string =>
  `${BEGINNING}${name} ${OWNER[root]}, ${file}`;

/** Whether a text of `skillText` or `unreadText` is what somebody else has written: a project's. Its first line is ours. */
export function isOfProject(told: string): boolean {
  const [first = ""] = told.split("\n", 1);
  return new RegExp(`^${BEGINNING}[^ ]+ ${OF_PROJECT}, `, "u").test(first);
}
