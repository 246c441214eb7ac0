import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { callTools, say } from "../support/wire-script.ts";
import { atMost } from "./at-most.ts";
import { Place, resultOf } from "./program.ts";

const SKILLS = join(import.meta.dirname, "../../skills");

type Call = readonly [name: string, input: object];

interface Played {
  /** What each call brought, as the model was told it. */
  readonly receipts: readonly string[];
  /** Subjects and bodies of all commits. */
  readonly history: string;
  readonly status: string;
}

/** A model that does these calls, one after the other, in a repository with a commit for each of these texts of `value`. */
async function play(prompt: string, versions: readonly string[], calls: readonly Call[]): Promise<Played> {
  const place = new Place();
  const env = { PATH: process.env["PATH"], HOME: place.folder, GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: place.work, encoding: "utf8", env }).trim();
  const steps = calls.map(([name, input]) => callTools([{ id: "c", name, arguments: JSON.stringify(input) }]));
  await using provider = await fakeProvider([...steps, say("Done.")]);
  try {
    git("init", "-q", "-b", "main");
    git("config", "user.name", "Ada");
    git("config", "user.email", "ada@example.test");
    writeFileSync(join(place.work, "check.sh"), "grep -q good value\n");
    for (const [at, text] of versions.entries()) {
      writeFileSync(join(place.work, "value"), `${text}\n`);
      git("add", "value", "check.sh");
      git("commit", "-qm", `step ${at}`);
    }
    writeFileSync(join(place.work, "value"), "good and new\n");
    const ended = await place.run(provider.baseUrl, ["-p", prompt, "--approve", "all", "--output", "json"]);
    assert.equal(resultOf(ended).answer, "Done.", ended.stderr);
    const messages = provider.requests.at(-1)?.body.messages ?? [];
    const receipts = messages.flatMap(({ role, content }) => (role === "tool" ? [String(content)] : []));
    return { receipts, history: git("log", "--format=%s%n%b"), status: git("status", "--short") };
  } finally {
    place.remove();
  }
}

test("[F6] commit-well, followed by a model: read, checked, committed, looked at", async () => {
  await atMost(async () => {
    const message = "git commit -q -m 'Let the value be new' -m 'The old one was not.' && git show --stat HEAD";
    const { receipts, history, status } = await play(
      "commit this",
      ["good"],
      [
        ["skill_view", { name: "commit-well" }],
        ["skill_view", { name: "commit-well", file_path: "references/checks.md" }],
        ["terminal", { command: "git status --short && git diff" }],
        ["terminal", { command: "sh check.sh" }],
        ["terminal", { command: `git add value && ${message}` }],
      ],
    );
    assert.match(receipts[0] ?? "", /^# Commit well$/mu);
    assert.match(receipts[1] ?? "", /how it is checked/u);
    assert.match(receipts[2] ?? "", /\+good and new/u);
    assert.match(receipts[4] ?? "", /Let the value be new/u);
    assert.equal(history, "Let the value be new\nThe old one was not.\n\nstep 0");
    assert.equal(status, "");
  });
});

test("[F6] find-the-cause, followed by a model: its script is run from where the skill says that it lies", async () => {
  await atMost(async () => {
    const { receipts, status } = await play(
      "why is it bad?",
      ["good", "good 2", "bad", "bad 2"],
      [
        ["skill_view", { name: "find-the-cause" }],
        ["terminal", { command: `sh ${join(SKILLS, "find-the-cause/scripts/bisect.sh")} HEAD~3 'grep -q good value'` }],
      ],
    );
    assert.ok(receipts[0]?.includes(join(SKILLS, "find-the-cause")), receipts[0]);
    assert.ok(receipts[0]?.includes("scripts/bisect.sh"), receipts[0]);
    assert.match(receipts[1] ?? "", /first bad commit: [0-9a-f]{40}[\s\S]*step 2/u);
    assert.equal(status, "M value");
  });
});

test("[F6] evander-help, followed by a model: the guides of the package can be read where nobody is asked", async () => {
  await atMost(async () => {
    const place = new Place();
    const guide = join(SKILLS, "evander-help", "../../docs/troubleshooting.md");
    const calls: readonly Call[] = [
      ["skill_view", { name: "evander-help" }],
      ["skill_view", { name: "evander-help", file_path: "references/questions.md" }],
      ["read_file", { path: guide }],
    ];
    const steps = calls.map(([name, input]) => callTools([{ id: "c", name, arguments: JSON.stringify(input) }]));
    await using provider = await fakeProvider([...steps, say("Because.")]);
    try {
      const { answer } = resultOf(await place.run(provider.baseUrl, ["-p", "$evander-help why?", "--output", "json"]));
      assert.equal(answer, "Because.");
      const messages = provider.requests.at(-1)?.body.messages ?? [];
      const told = messages.flatMap(({ role, content }) => (role === "tool" ? [String(content)] : []));
      assert.match(told[1] ?? "", /evander turn explain TURN/u);
      assert.match(told[2] ?? "", /# Troubleshooting/u);
      // Its name in the message has loaded it before the model was asked.
      assert.match(JSON.stringify(provider.requests[0]?.body.messages), /# Help with Evander/u);
    } finally {
      place.remove();
    }
  });
});
