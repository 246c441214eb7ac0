import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { build } from "../../scripts/build.mjs";
import { findNpm } from "../../scripts/setup/npm.mjs";

const VERSION: string = JSON.parse(readFileSync("package.json", "utf8")).version;
const program = join(process.cwd(), "bin", "evander.cjs");

/** Both build, and run npm or the program many times, ms. */
const LIMIT_MS = 300_000;

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "evander-package-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(
  command: string,
  args: string[],
  { cwd = folder, env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): SpawnSyncReturns<string> {
  const full = { ...process.env, EVANDER_HOME: join(folder, "home"), ...env };
  return spawnSync(command, args, { cwd, encoding: "utf8", env: full, timeout: 120_000 });
}

function npm(args: string[], cwd: string): SpawnSyncReturns<string> {
  const cli = findNpm(process.env, process.execPath);
  return cli === undefined ? run("npm", args, { cwd }) : run(process.execPath, [cli, ...args], { cwd });
}

/** Pretends to be another Node: what the program reads is what it is told. */
function runOn(version: string): SpawnSyncReturns<string> {
  const preload = join(folder, "pretend.cjs");
  writeFileSync(
    preload,
    `Object.defineProperty(process, "version", { value: "v${version}" });
     Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`,
  );
  return run(process.execPath, ["-r", preload, program, "version"]);
}

test.each(["12.22.12", "18.20.8", "23.11.1"])("[X1] Node %s is told in one sentence what to do", (version) => {
  const { status, stdout, stderr } = runOn(version);
  expect({ status, stdout }).toEqual({ status: 78, stdout: "" });
  expect(stderr).toBe(
    `evander: Node 24 or newer is needed and this is v${version}; install it from https://nodejs.org and run the command again\n`,
  );
});

/** What the bundle takes in, with the file of its licence. */
const BUNDLED = [
  ["ajv", "LICENSE"],
  ["ajv-formats", "LICENSE"],
  ["aws4fetch", "LICENSE"],
  ["commander", "LICENSE"],
  ["cross-spawn", "LICENSE"],
  ["eventsource", "LICENSE"],
  ["eventsource-parser", "LICENSE"],
  ["fast-deep-equal", "LICENSE"],
  ["fast-uri", "LICENSE"],
  ["get-east-asian-width", "license"],
  ["gpt-tokenizer", "LICENSE"],
  ["isexe", "LICENSE"],
  ["jose", "LICENSE.md"],
  ["json-schema-traverse", "LICENSE"],
  ["@modelcontextprotocol/client", "LICENSE"],
  ["@modelcontextprotocol/core", "LICENSE"],
  ["path-key", "license"],
  ["pkce-challenge", "LICENSE"],
  ["shebang-command", "license"],
  ["shebang-regex", "license"],
  ["unbash", "LICENSE"],
  ["unpdf", "LICENSE"],
  ["which", "LICENSE"],
  ["yaml", "LICENSE"],
  ["zod", "LICENSE"],
  ["@mixmark-io/domino", "LICENSE"],
  ["@xmldom/xmldom", "LICENSE"],
  ["boolbase", "LICENSE"],
  ["css-select", "LICENSE"],
  ["css-what", "LICENSE"],
  ["cssomnom", "LICENSE"],
  ["defuddle", "LICENSE"],
  ["dom-serializer", "LICENSE"],
  ["domelementtype", "LICENSE"],
  ["domhandler", "LICENSE"],
  ["domutils", "LICENSE"],
  ["entities", "LICENSE"],
  ["htmlparser2", "LICENSE"],
  ["linkedom", "LICENSE"],
  ["mathml-to-latex", "LICENSE.md"],
  ["nth-check", "LICENSE"],
  ["temml", "LICENSE"],
  ["turndown", "LICENSE"],
  ["uhyphen", "LICENSE"],
] as const;

