import { authorOf, PROPOSED } from "../protocol/memory.ts";
import { english } from "../protocol/sentence.ts";
import {
  type Skill,
  SKILL_FOLDERS,
  type SkillAnswer,
  type SkillChange,
  type SkillFinding,
  type SkillShelf,
} from "../protocol/skill.ts";
import { isOfProject, skillText, unreadText } from "../protocol/skill-text.ts";
import type { Tool } from "../protocol/tool.ts";

const SKILL_TOOLS = { list: "skills_list", view: "skill_view", manage: "skill_manage" } as const;

/** So many are listed at once. */
const MOST_LISTED = 200;

/** What finds, reads and writes skills (rows F6, E9). `manage`: skills can be written here. */
export const skillTools = (shelf: SkillShelf, { manage }: { readonly manage: boolean }): Tool[] => [
  listTool(shelf),
  viewTool(shelf),
  ...(manage ? [manageTool(shelf)] : []),
];

type Input = Parameters<Tool["run"]>[0];

const textIn = (input: Input, name: string): string => {
  const value = input[name];
  return typeof value === "string" ? value : "";
};

const listTool = (shelf: SkillShelf): Tool => ({
  name: SKILL_TOOLS.list,
  toolset: "skills",
  description: "Lists the skills there are: procedures that are written down. `query`: only those with these words.",
  parameters: { type: "object", properties: { query: { type: "string" } } },
  effect: "pure",
  concurrency: "shared",
  trusted: true,
  async run(input) {
    const words = textIn(input, "query").toLowerCase().split(/\s+/u);
    const { skills } = await shelf.list();
    const fitting = skills.filter(({ name, description }) =>
      words.every((word) => `${name} ${description}`.toLowerCase().includes(word)),
    );
    const left = fitting.length - MOST_LISTED;
    return JSON.stringify({
      skills: fitting.slice(0, MOST_LISTED).map(shown),
      ...(left > 0 && { note: `${left} more: give a query.` }),
    });
  },
});

const shown = ({ name, description, root, unavailable }: Skill): object => ({
  name,
  description,
  from: root,
  ...(unavailable !== undefined && { unavailable }),
});

const viewTool = (shelf: SkillShelf): Tool => ({
  name: SKILL_TOOLS.view,
  toolset: "skills",
  description: "Reads a skill whole, before you begin with what it is for. `file_path`: another file of it.",
  parameters: {
    type: "object",
    properties: { name: { type: "string" }, file_path: { type: "string", description: "such as references/api.md" } },
    required: ["name"],
  },
  effect: "pure",
  concurrency: "shared",
  // What a project has written are others' words.
  trusted: (result) => !isOfProject(result),
  async run(input) {
    const name = textIn(input, "name").trim();
    const view = await shelf.view(name, textIn(input, "file_path").trim() || undefined);
    if (view === undefined)
      throw new Error(`There is no skill of this name: ${SKILL_TOOLS.list} shows those there are.`);
    if ("sentence" in view) throw new Error(unreadText(name, view));
    return skillText(view);
  },
});

const MANAGE =
  "Writes the user's skills. create, edit: `content` is the whole SKILL.md, which begins with `---`, lines `name:` (as " +
  "given) and `description:` (what it does and when to use it), `---`, then the steps. patch: replaces `old_text`, which " +
  `stands there once, with \`new_text\`. write_file, remove_file: \`file_path\` below ${SKILL_FOLDERS.join("/, ")}/. delete: ` +
  "the whole skill. Write down what a later task of this kind needs, for anybody: no secrets, nothing of this one case alone.";

const manageTool = (shelf: SkillShelf): Tool => ({
  name: SKILL_TOOLS.manage,
  toolset: "skills",
  description: MANAGE,
  parameters: {
    type: "object",
    properties: {
      action: { type: "string", enum: ["create", "edit", "patch", "delete", "write_file", "remove_file"] },
      name: { type: "string", description: "small letters, digits, hyphens" },
      content: { type: "string", description: "for create, edit and write_file" },
      file_path: { type: "string", description: "for patch (SKILL.md when absent), write_file and remove_file" },
      old_text: { type: "string" },
      new_text: { type: "string" },
    },
    required: ["action", "name"],
  },
  effect: "effect",
  concurrency: "exclusive",
  trusted: true,
  outlives: true,
  async run(input, context) {
    const change = changeIn(input);
    const answer = await shelf.change(change, authorOf(context), context.tainted);
    return told(change, answer);
  },
});

function changeIn(input: Input): SkillChange {
  const name = textIn(input, "name").trim();
  const content = textIn(input, "content");
  const file = textIn(input, "file_path").trim();
  const change = textIn(input, "action");
  switch (change) {
    case "create":
    case "edit":
      return { do: change, name, content };
    case "patch": {
      const find = textIn(input, "old_text");
      return { do: change, name, find, text: textIn(input, "new_text"), ...(file !== "" && { file }) };
    }
    case "delete":
      return { do: change, name };
    case "write_file":
      return { do: change, name, file, content };
    case "remove_file":
      return { do: change, name, file };
    default:
      throw new Error("action is one of create, edit, patch, delete, write_file, remove_file.");
  }
}

function told(change: SkillChange, answer: SkillAnswer): string {
  switch (answer.type) {
    case "done": {
      const where = answer.skill === undefined ? "" : ` It lies in ${answer.skill.folder}.`;
      const lacks = answer.skill?.unavailable;
      return `Done: ${change.do} ${change.name}.${where}${lacks === undefined ? "" : ` It is not offered here: ${lacks}.`}`;
    }
    case "proposed":
      return (
        `${PROPOSED} ${whyProposed(answer.findings)}. It waits as ${answer.id} until the user agrees ` +
        "(evander skill review). Tell the user so, and do not try it in another way."
      );
    case "refused":
      throw new Error(english(answer.sentence));
  }
}

const whyProposed = (findings: readonly SkillFinding[]): string =>
  findings.length === 0
    ? "others' words were read in this conversation"
    : `somebody has to look at what stands in it (${[...new Set(findings.map(({ id }) => id))].join(", ")})`;
