import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EXIT_CODES, type ExitCode, exitCode, reasonsOf } from "../../src/protocol/exit.ts";
import { CODE_WORDS } from "../../src/words/codes.ts";
import { ProgramWorld } from "../support/program.ts";

test("[X8] docs lists the guides of the package and prints each, without a network", async () => {
  await using world = await ProgramWorld.open({ type: "practice" });
  const list = await world.run(["docs", "--json"]);
  const topics = JSON.parse(list.stdout) as { name: string; title: string }[];
  expect(topics.map(({ name }) => name)).toEqual(expect.arrayContaining(["command-line", "exit-codes", "library"]));
  expect(topics.filter(({ title }) => title === "")).toEqual([]);
  const { stdout } = await world.run(["docs"]);
  expect(stdout).toMatch(/^configuration {2,}Configuration$/mu);
  const page = await world.run(["docs", "command-line"]);
  expect(page).toEqual({ code: 0, stdout: readFileSync("docs/command-line.md", "utf8"), stderr: "" });
});

test("[X8] a guide that is not there is refused with the nearest, and never another file", async () => {
  await using world = await ProgramWorld.open({ type: "practice" });
  const { code, stdout, stderr } = await world.run(["docs", "comand-line"]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("perhaps command-line was meant");
  expect((await world.run(["docs", "../README"])).code).toBe(2);
  const zh = await world.run(["docs", "x", "--lang", "zh"]);
  expect(zh.stderr).toContain("没有指南");
});

test("[J1][X8] docs exit-codes prints the table that the program ends by", async () => {
  await using world = await ProgramWorld.open({ type: "practice" });
  const { stdout } = await world.run(["docs", "exit-codes", "--json"]);
  const codes = JSON.parse(stdout) as { code: ExitCode; reasons: readonly string[] }[];
  expect(codes.map(({ code }) => code)).toEqual(EXIT_CODES);
  for (const { reasons } of codes) expect(reasons.length).toBeGreaterThan(0);
  for (const code of EXIT_CODES)
    for (const reason of reasonsOf(code)) {
      const ends = FAILURES.flatMap((failure) => [
        exitCode(reason, { failure: { reason: failure } }),
        exitCode(reason, { failure: { reason: failure }, interruptedBy: "terminate" }),
      ]);
      expect(ends, `${code} ${reason}`).toContain(code);
    }
  expect((await world.run(["docs", "exit-codes"])).stdout).toContain(" 78  no model, or a setting that is not valid\n");
});

const FAILURES = ["timeout", "auth", "billing", "model_not_found", "format_error"] as const;

test("[J1] the table of exit codes in the documents is the table of the code", () => {
  const text = readFileSync("docs/command-line.md", "utf8");
  const [, table = ""] = /^\| code \|.*\n\|[-|]+\|\n((?:\|.*\n)+)/mu.exec(text) ?? [];
  const rows = EXIT_CODES.map((code) => `| ${code} | ${CODE_WORDS[code].en} | ${reasonsOf(code).join(", ")} |`);
  expect(table.trimEnd().split("\n")).toEqual(rows);
});