test("the program's first file uses nothing that Node 12 cannot parse", () => {
  const source = readFileSync(program, "utf8");
  const newer = [/\?\./, /\?\?/, /=>/, /`/, /\basync\b/, /\bawait\b/, /\b(?:let|const|class)\b/, /\.\.\./];
  const code = source.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, "");
  expect(newer.filter((syntax) => syntax.test(code))).toEqual([]);
});

test(
  "[X2] the packed tarball, installed elsewhere, gives the command, the library and its types",
  async () => {
    await build(process.cwd());
    const packed = npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], process.cwd());
    expect(packed.status, packed.stderr).toBe(0);
    const [report]: [{ filename: string; files: { path: string }[] }] = JSON.parse(packed.stdout);
    const paths = report.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        "bin/evander.cjs",
        "dist/main.js",
        "dist/index.js",
        "dist/types/index.d.ts",
        "dist/testing.js",
        "dist/types/testing.d.ts",
        "docs/command-line.md",
      ]),
    );
    expect(
      paths.filter(
        (path) =>
          !/^(?:bin\/|dist\/|docs\/|skills\/|README\.md$|CHANGELOG\.md$|LICENSE$|NOTICE$|package\.json$)/.test(path),
      ),
    ).toEqual([]);
    expect(paths.filter((path) => basename(path).startsWith("."))).toEqual([]);
    const notice = readFileSync("NOTICE", "utf8");
    for (const [name, file] of BUNDLED) {
      const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")) as { version: string };
      expect(notice).toContain(`${name} ${version}, `);
      const licence = readFileSync(`node_modules/${name}/${file}`, "utf8").replaceAll("\r\n", "\n");
      expect(notice).toContain(licence.trimEnd());
    }

    writeFileSync(join(folder, "package.json"), `{ "name": "elsewhere", "private": true, "type": "module" }`);
    const tarball = join(folder, report.filename);
    const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
    const installed = npm(["install", "--prefix", folder, tarball, ...flags], folder);
    expect(installed.status, installed.stderr).toBe(0);

    const version = run(process.execPath, [join(folder, "node_modules", "evander", "bin", "evander.cjs"), "version"]);
    expect({ status: version.status, stderr: version.stderr }).toEqual({ status: 0, stderr: "" });
    expect(version.stdout).toContain(VERSION);
    const command = run(join(folder, "node_modules", ".bin", "evander"), ["version"]);
    expect(command.stdout).toBe(version.stdout);
    const library = run(process.execPath, [
      "-e",
      `Promise.all([import("evander"), import("evander/testing")])
       .then(([{ agent }, { script }]) => {
         // The pipes of this very process aside.
         const opened = process.getActiveResourcesInfo().filter((it) => it !== "PipeWrap").length;
         console.log(typeof agent, typeof script, opened);
       })`,
    ]);
    expect(library).toMatchObject({ stdout: "function function 0\n", stderr: "" });
  },
  LIMIT_MS,
);

test(
  "[G1] compiled code is kept in a cache folder that exists, and nowhere else",
  async () => {
    await build(process.cwd());
    const version = (env: NodeJS.ProcessEnv, ...flags: string[]): void => {
      const { status, stderr } = run(process.execPath, [...flags, program, "version"], { cwd: work, env });
      expect({ status, stderr, work: readdirSync(work) }).toEqual({ status: 0, stderr: "", work: [] });
    };
    const [work, state] = [join(folder, "work"), join(folder, "state")];
    for (const made of [work, state]) mkdirSync(made);
    const base = { EVANDER_HOME: "", XDG_CACHE_HOME: "", HOME: join(folder, "nobody") };
    version(base);
    version({ ...base, EVANDER_HOME: "here", XDG_CACHE_HOME: "./there" });
    version({ ...base, HOME: "/proc" });
    version({ ...base, EVANDER_HOME: "/proc" });
    version({ ...base, EVANDER_HOME: state });
    expect(readdirSync(state)).toEqual([]);
    const cache = join(state, "cache");
    mkdirSync(cache);
    const small = join(folder, "small.cjs");
    writeFileSync(small, `require("fs").statfsSync = () => ({ bavail: 300, bsize: 1024 });`);
    version({ ...base, EVANDER_HOME: state }, "-r", small);
    expect(readdirSync(folder)).not.toContain("nobody");
    expect(readdirSync(cache)).toEqual([]);
    version({ ...base, EVANDER_HOME: state });
    expect(readdirSync(cache)).toEqual(["compiled"]);
  },
  LIMIT_MS,
);

test("[X2] no file of the bundle waits for itself: each is whole before another uses it", () => {
  const files = readdirSync("dist", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".js"));
  const imports = new Map(files.map((file) => [file, importsOf(file)]));
  const settled = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, above: readonly string[]): void => {
    if (above.includes(file)) circles.push([...above, file].join(" > "));
    if (settled.has(file) || above.includes(file)) return;
    for (const next of imports.get(file) ?? []) visit(next, [...above, file]);
    settled.add(file);
  };
  for (const file of files) visit(file, []);
  expect(files.length).toBeGreaterThan(20);
  expect(circles).toEqual([]);
});

test("[G1] what Node brings is not imported, which would read every export of it and load what some of them need", () => {
  const files = readdirSync("dist", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".js"));
  const imports = files.flatMap((file) => [
    ...readFileSync(join("dist", file), "utf8").matchAll(/^(?:import|export)\b.*"node:.*$/gmu),
  ]);
  expect(imports.map(([line]) => line)).toEqual([]);
});

/** What a file of the bundle loads before it runs, as paths in `dist`. */
const importsOf = (file: string): string[] =>
  [...readFileSync(join("dist", file), "utf8").matchAll(/^(?:import|export)\b[^"'\n]*["'](\.[^"']+)["'];$/gmu)].map(
    ([, path = ""]) => join(dirname(file), path),
  );
