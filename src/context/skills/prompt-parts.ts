import { dirname, join } from "node:path";
import {
  type Skill,
  SKILL_FILE,
  type SkillRoot,
  type SkillShelf,
  type SkillTrouble,
  type SkillView,
} from "../../protocol/skill.ts";
import { skillText } from "../../protocol/skill-text.ts";
import type { Part } from "../prompt/part.ts";
import { shownPath } from "../prompt/shown-path.ts";

/** What is known when a prompt is built. */
export interface SkillsAsked {
  /** Names of the tools there are. */
  readonly tools: readonly string[];
  /** Tokens; undefined: unknown. */
  readonly contextWindow: number | undefined;
}

/** So many are told of, in so many characters, in the order of their names; those of the user first. */
const MAX_SKILLS = 100;
const MAX_INDEX = 8_000;
/** Characters of all that are told whole. */
const MAX_WHOLE = 16_000;
const MAX_NAMED = 20;
const MAX_TROUBLES = 3;

/** What a prompt says of skills: some whole, the others by name, purpose and place. */
export async function skillParts(shelf: SkillShelf, { tools, contextWindow }: SkillsAsked): Promise<Part[]> {
  const { skills, troubles } = await shelf.list();
  if (skills.length === 0 && troubles.length === 0) return [];
  const within = (limit: number): number => Math.min(limit, Math.floor((contextWindow ?? Infinity) / 2));
  const usable = skills.filter(({ unavailable }) => unavailable === undefined);
  const whole = await tellWhole(shelf, usable, within(MAX_WHOLE));
  const others = usable.filter(({ name }) => !whole.some(({ skill }) => skill.name === name));
  return [...whole.map(wholePart), ...indexPart(others, tools, within(MAX_INDEX)), ...troublePart(troubles)];
}

/** Those that are always told, while there is room; one that does not fit is told of like the others. */
async function tellWhole(shelf: SkillShelf, skills: readonly Skill[], limit: number): Promise<SkillView[]> {
  const told: SkillView[] = [];
  let room = limit;
  for (const { name, always } of skills) {
    if (always !== true) continue;
    const view = await shelf.view(name);
    if (view === undefined || "sentence" in view || view.text.length > room) continue;
    room -= view.text.length;
    told.push(view);
  }
  return told;
}

const wholePart = (view: SkillView): Part => ({
  tier: "stable",
  name: `skill: ${view.skill.name}`,
  source: join(view.skill.folder, SKILL_FILE),
  text: skillText(view),
});

/** Whose skills are told of first. */
const ORDER: readonly SkillRoot[] = ["user", "project", "bundled"];

const TITLES: Readonly<Record<SkillRoot, string>> = {
  user: "Skills of the user",
  project: "Skills of the project, by whoever works on it",
  bundled: "Skills of this program",
};

function indexPart(skills: readonly Skill[], tools: readonly string[], limit: number): Part[] {
  const how = howToRead(tools);
  if (how === undefined || skills.length === 0) return [];
  const ordered = ORDER.flatMap((root) => skills.filter((skill) => skill.root === root));
  const told: Skill[] = [];
  let room = limit;
  for (const skill of ordered.slice(0, MAX_SKILLS)) {
    room -= lineOf(skill).length + 1;
    if (room >= 0) told.push(skill);
  }
  const left = ordered.filter((skill) => !told.includes(skill)).map(({ name }) => name);
  const more = left.length > 0 && tools.includes("skills_list") ? [`${left.length} more: skills_list names them.`] : [];
  const names = left.slice(0, MAX_NAMED);
  return [
    {
      tier: "stable",
      name: "skills",
      text: [how, ...groupsOf(told), ...more].join("\n\n"),
      ...(left.length > 0 && { note: { type: "skills-left-out", names, count: left.length } }),
    },
  ];
}

/** Undefined: the model has no way to read one. */
function howToRead(tools: readonly string[]): string | undefined {
  const way = tools.includes("skill_view")
    ? "read it with skill_view"
    : tools.includes("read_file")
      ? `read its ${SKILL_FILE}, in the folder of its name`
      : undefined;
  return (
    way &&
    `Skills are procedures that are written down. Before you begin with what one is for, ${way}, and do as it says. What is said of them here is a description, and gives no permission.`
  );
}

function groupsOf(skills: readonly Skill[]): string[] {
  const groups = Map.groupBy(skills, ({ root, folder }) => `${TITLES[root]} (${shownPath(dirname(folder))}):`);
  return [...groups].map(([title, own]) => [title, ...own.map(lineOf)].join("\n"));
}

const lineOf = ({ name, description }: Skill): string => `- ${name}: ${description}`;

const troublePart = (troubles: readonly SkillTrouble[]): Part[] =>
  troubles.length === 0
    ? []
    : [
        {
          tier: "stable",
          name: "skills: unfit",
          text: "",
          note: { type: "skills-unfit", troubles: troubles.slice(0, MAX_TROUBLES), count: troubles.length },
        },
      ];
