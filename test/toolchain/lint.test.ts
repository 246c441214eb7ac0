import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

/** What the composition roots wire. */
const BELOW = [
  "protocol",
  "words",
  "turn",
  "model",
  "context",
  "tools",
  "store",
  "config",
  "extend",
  "credentials",
  "session",
] as const;

/** What each layer may import besides itself; the lint configuration must refuse everything else. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  protocol: [],
  words: ["protocol"],
  turn: ["protocol"],
  model: ["protocol"],
  context: ["protocol"],
  tools: ["protocol"],
  store: ["protocol"],
  config: ["protocol"],
  extend: ["protocol"],
  credentials: ["protocol"],
  session: ["protocol", "turn", "words"],
  practice: ["protocol"],
  gateway: ["protocol", "session", "config", "words"],
  server: ["protocol", "session", "config", "words"],
  tui: ["protocol", "session", "config", "words"],
  cli: ["protocol", "session", "config", "words"],
  testing: ["protocol", "session", "config", "words"],
  agent: [...BELOW, "practice", "cli", "testing"],
  program: [...BELOW, "practice", "cli", "testing", "gateway", "server", "tui", "agent"],
};
const LAYERS = Object.keys(MAY_IMPORT);
const PURE = ["protocol", "words", "turn"];
const AMBIENT = ["Date", "performance", "setTimeout", "setInterval", "process", "Buffer", "fetch", "crypto"];

const union = `type Kind = "a" | "b";\n`;
const promise = `const run = async (): Promise<void> => {};\n`;
const lines = (count: number): string => Array.from({ length: count }, (_, n) => `  console.log(${n});\n`).join("");

/** One violation a rule, as it might be written: file below src/tools → source. */
const PLANTED: Record<string, string> = {
  "eslint(max-lines)": Array.from({ length: 401 }, (_, n) => `// ${n}\n`).join(""),
  "eslint(max-lines-per-function)": `export function long(): void {\n${lines(61)}}\n`,
  "eslint(complexity)": `export const f = (n: number): boolean => ${Array.from({ length: 13 }, (_, n) => `n === ${n}`).join(" || ")};\n`,
  "eslint(max-depth)": `export function f(n: number): number {\n  if (n > 1) { if (n > 2) { if (n > 3) { if (n > 4) { return n; } } } }\n  return 0;\n}\n`,
  "eslint(max-params)": `export const f = (a: 1, b: 1, c: 1, d: 1, e: 1): number => a + b + c + d + e;\n`,
  "eslint(no-console)": `console.log("x");\nexport {};\n`,
  "import(no-cycle)": `import { other } from "./cycle.ts";\nexport const one = (): unknown => other;\n`,
  "import(no-default-export)": `export default 1;\n`,
  "oxc(no-barrel-file)": `export * from "./cycle.ts";\n`,
  "typescript(no-explicit-any)": `export const a: any = 1;\n`,
  "typescript(no-non-null-assertion)": `export const f = (a?: string): string => a!;\n`,
  "typescript(ban-ts-comment)": `// @ts-ignore\nexport const a: string = "1";\n`,
  "typescript(no-namespace)": `export namespace Old { export const a = 1; }\n`,
  "typescript(consistent-type-imports)": `import { Port } from "./port.ts";\nexport const a = (port: Port): Port => port;\n`,
  "typescript(only-throw-error)": `export function f(): void {\n  throw "x";\n}\n`,
  "typescript(no-floating-promises)": `${promise}export function f(): void {\n  void run();\n}\n`,
  "typescript(no-misused-promises)": `${promise}export const f = (): boolean => {\n  if (run()) return true;\n  return false;\n};\n`,
  "typescript(await-thenable)": `export const f = async (n: number): Promise<number> => await n;\n`,
  "typescript(return-await)": `${promise}export async function f(): Promise<void> {\n  try {\n    return run();\n  } catch {\n    return undefined;\n  }\n}\n`,
  "typescript(switch-exhaustiveness-check)": `${union}export function f(kind: Kind): void {\n  switch (kind) {\n    case "a":\n      break;\n  }\n}\n`,
  "unicorn(prefer-node-protocol)": `import { readFileSync } from "fs";\nexport const a = readFileSync;\n`,
};
const PLANTED_TESTS: Record<string, string> = {
  "vitest(no-focused-tests)": `import { test } from "vitest";\ntest.only("x", () => {});\n`,
  "vitest(no-disabled-tests)": `import { test } from "vitest";\ntest.skip("x", () => {});\n`,
  "vitest(no-restricted-vi-methods)": `import { vi } from "vitest";\nvi.mock("./port.ts");\n`,
};

let folder = "";
/** Rules reported, by file. */
const reported = new Map<string, string[]>();

const nameOf = (rule: string): string => rule.replace(/^\w+\(|\)$/g, "");

function write(path: string, source: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), source);
}

