import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ProgramWorld } from "../support/program.ts";

const SKILLS = join(import.meta.dirname, "../../skills");
const DOCS = join(import.meta.dirname, "../../docs");

const texts = async (): Promise<string[]> => {
  const entries = await readdir(SKILLS, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".md"));
  return Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), "utf8")));
};

test("[F6] the skills that come with the program are in order: offered, short, and nothing is found in them", async () => {
  await using world = await ProgramWorld.open({ type: "practice" });
  world.skillsFolder = SKILLS;
  const names = (await readdir(SKILLS)).toSorted();
  expect(names).toEqual(["commit-well", "evander-help", "find-the-cause"]);
  const env = { env: { PATH: process.env["PATH"] } };
  const { stdout, stderr } = await world.run(["skill", "list", "--json"], "", env);
  const { skills, troubles } = JSON.parse(stdout) as { skills: object[]; troubles: object[] };
  expect({ troubles, stderr }).toEqual({ troubles: [], stderr: "" });
  expect(skills).toMatchObject(names.map((name) => ({ name, root: "bundled", state: "available", unavailable: null })));
  for (const name of names) {
    expect(await world.run(["skill", "scan", name])).toMatchObject({ code: 0, stdout: "Nothing was found.\n" });
    const { stdout: text } = await world.run(["skill", "show", name, "--json"]);
    const view = JSON.parse(text) as { text: string; files: string[]; hidden: string[] };
    expect(view.hidden).toEqual([]);
    expect(view.text.length).toBeLessThan(5_000);
    // Whoever reads it is told of each other file.
    for (const file of view.files) expect(view.text).toContain(file);
  }
});

test("[F6][X8] every command that the skills name exists, and so does every guide", async () => {
  await using world = await ProgramWorld.open({ type: "practice" });
  const commands = new Set<string>();
  for (const text of await texts())
    for (const [, line = ""] of text.matchAll(/`evander ([^`]+)`/gu))
      commands.add(line.replaceAll(/ [A-Z]+(?= |$)/gu, ""));
  expect(commands.size).toBeGreaterThan(15);
  for (const command of commands) {
    const words = command.split(" ").filter((word) => /^[a-z]/u.test(word));
    const { code, stdout } = await world.run([...words.slice(0, 2), "--help"]);
    expect({ command, code }).toEqual({ command, code: 0 });
    for (const [flag] of command.matchAll(/--[a-z-]+/gu)) expect(stdout).toContain(flag);
  }
  const guides = await readFile(join(SKILLS, "evander-help/references/guides.md"), "utf8");
  const named = [...guides.matchAll(/^\| `([a-z-]+)` \|/gmu)].map(([, name]) => `${name}.md`);
  expect(named.length).toBeGreaterThan(8);
  expect((await readdir(DOCS)).filter((name) => named.includes(name)).toSorted()).toEqual(named.toSorted());
});

test("[F6] the script of find-the-cause names the commit that broke something, and leaves the folder alone", async () => {
  await using world = await ProgramWorld.open({ type: "practice" });
  const repo = join(world.folder, "repo");
  await mkdir(repo);
  const env = { PATH: process.env["PATH"], HOME: world.folder, GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.test", ...args], {
      cwd: repo,
      encoding: "utf8",
      env,
    }).trim();
  git("init", "-q", "-b", "main");
  for (let at = 0; at < 9; at++) {
    await writeFile(join(repo, "value"), at < 6 ? `good ${at}\n` : `bad ${at}\n`);
    git("add", ".");
    git("commit", "-qm", `step ${at}`);
  }
  await writeFile(join(repo, "value"), "not committed\n");
  const script = join(SKILLS, "find-the-cause/scripts/bisect.sh");
  const said = execFileSync("sh", [script, git("rev-parse", "HEAD~8"), "grep -q good value"], {
    cwd: repo,
    encoding: "utf8",
    env,
  });
  expect(said).toContain("step 6");
  const crash = execFileSync("sh", [script, git("rev-parse", "HEAD~8"), "grep -q good value || kill -SEGV $$"], {
    cwd: repo,
    encoding: "utf8",
    env,
  });
  expect(crash).toBe(said);
  expect(git("status", "--short")).toBe("M value");
  expect(git("branch", "--list")).toBe("* main");
  expect(git("worktree", "list").split("\n")).toHaveLength(1);
});
