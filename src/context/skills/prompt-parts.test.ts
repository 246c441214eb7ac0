import { expect, test } from "vitest";
import type { Skill, SkillShelf, SkillsRead } from "../../protocol/skill.ts";
import type { Part } from "../prompt/part.ts";
import { skillParts } from "./prompt-parts.ts";
import { namedSkills } from "./refer.ts";

const skill = (name: string, more: Partial<Skill> = {}): Skill => ({
  name,
  description: `Does ${name}`,
  root: "user",
  folder: `/own/skills/${name}`,
  ...more,
});

/** A shelf with these skills, each of which says its name and what stands here. */
function shelf(
  skills: readonly Skill[],
  { troubles = [], text = "" }: Partial<SkillsRead> & { text?: string } = {},
): SkillShelf {
  return {
    list: () => Promise.resolve({ skills, troubles }),
    view: (name) => {
      const found = skills.find((it) => it.name === name);
      const view = found && { skill: found, file: "SKILL.md", text: `${name}: ${text}`, hidden: [], files: [] };
      return Promise.resolve(view);
    },
    change: () => Promise.reject(new Error("nothing is written here")),
    proposals: () => Promise.resolve([]),
    decide: () => Promise.resolve(undefined),
  };
}

const TOOLS = ["skills_list", "skill_view", "skill_manage", "read_file"];
const parts = (of: SkillShelf, tools = TOOLS, contextWindow?: number): Promise<Part[]> =>
  skillParts(of, { tools, contextWindow });

test("[F6][A7] skills are told of by whose they are, with purpose and place; those that cannot be used are not", async () => {
  const found = shelf([
    skill("a"),
    skill("b", { root: "bundled", folder: "/package/skills/b" }),
    skill("c", { root: "project", folder: "/work/.agents/skills/c" }),
    skill("d", { unavailable: "it needs the program x" }),
  ]);
  const [index, ...others] = await parts(found);
  expect(others).toEqual([]);
  expect(index).toMatchObject({ tier: "stable", name: "skills" });
  expect(index?.text).toContain("read it with skill_view");
  expect(index?.text).toContain(
    [
      "Skills of the user (/own/skills):\n- a: Does a",
      "Skills of the project, by whoever works on it (/work/.agents/skills):\n- c: Does c",
      "Skills of this program (/package/skills):\n- b: Does b",
    ].join("\n\n"),
  );
  expect(index?.text).not.toMatch(/Does d/u);
  expect((await parts(found, ["read_file"]))[0]?.text).toContain("read its SKILL.md, in the folder of its name");
  expect(await parts(found, ["terminal"])).toEqual([]);
  expect(await parts(shelf([]))).toEqual([]);
});

test("[F6][A7] what is always told is told whole, in a frame, where there is room; else it is told of like the others", async () => {
  const found = shelf([skill("a", { always: true }), skill("b", { always: true }), skill("c")], {
    text: "x".repeat(9_000),
  });
  const [whole, index, ...others] = await parts(found);
  expect(others).toEqual([]);
  expect(whole).toMatchObject({ tier: "stable", name: "skill: a", source: "/own/skills/a/SKILL.md" });
  expect(whole?.text).toMatch(/^Skill a of the user, SKILL\.md: .*\n<skill-text>\na: x+\n<\/skill-text>$/u);
  expect(index?.text).toMatch(/- b: Does b\n- c: Does c$/u);
  // In a small window there is room for neither.
  expect((await parts(found, TOOLS, 8_000)).map(({ name }) => name)).toEqual(["skills"]);
  expect((await parts(found, [])).map(({ name }) => name)).toEqual(["skill: a"]);
});

test("[F6][A7] more skills than fit are counted and named; the model is told how it finds them", async () => {
  const many = Array.from({ length: 130 }, (_, at) => skill(`s${String(at).padStart(3, "0")}`));
  const [index] = await parts(shelf(many));
  expect(index?.note).toMatchObject({ type: "skills-left-out", count: 30, names: { length: 20, 0: "s100" } });
  expect(index?.text).toMatch(/- s099: Does s099\n\n30 more: skills_list names them\.$/u);
  const long = many.map((it) => ({ ...it, description: "long ".repeat(100).trim() }));
  const [bounded] = await parts(shelf(long), TOOLS, 4_096);
  expect(bounded?.text.length).toBeLessThan(2_700);
  expect(bounded?.note).toMatchObject({ count: 126 });
  expect((await parts(shelf(long)))[0]?.text).toBe((await parts(shelf(long)))[0]?.text);
});

test("[F6][A7] what is no skill is a note of the prompt, and not told to the model", async () => {
  const trouble = { path: "/own/skills/x", sentence: "It is broken." };
  const troubles = Array.from({ length: 5 }, () => trouble);
  expect(await parts(shelf([], { troubles }))).toEqual([
    {
      tier: "stable",
      name: "skills: unfit",
      text: "",
      note: { type: "skills-unfit", troubles: [trouble, trouble, trouble], count: 5 },
    },
  ]);
});

test("[F6] the skills that a message names join it, each once, within bounds; other words are left alone", async () => {
  const found = shelf([skill("a"), skill("b", { root: "project" })], { text: "x".repeat(20_000) });
  const named = await namedSkills(found, "do $a, then $b, $a again; $nobody, a$b");
  expect(named.map(({ source, skill: root }) => [source, root])).toEqual([
    ["skill a", "user"],
    ["skill b", "project"],
  ]);
  expect(named[0]?.text).toMatch(/^Skill a of the user, SKILL\.md: /u);
  const told = named.map(({ text }) => text.length);
  expect(told[0]).toBeGreaterThan(20_000);
  expect(told[1]).toBeLessThan(12_500);
  expect(named[1]?.text).toContain("left out here: the middle of 20003 bytes");
  expect(await namedSkills(found, "nothing of it costs $5")).toEqual([]);
  const unread = { sentence: "a/SKILL.md: it is no file.", root: "project" } as const;
  const broken: SkillShelf = { ...found, view: () => Promise.resolve(unread) };
  expect(await namedSkills(broken, "$a")).toEqual([
    {
      type: "context",
      source: "skill a",
      text: "Skill a of the project that is worked in, which cannot be used. a/SKILL.md: it is no file.",
      skill: "project",
    },
  ]);
  const many = shelf(Array.from({ length: 9 }, (_, at) => skill(`s${at}`)));
  expect(await namedSkills(many, "$s0 $s1 $s2 $s3 $s4 $s5 $s6")).toHaveLength(5);
});
