import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSandbox } from "../../src/tools/sandbox/open-sandbox.ts";
import { Box } from "./box.ts";
import { ESCAPES, TASKS } from "./probes.ts";

const box = new Box();
const socket = createServer((it) => it.end());
const abstract = createServer((it) => it.end());

beforeAll(async () => {
  const state = await box.sandbox.state();
  if (state.type !== "on")
    throw new Error(`These tests need a real sandbox. ${state.why} ${state.type === "missing" ? state.next : ""}`);
  execFileSync("git", ["init", "-q", box.work]);
  writeFileSync(join(box.state, "secret"), "secret");
  writeFileSync(join(box.home, ".ssh/id_ed25519"), "key");
  writeFileSync(join(box.folder, "outside"), "outside");
  await new Promise<void>((resolve) => socket.listen(join(box.folder, "socket"), resolve));
  await new Promise<void>((resolve) => abstract.listen("\0evander-probe", resolve));
});
afterAll(() => {
  socket.close();
  abstract.close();
  box[Symbol.dispose]();
});

test.for(Object.entries(TASKS))("[R23][X6] done inside: %s", async ([, command]) => {
  expect(await box.run(command)).toMatchObject({ code: 0 });
});

test.for(Object.entries(ESCAPES))("[R23][X6] not possible: %s", async ([, command]) => {
  const settings = readFileSync(join(box.work, ".git/config"), "utf8");
  const { code, output } = await box.run(command);
  expect({ got: code === 0, output }).toEqual({ got: false, output });
  expect(readFileSync(join(box.folder, "outside"), "utf8")).toBe("outside");
  expect(readFileSync(join(box.work, ".git/config"), "utf8")).toBe(settings);
  for (const path of [join(box.folder, "x"), join(box.work, ".git/commondir")]) expect(existsSync(path)).toBe(false);
});

test("[R23][X6] a fork bomb ends with the box, and nothing is left of what was made to protect", async () => {
  const { code } = await box.run("for i in $(seq 50); do sleep 1000 & done; kill -9 $$");
  expect(code).not.toBe(0);
  const left = readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/u.test(pid) && readFileSync(`/proc/${pid}/environ`, "utf8").includes(`OUTER=${box.folder}\0`);
    } catch {
      return false;
    }
  });
  expect(left).toEqual([]);
  expect(readdirSync(box.work).filter((name) => /^(?:\.vscode|\.mcp\.json|\.evander)$/u.test(name))).toEqual([]);
});

test("[R23][X6] what a process left that died is taken away by the next command; inside nothing of it can be filled", async () => {
  mkdirSync(join(box.work, ".vscode"));
  expect((await box.run("touch .vscode/tasks.json")).code).not.toBe(0);
  expect(existsSync(join(box.work, ".vscode"))).toBe(false);
});

test("[R23][X6] in a folder of a repository git works, and what lies around the folder is not written", async () => {
  const part = join(box.work, "part");
  mkdirSync(part);
  const around = { home: box.home, guarded: [box.state] };
  const nothing = { hosts: [], writes: [], reads: [] };
  const sandbox = openSandbox({ mode: "workspace", cwd: part, env: process.env, ...around, ...nothing });
  const run = (command: string) => box.run(`cd part; ${command}`, sandbox);
  const git = "git -c user.name=Ada -c user.email=ada@example.org";
  expect(await run(`echo x > x.txt; git add x.txt && ${git} commit -qm part && git log --oneline`)).toMatchObject({
    code: 0,
  });
  expect(existsSync(join(part, "x.txt"))).toBe(true);
  for (const command of ["echo x > ../beside.txt", "echo x > ../.git/hooks/post-commit", "git config core.pager x"])
    expect((await run(command)).code).not.toBe(0);
});

test.each(["worktree", "submodule"])("[R23][X6] in a %s git works, and what steers it is not written", async (kind) => {
  const git = (cwd: string, ...args: string[]): unknown =>
    execFileSync("git", ["-c", "protocol.file.allow=always", "-c", "user.name=a", "-c", "user.email=a@b.c", ...args], {
      cwd,
      stdio: "pipe",
    });
  const other = join(box.home, `other-${kind}`);
  execFileSync("git", ["init", "-q", other]);
  git(other, "commit", "-q", "--allow-empty", "-m", "first");
  const part = join(box.home, `linked-${kind}`);
  if (kind === "worktree") {
    git(other, "worktree", "add", "-q", part);
    // As newer versions of git write it: from where it stands.
    writeFileSync(join(part, ".git"), "gitdir: ../other-worktree/.git/worktrees/linked-worktree\n");
    writeFileSync(join(other, ".git/worktrees/linked-worktree/gitdir"), "../../../../linked-worktree/.git\n");
  } else {
    execFileSync("git", ["init", "-q", part]);
    git(part, "commit", "-q", "--allow-empty", "-m", "above");
    git(part, "submodule", "--quiet", "add", other, "sub");
  }
  const cwd = kind === "worktree" ? part : join(part, "sub");
  const around = { home: box.home, guarded: [box.state] };
  const nothing = { hosts: [], writes: [], reads: [] };
  const sandbox = openSandbox({ mode: "workspace", cwd, env: process.env, ...around, ...nothing });
  const run = (command: string) => box.run(command, sandbox, cwd);
  const commit = "git -c user.name=Ada -c user.email=ada@example.org commit -qm part";
  expect(
    await run(`echo x > x.txt; git add x.txt && ${commit} && git log --oneline && git status --short`),
  ).toMatchObject({ code: 0, output: expect.stringContaining("part") as string });
  const own = execFileSync("git", ["rev-parse", "--absolute-git-dir"], { cwd, encoding: "utf8" }).trim();
  for (const command of [
    "git config core.fsmonitor evil",
    'echo x > "$(git rev-parse --git-path hooks)/post-commit"',
    `rm -rf '${own}/hooks' && mkdir '${own}/hooks' && echo x > '${own}/hooks/post-commit'`,
  ])
    expect((await run(command)).code, command).not.toBe(0);
  const leads = (): string => (existsSync(join(own, "commondir")) ? readFileSync(join(own, "commondir"), "utf8") : "");
  const before = leads();
  await run(`echo /tmp > '${own}/commondir'`);
  expect(leads()).toBe(before);
  // The links that lead there are as they were.
  expect((await run("git status --short")).code).toBe(0);
  expect(readdirSync(own)).not.toContain("worktrees");
});
