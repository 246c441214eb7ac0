import assert from "node:assert/strict";
import { say } from "../../support/wire-script.ts";
import type { Script } from "../../support/fake-provider.ts";
import { calling, reading, running, when, writing } from "./model.ts";
import { REQUEST_USD, type Week } from "./world.ts";

const NAME = "release-the-site";
const PURPOSE = "Release a version of the site. Use when asked for a release.";
const LAST_STEP = "4. Look at both files: the numbers must agree.";
const SKILL = `---
name: ${NAME}
description: ${PURPOSE}
---

# Release the site

1. Read VERSION.
2. Write the new number into VERSION.
3. Add a line for it on top of CHANGELOG.md.
${LAST_STEP}
`;

/** The procedure behind its first look: four calls and an answer. */
const release = (before: string, version: string): Script[] => [
  when({ told: [before] }, writing("VERSION", `${version}\n`)),
  when({ told: ["VERSION"] }, reading("CHANGELOG.md")),
  when({ told: [`- ${before}`] }, writing("CHANGELOG.md", `- ${version}\n- ${before}\n`)),
  when({ told: ["CHANGELOG.md"] }, running("cat VERSION CHANGELOG.md")),
  when({ told: [`${version}\n- ${version}\n- ${before}`] }, say(`${version} is ready.`)),
];

const look = (): ReturnType<typeof reading> => reading("VERSION");

/** A procedure of several steps is done by hand; a review writes it down, and its user agrees. */
export async function wednesday(week: Week): Promise<string> {
  week.put("VERSION", "1.0.0\n");
  week.put("CHANGELOG.md", "- 1.0.0\n");
  week.model.script(
    when({ knowsNot: [NAME], told: ["1.1.0"] }, look()),
    ...release("1.0.0", "1.1.0"),
    when({ knowsNot: [NAME], told: ["[Look back."] }, calling("skills_list", {})),
    when({ told: ["commit-well"] }, calling("skill_manage", { action: "create", name: NAME, content: SKILL })),
    when({ told: ["Not written", "It waits as"] }, say("A skill waits for you.")),
  );
  await week.talk(async (chat) => {
    await chat.say("Make the release 1.1.0, please.");
    await chat.shown("1 change waits for your yes or no", "✓ answered");
  });
  const { stdout: waiting, stderr: next } = await week.run("skill", "review");
  const [, id = ""] = new RegExp(String.raw`^(\S+) {2}create {2}${NAME}/SKILL\.md\n`, "u").exec(waiting) ?? [];
  assert.ok(waiting.includes("others' words") && waiting.includes(`  +${LAST_STEP}`), waiting);
  assert.ok(next.includes(`evander skill review yes ${id}`), next);
  await week.run("skill", "review", "yes", id);
  assert.match(await week.print("skill", "list"), new RegExp(`${NAME} {2}\\(user\\)`, "u"));
  const bill = await week.print("turn", "cost", "last");
  const [, review] = /^review .* (\$\S+) estimated$/mu.exec(bill) ?? [];
  const [, sum] = /^sum .* (\$\S+) estimated$/mu.exec(bill) ?? [];
  return `a review proposes 1 skill, a yes makes it; ${review} of the turn's ${sum} are the review's`;
}

/** The same is wanted again, and done by the skill; then it is improved. */
export async function thursday(week: Week): Promise<string> {
  const listed = { knows: [`- ${NAME}: ${PURPOSE}`] };
  const patch = { old_text: "Add a line for it", new_text: "Add a line for it, with the date," };
  week.model.script(
    when({ ...listed, told: ["1.2.0"] }, calling("skill_view", { name: NAME })),
    when({ told: [LAST_STEP] }, look()),
    ...release("1.1.0", "1.2.0"),
    when({ ...listed, told: ["1.3.0", LAST_STEP] }, calling("skill_manage", { action: "patch", name: NAME, ...patch })),
    when({ told: ["Done: patch"] }, look()),
    ...release("1.2.0", "1.3.0"),
  );
  await week.run("-p", "Make the release 1.2.0, please.");
  await week.run("-p", `Release 1.3.0 with $${NAME}; the line should have the date from now on.`);
  const shown = await week.print("skill", "show", NAME);
  assert.ok(shown.includes("3. Add a line for it, with the date, on top of CHANGELOG.md."), shown);
  return `${week.read("VERSION").trim()} is out: by skill_view, then by $${NAME}, which is improved`;
}

/** What the week has cost is the sum of what its model was asked; a dream that was asked for belongs to no session. */
export async function bill(week: Week): Promise<string> {
  const days = (await week.print("turn", "cost", "--days", "7", "--json")).trim().split("\n");
  const accounts = days.map((line) => JSON.parse(line) as { attempts: number; cost: { usd: number } });
  const requests = accounts.reduce((sum, { attempts }) => sum + attempts, 0);
  const usd = accounts.reduce((sum, { cost }) => sum + cost.usd, 0);
  const asked = week.model.requests.length - 1;
  assert.equal(usd.toFixed(6), (asked * REQUEST_USD).toFixed(6));
  return `${asked - requests} requests missing or counted twice`;
}