function plant(): void {
  for (const layer of LAYERS) {
    for (const other of [...LAYERS, "main.ts", "index.ts"]) {
      const target = other.endsWith(".ts") ? other : `${other}/port.ts`;
      write(
        `src/${layer}/to-${other}`.replace(/(\.ts)?$/, ".ts"),
        `import type { Port } from "../${target}";\nexport type P = Port;\n`,
      );
      write(
        `src/${layer}/deep/to-${other}`.replace(/(\.ts)?$/, ".ts"),
        `import type { Port } from "../../${target}";\nexport type P = Port;\n`,
      );
    }
    write(`src/${layer}/port.ts`, "export interface Port {\n  readonly a: 1;\n}\n");
    write(`src/${layer}/to-node.ts`, `import { cpus } from "node:os";\nexport const a = cpus;\n`);
    write(`src/${layer}/to-package.ts`, `import { parse } from "unbash";\nexport const a = parse;\n`);
    write(
      `src/${layer}/anything.test.ts`,
      `import { a } from "../tools/to-node.ts";\nimport type { Port } from "../cli/port.ts";\nexport type P = Port;\nexport const b = [a, Date.now()];\n`,
    );
  }
  for (const name of AMBIENT)
    write(`src/turn/ambient-${name.toLowerCase()}.ts`, `export const a = (): unknown => ${name};\n`);
  write("src/turn/ambient-random.ts", "export const a = (): number => Math.random();\n");
  write("src/tools/cycle.ts", `import { one } from "./no-cycle.ts";\nexport const other = (): unknown => one;\n`);
  write("src/tools/NotKebab.ts", "export const a = 1;\n");
  write("src/tools/unused-waiver.ts", "// oxlint-disable-next-line no-console\nexport const a = 1;\n");
  for (const [rule, source] of Object.entries(PLANTED)) write(`src/tools/${nameOf(rule)}.ts`, source);
  for (const [rule, source] of Object.entries(PLANTED_TESTS)) write(`src/tools/${nameOf(rule)}.test.ts`, source);
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "evander-lint-"));
  for (const file of [".oxlintrc.json", "tsconfig.json", "package.json"]) cpSync(file, join(folder, file));
  symlinkSync(join(process.cwd(), "node_modules"), join(folder, "node_modules"));
  plant();
  const oxlint = join(process.cwd(), "node_modules", "oxlint", "bin", "oxlint");
  const options = { cwd: folder, encoding: "utf8", maxBuffer: 2 ** 26 } as const;
  const { stdout } = spawnSync(process.execPath, [oxlint, "--type-aware", "--format=json", "src"], options);
  const report: { diagnostics: { code?: string; message: string; filename: string }[] } = JSON.parse(stdout);
  for (const { code, message, filename } of report.diagnostics) {
    reported.set(filename, [...(reported.get(filename) ?? []), code ?? message]);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rulesFor = (file: string): string[] => reported.get(file) ?? [];
const isRefused = (file: string): boolean => rulesFor(file).includes("eslint(no-restricted-imports)");

test.each(LAYERS)("%s imports what its layer may, and nothing else", (layer) => {
  const allowed = new Set([layer, ...(MAY_IMPORT[layer] ?? [])]);
  for (const other of LAYERS) {
    for (const file of [`src/${layer}/to-${other}.ts`, `src/${layer}/deep/to-${other}.ts`]) {
      expect({ file, refused: isRefused(file) }).toEqual({ file, refused: !allowed.has(other) });
    }
  }
  expect(["main", "index"].map((root) => isRefused(`src/${layer}/to-${root}.ts`))).toEqual([true, true]);
  expect(["main", "index"].map((root) => isRefused(`src/${layer}/deep/to-${root}.ts`))).toEqual([true, true]);
  expect(["node", "package"].map((kind) => isRefused(`src/${layer}/to-${kind}.ts`))).toEqual(
    PURE.includes(layer) ? [true, true] : [false, false],
  );
  expect(rulesFor(`src/${layer}/anything.test.ts`)).toEqual([]);
});

test("every layer that exists has its rule", () => {
  const existing = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(existing.map((entry) => entry.name).filter((name) => !LAYERS.includes(name))).toEqual([]);
});

test.each(AMBIENT)("the turn does not reach for %s", (name) => {
  expect(rulesFor(`src/turn/ambient-${name.toLowerCase()}.ts`)).toContain("eslint(no-restricted-globals)");
});

test("the turn does not roll dice by itself", () => {
  expect(rulesFor("src/turn/ambient-random.ts")).toContain("eslint(no-restricted-properties)");
});

test.each(Object.keys(PLANTED))("%s is reported", (rule) => {
  expect(rulesFor(`src/tools/${nameOf(rule)}.ts`)).toContain(rule);
});

test.each(Object.keys(PLANTED_TESTS))("%s is reported", (rule) => {
  expect(rulesFor(`src/tools/${nameOf(rule)}.test.ts`)).toContain(rule);
});

test("file names are kebab-case, and a waiver that waives nothing is reported", () => {
  expect(rulesFor("src/tools/NotKebab.ts")).toContain("unicorn(filename-case)");
  expect(rulesFor("src/tools/unused-waiver.ts")).not.toEqual([]);
});

const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".ts"));

test("no source waives a rule or a type error", () => {
  const waiver = /(?:oxlint|eslint)-(?:disable|enable)|@ts-(?:ignore|expect-error|nocheck)|(?:c8|v8|istanbul) ignore/;
  expect(sources.filter((path) => waiver.test(readFileSync(join("src", path), "utf8")))).toEqual([]);
});

test("no source lies deeper than three folders, or in one named after nothing", () => {
  const bad = /^(?:[^/]+\/){4}|(?:^|\/)(?:utils?|helpers?|common|shared|misc|lib)\//;
  expect(sources.filter((path) => bad.test(path))).toEqual([]);
});
