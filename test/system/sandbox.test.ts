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
