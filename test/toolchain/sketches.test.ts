import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeProvider, fakeProvider } from "../support/fake-provider.ts";
import { callTools, refuse, say } from "../support/wire-script.ts";

const root = process.cwd();
const execute = promisify(execFile);
let project = "";
let complaints = "";

const tsc = join(root, "node_modules", "typescript", "bin", "tsc");

/** A project of somebody else: it sees the package as it is built, and nothing of this repository's settings. */
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), "evander-sketches-"));
  cpSync(join(root, "test", "library", "sketches"), join(project, "src"), { recursive: true });
  const own = join(project, "node_modules", "evander");
  cpSync(join(root, "dist"), join(own, "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(own, "package.json"));
  const types = ["-p", join(root, "tsconfig.build.json"), "--outDir", join(own, "dist", "types")];
  await execute(process.execPath, [tsc, ...types]);
  for (const name of ["zod", "@types"])
    symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name), "dir");
  writeFileSync(join(project, "package.json"), '{ "name": "sketches", "private": true, "type": "module" }');
  const compilerOptions = {
    strict: true,
    skipLibCheck: false,
    target: "ES2024",
    lib: ["ES2024", "ESNext.Disposable"],
    module: "NodeNext",
    types: ["node"],
    rootDir: "src",
    outDir: "out",
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
  const compiled = await execute(process.execPath, [tsc, "-p", project]).catch((error: { stdout: string }) => error);
  complaints = compiled.stdout;
}, 120_000);
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** What a sketch prints, run in a folder of its own; a model is found as the command line would find it. */
async function printed(name: string, provider?: FakeProvider): Promise<string> {
  const cwd = mkdtempSync(join(project, "run-"));
  const { PATH } = process.env;
  const env = { PATH, HOME: cwd, EVANDER_HOME: join(cwd, "home"), EVANDER_LOCAL_SERVERS: "" };
  const found = provider && { OPENAI_BASE_URL: provider.baseUrl, OPENAI_MODEL: "fake-1" };
  const options = { cwd, env: { ...env, ...found }, timeout: 60_000 };
  const { stdout, stderr } = await execute(process.execPath, [join(project, "out", `${name}.js`)], options);
  return stdout + stderr;
}

const check = callTools([{ id: "a", name: "check", arguments: {} }]);

test("[X2] the sketches compile strictly against the declarations of the package, libraries checked too", () => {
  expect(complaints).toBe("");
});

test("[X2][J1] sketch 1: three lines, and the result knows why it stopped", async () => {
  await using provider = await fakeProvider([say("src/main.ts.")]);
  expect(await printed("1-why-it-stopped", provider)).toBe("src/main.ts.\nfake-1 0 20\ntrue\n");
  await using failing = await fakeProvider([refuse(400, { error: { message: "no" } })]);
  expect(await printed("1-why-it-stopped", failing)).toMatch(/^fake-1 0 20\ntrue\n.*rejected/u);
});

test("[X2] sketch 1 without any model says so, and what to do", async () => {
  expect(await printed("1-why-it-stopped")).toMatch(/^null 0 0\ntrue\n.*model/u);
});

test("[X2][C11] sketch 2: a typed tool; what its schema refuses the model is told", async () => {
  const calls = callTools([
    { id: "a", name: "stock", arguments: { sku: "A1" } },
    { id: "b", name: "stock", arguments: { sku: "a-1" } },
  ]);
  await using provider = await fakeProvider([calls, say("Nothing.")]);
  expect(await printed("2-typed-tool", provider)).toMatch(
    /^Nothing\.\nstock ok \{"sku":"A1","units":12\}\nstock error stock was not run, because its arguments are wrong: sku: /u,
  );
});

test("[X2][B8] sketch 3: a loop over the events that steers, and the turn awaited", async () => {
  await using provider = await fakeProvider([check, check, say("Fixed.")]);
  expect(await printed("3-events", provider)).toMatch(/Fixed\.\ntext_response 0 [01] true\n$/u);
  expect(provider.requests[2]?.text).toContain("Only touch src/, not the tests.");
});

test("[X2][E10] sketch 4: a question outlives its agent, and nothing is done twice", async () => {
  const prune = callTools([{ id: "a", name: "prune", arguments: { branch: "tmp" } }]);
  await using provider = await fakeProvider([prune, say("Pruned.")]);
  expect(await printed("4-approval", provider)).toBe(
    "prune it deletes the branch tmp\nPruned. [ { name: 'prune', status: 'ok', detail: 'tmp is gone' } ]\n",
  );
});

test("[X2] sketch 5: a test without a network", async () => {
  expect(await printed("5-tests")).toBe("Order 3.\n");
});
