import { spawn, spawnSync, type ChildProcessByStdio } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";

/** Stands in for the program: says what reached it, and ends as it is told. */
const PROGRAM = `
const [how, code] = process.argv.slice(2);
if (how === "tell") process.stdout.write(JSON.stringify({ cwd: process.cwd(), args: process.argv.slice(2) }));
if (how === "exit") process.exitCode = Number(code);
if (how === "die") process.kill(process.pid, "SIGKILL");
if (how === "wait") {
  const timer = setInterval(() => undefined, 1000);
  const told: string[] = [];
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      told.push(signal);
      clearInterval(timer);
      process.stdout.write(told.join());
      process.exitCode = 42;
    });
  }
  process.stdout.write("ready,");
}
export {};
`;

let root = "";

/** A checkout like this one around the stand-in: same scripts, same dependencies, its own sources and locks. */
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "evander-start-")));
  for (const path of ["package.json", "package-lock.json", "rolldown.config.mjs", "tsconfig.json", "scripts", "bin"]) {
    cpSync(path, join(root, path), { recursive: true });
  }
  mkdirSync(join(root, "src", "testing"), { recursive: true });
  writeFileSync(join(root, "src", "main.ts"), PROGRAM);
  for (const entry of ["index.ts", "testing.ts"])
    writeFileSync(join(root, "src", entry), "export const nothing = 0;\n");
  mkdirSync(join(root, "node_modules"));
  for (const name of readdirSync("node_modules").filter((each) => !each.startsWith(".evander"))) {
    symlinkSync(join(process.cwd(), "node_modules", name), join(root, "node_modules", name));
  }
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

const startScript = (): string => join(root, "scripts", "start.mjs");

function start(args: string[], env: NodeJS.ProcessEnv = {}): { status: number | null; stdout: string; stderr: string } {
  const options = { encoding: "utf8", cwd: root, env: { ...process.env, INIT_CWD: root, ...env } } as const;
  return spawnSync(process.execPath, [startScript(), ...args], options);
}

function startWaiting(): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, [startScript(), "wait"], { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
}

test("[X2] two set-ups at once build once, do not disturb each other, and both run the program", async () => {
  const runs = [1, 2, 3].map(async () => {
    const child = spawn(process.execPath, [startScript(), "exit", "7"], { cwd: root, stdio: "ignore" });
    return new Promise((resolve) => child.once("exit", resolve));
  });
  expect(await Promise.all(runs)).toEqual([7, 7, 7]);
  expect(existsSync(join(root, ".runtime", "setup.lock"))).toBe(false);
  expect(existsSync(join(root, "dist", ".draft"))).toBe(false);
});

test("[X8] arguments arrive as they are, and only the program's output is on stdout", () => {
  const { status, stdout, stderr } = start(["tell", "a b", "", "--x=$HOME", "ü"]);
  expect(JSON.parse(stdout)).toEqual({ cwd: root, args: ["tell", "a b", "", "--x=$HOME", "ü"] });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("[X8] the program runs where the user stands", () => {
  const folder = join(root, "src");
  expect(JSON.parse(start(["tell"], { INIT_CWD: folder }).stdout).cwd).toBe(folder);
  expect(JSON.parse(start(["tell"], { INIT_CWD: join(root, "gone") }).stdout).cwd).toBe(root);
});

test("[X8] exit codes pass through, and a death by signal is 128 + its number", () => {
  expect(start(["exit", "20"]).status).toBe(20);
  expect(start(["exit", "130"]).status).toBe(130);
  expect(start(["die"]).status).toBe(137);
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "[B5] %s reaches the program once, and its own exit code comes back",
  async (signal) => {
    const child = startWaiting();
    let output = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text: string) => {
      output += text;
      if (output !== "ready,") return;
      child.kill(signal);
      child.kill(signal);
    });
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect({ output, code }).toEqual({ output: `ready,${signal}`, code: 42 });
  },
);

test("a change of a source is built before the program starts and replaces the bundle; a failed build is told without a stack", () => {
  const file = join(root, "src", "main.ts");
  writeFileSync(file, `${PROGRAM}\nif (how === "new") process.stdout.write("new");\n`);
  const leftover = join(root, "dist", "program", "old-Dh3kZ0aB.js");
  mkdirSync(join(root, "dist", "program"), { recursive: true });
  writeFileSync(leftover, "");
  expect(start(["new"]).stdout).toBe("new");
  expect(existsSync(leftover)).toBe(false);
  writeFileSync(file, `import "./missing.ts";\n`);
  const { status, stdout, stderr } = start(["new"]);
  expect({ status, stdout }).toEqual({ status: 69, stdout: "" });
  expect(stderr).toMatch(/^evander: the build failed; .*run the command again\n/);
  expect(stderr).toContain("./missing.ts");
  expect(stderr).not.toMatch(/^\s+at /m);
  writeFileSync(file, PROGRAM);
});
