import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
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
  expect(readdirSync(box.work).filter((name) => /^(?:\.vscode|\.mcp\.json|AGENTS\.md|\.evander)$/u.test(name))).toEqual(
    [],
  );
});
