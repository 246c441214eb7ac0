import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { expand, type Json } from "./case-file.ts";
import { difference } from "./compare.ts";
import type { Deviation } from "./deviations/deviation.ts";
import { conformance } from "./run.ts";
import type { Candidate, Verdict } from "./run-cases.ts";

const folder = mkdtempSync(join(tmpdir(), "evander-conformance-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function fileOf(content: unknown): string {
  const path = join(folder, `${files++}.json`);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const doubled: Deviation = {
  area: "echo",
  applies: (input) => Array.isArray(input) && input.length === 2,
  ours: (input) => input,
  reason: "ours keeps pairs",
  spec: "A1",
};

/** A candidate that answers with what it is given, and one that breaks. */
const ECHO: Candidate = {
  adapters: new Map([
    ["echo", { run: (input: Json): unknown => input }],
    [
      "broken",
      {
        run: (): never => {
          throw new Error("no such luck");
        },
      },
    ],
  ]),
  symbols: new Map([["$GREETING", (actual: unknown) => actual === "hello"]]),
  deviations: [doubled],
};

async function verdicts(cases: unknown, ...args: string[]): Promise<Verdict[]> {
  const { stdout } = await conformance([fileOf(cases), "--json", ...args], ECHO);
  return JSON.parse(stdout) as Verdict[];
}

const echo = (id: string, input: unknown, expected: unknown): object => ({ id, area: "echo", input, expect: expected });

test("passes, fails, deviations and unsupported cases are told apart, in file order", async () => {
  const found = await verdicts([
    echo("same", { a: 1, at: 5 }, { a: 1 }),
    echo("other", { a: 1 }, { a: 2 }),
    echo("pair", [1, 2], [3]),
    { id: "sentence", area: "echo", input: 1, expect: "It never throws." },
    { id: "word", area: "elsewhere", input: 1, expect: "auto" },
    { id: "thrown", area: "broken", input: 1, expect: 1 },
  ]);
  expect(found.map(({ id, status }) => [id, status])).toEqual([
    ["same", "pass"],
    ["other", "fail"],
    ["pair", "deviation"],
    ["sentence", "unsupported"],
    ["word", "unsupported"],
    ["thrown", "fail"],
  ]);
  expect(found.map(({ reason }) => reason)).toEqual([
    undefined,
    "expect.a differs",
    "ours keeps pairs (A1)",
    "prose",
    "no adapter",
    "threw: no such luck",
  ]);
  expect(found[1]?.actual).toEqual({ a: 1 });
});

test("a deviation counts only when our output equals what its rule states", async () => {
  const wrong: Candidate = { ...ECHO, adapters: new Map([["echo", { run: (): unknown => "something else" }]]) };
  const { stdout, code } = await conformance([fileOf([echo("pair", [1, 2], [3])]), "--json"], wrong);
  expect((JSON.parse(stdout) as Verdict[])[0]?.status).toBe("fail");
  expect(code).toBe(1);
});

test("the exit code says whether a case failed", async () => {
  expect((await conformance([fileOf([echo("a", 1, 1)])], ECHO)).code).toBe(0);
  expect((await conformance([fileOf([echo("a", 1, 2)])], ECHO)).code).toBe(1);
  expect((await conformance([fileOf([])], ECHO)).code).toBe(0);
});

test.each([
  ["missing file", [join(folder, "absent.json")], "ENOENT"],
  ["folder", [folder], "EISDIR"],
  ["not JSON", [fileOf("{")], "not valid JSON"],
  ["empty file", [fileOf("")], "not valid JSON"],
  ["no cases", [fileOf({ meta: {} })], "holds no cases"],
  ["null", [fileOf("null")], "holds no cases"],
  ["no argument", [], "Usage"],
  ["two files", ["a.json", "b.json"], "Usage"],
  ["unknown option", ["a.json", "--fast"], "Usage"],
])("bad use is one sentence on stderr and exit 2: %s", async (_name, args, words) => {
  const output = await conformance(args, ECHO);
  expect(output.code).toBe(2);
  expect(output.stdout).toBe("");
  expect(output.stderr).toContain(words);
  expect(output.stderr).not.toContain("\n");
});

test("the two forms of a file are read alike, a byte order mark does no harm", async () => {
  const cases = [echo("a", 1, 1)];
  const inside = await verdicts({ meta: {}, fixtures: {}, cases });
  expect(inside).toEqual(await verdicts(cases));
  expect(await verdicts(`\uFEFF${JSON.stringify(cases)}`)).toEqual(inside);
});

test("odd entries are reported and stop nothing", async () => {
  const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  const text = `[null, 7, {"id":"x"}, {"area":"echo","input":1,"expect":1}, {"id":"n","area":"echo","input":null,"expect":null},
    {"id":"n","area":"echo","expect":null}, {"id":"e","area":"echo","input":1}, {"id":"d","area":"echo","input":${deep},"expect":1},
    {"id":"long","area":"echo","input":{"concat":[{"repeat":["x",1e12]}]},"expect":1}, {"id":"last","area":"echo","input":2,"expect":2}]`;
  const found = await verdicts(text);
  expect(found.map(({ id, status }) => `${id} ${status}`)).toEqual([
    "#1 unsupported",
    "#2 unsupported",
    "x unsupported",
    "#4 pass",
    "n pass",
    "n pass",
    "e unsupported",
    expect.stringContaining("unsupported"),
    expect.stringContaining("unsupported"),
    "last pass",
  ]);
});

test("--area keeps only the named areas", async () => {
  const cases = [
    echo("a", 1, 1),
    { id: "b", area: "broken", input: 1, expect: 1 },
    { id: "c", area: "other", input: 1, expect: 1 },
  ];
  const ids = async (...args: string[]): Promise<string[]> => (await verdicts(cases, ...args)).map(({ id }) => id);
  expect(await ids("--area", "echo")).toEqual(["a"]);
  expect(await ids("--area", "other, echo")).toEqual(["a", "c"]);
  expect(await ids("--area", "nothing")).toEqual([]);
});

test("_meta is no case, and its symbols stand for texts of our own", async () => {
  const meta = { id: "_meta/symbols", area: "_meta", expect: { $GREETING: "hi", $FAREWELL: "bye", "$STOPPED:n": "n" } };
  const found = await verdicts([
    meta,
    echo("ours", { text: "hello" }, { text: "$GREETING" }),
    echo("kept", { text: "hi" }, { text: "$GREETING" }),
    echo("not ours", { text: "hey" }, { text: "$GREETING" }),
    echo("no text", { text: "$FAREWELL" }, { text: "$FAREWELL" }),
    echo("with parameter", "$STOPPED:2", "$STOPPED:2"),
    echo("plain dollar", "$HOME", "$HOME"),
  ]);
  expect(found.map(({ id, status }) => `${id}: ${status}`)).toEqual([
    "ours: pass",
    "kept: pass",
    "not ours: fail",
    "no text: fail",
    "with parameter: fail",
    "plain dollar: pass",
  ]);
});

test("comparison: extra keys are ignored, arrays are exact, rules look at the text", () => {
  const none = { known: new Map(), declared: new Map<string, Json>(), input: null };
  const same = (expected: Json, actual: unknown): boolean => difference(expected, actual, none) === undefined;
  expect(same({ a: [1, { b: null }] }, { a: [1, { b: null, c: 1 }], d: 2 })).toBe(true);
  expect(same([1], [1, 2])).toBe(false);
  expect(same([1, 2], [1])).toBe(false);
  expect(same({ a: null }, {})).toBe(false);
  expect(same({}, [])).toBe(false);
  expect(same({ length: 1 }, "x")).toBe(false);
  expect(same("1", 1)).toBe(false);
  expect(same({ $CONTAINS: "disk" }, "the disk is full")).toBe(true);
  expect(same({ $CONTAINS: "disk" }, "the moon is full")).toBe(false);
  expect(same({ $TRUNCATED_TO: 3, prefix_char: "x" }, "xxx… (cut)")).toBe(true);
  expect(same({ $TRUNCATED_TO: 3, prefix_char: "x" }, "xxx")).toBe(false);
  expect(same({ $TRUNCATED_TO: 3, prefix_char: "x" }, "xxxx (cut)")).toBe(false);
  expect(same({ $TRUNCATED_TO: 3, prefix_char: "x" }, "xx… (cut)")).toBe(false);
  expect(same({ $SOMETHING: 1 }, "text")).toBe(false);
});

test("long strings are written out", () => {
  expect(expand({ a: { concat: ["<", { repeat: ["ab", 3] }, ">"] } })).toEqual({ a: "<ababab>" });
  expect(expand({ concat: [1, 2] })).toEqual({ concat: [1, 2] });
  expect(expand({ concat: ["a"], other: 1 })).toEqual({ concat: ["a"], other: 1 });
});

test("the report for people names each case, its reason, and counts by area and in total", async () => {
  const path = fileOf([echo("good", 1, 1), echo("bad", 1, 2), { id: "far", area: "far", input: 1, expect: 1 }]);
  const { stdout } = await conformance([path], ECHO);
  expect(stdout).toContain("pass          good");
  expect(stdout).toContain("FAIL          bad: expect differs\n    expected 2\n    actual   1");
  expect(stdout).toContain("not supported far: no adapter");
  expect(stdout).toContain("echo   2 cases: 1 pass, 1 fail, 0 deviation, 0 not supported");
  expect(stdout).toContain("total  3 cases: 1 pass, 1 fail, 0 deviation, 1 not supported");
});

test("the program keeps stdout for the report, and finds a file where npm was called", () => {
  const run = (...args: string[]): { code: number | null; stdout: string; stderr: string } => {
    const program = join(import.meta.dirname, "run.ts");
    const env = { ...process.env, INIT_CWD: folder, NODE_NO_WARNINGS: "1" };
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8", env });
    return { code: status, stdout, stderr };
  };
  const cases = [
    {
      id: "good",
      area: "completed_flag",
      input: { final_response: "x", api_calls: 1, max_iterations: 2, failed: false, exit: "unknown" },
      expect: { completed: true },
    },
    { id: "bad", area: "strip_think", input: { text: 5 }, expect: { text: "x" } },
  ];
  const good = run(basename(fileOf(cases.slice(0, 1))), "--json");
  expect(good).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(good.stdout)).toEqual([
    { id: "good", area: "completed_flag", status: "pass", actual: { completed: true } },
  ]);
  const bad = run(fileOf(cases), "--json");
  expect(bad).toMatchObject({ code: 1, stderr: "" });
  expect((JSON.parse(bad.stdout) as Verdict[]).map(({ status }) => status)).toEqual(["pass", "fail"]);
  expect(run("absent.json", "--json")).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("ENOENT"),
  });
});
