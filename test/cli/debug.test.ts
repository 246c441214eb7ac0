import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { ProgramWorld } from "../support/program.ts";

type Ran = Awaited<ReturnType<ProgramWorld["run"]>>;

function classify(world: ProgramWorld, input: string, ...flags: readonly string[]): Promise<Ran> {
  const stdin = new PassThrough();
  stdin.end(input);
  return world.run(["debug", "classify", ...flags], stdin);
}

const EMPTY = '{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}';

test("[D1] debug classify: the reason, the hints and the rule that fired, of a body with its status", async () => {
  await using world = await ProgramWorld.open({ type: "practice" });
  const { code, stdout } = await classify(world, EMPTY, "--status", "429", "--header", "Retry-After=3");
  expect(code).toBe(0);
  expect(stdout).toBe(`billing  HTTP 429
  rule                      code-insufficient_quota
  try again                 no
  make it shorter           no
  next key                  yes
  next model                yes
  wait                      3 s
  code                      insufficient_quota
`);
  const zh = await classify(world, EMPTY, "--status", "429", "--lang", "zh");
  expect(zh.stdout).toContain("  换密钥：是");
});

test("[D1] debug classify: failures as JSON, one, a list, or one a line, in the shape of recorded cases", async () => {
  await using world = await ProgramWorld.open({ type: "practice" });
  const inputs = [
    { error: { type: "APIError", message: "Error", status_code: 400 }, approx_tokens: 150_000 },
    { input: { error: { type: "RateLimitError", message: "slow down" } }, expect: {} },
    { error: { message: "server disconnected", cause: { cause: { status: 503 } } } },
  ];
  const lines = inputs.map((input) => JSON.stringify(input)).join("\n\n");
  const file = join(world.folder, "failures.jsonl");
  await writeFile(file, lines);
  const each = await classify(world, lines, "--output", "json");
  expect((await classify(world, JSON.stringify(inputs), "--json")).stdout).toBe(each.stdout);
  expect((await world.run(["debug", "classify", file, "--json"])).stdout).toBe(each.stdout);
  const found = each.stdout.trimEnd().split("\n");
  expect(found.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    {
      reason: "context_overflow",
      hints: { retryable: true, compress: true, rotate_credential: false, fallback: false },
      status_code: 400,
      rule: "400-large-unexplained",
    },
    { reason: "rate_limit", status_code: 429, rule: "429" },
    { reason: "overloaded", status_code: 503 },
  ]);
});

test("[D1] debug classify reads a body as the provider's own dialect does", async () => {
  await using world = await ProgramWorld.open({ type: "practice" });
  const body = '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"Quota exceeded, limit: 0"}}';
  const { stdout } = await classify(world, body, "--status", "429", "--provider", "gemini", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ reason: "billing", rule: "gemini-no-quota" });
});

test.each([
  [["--status", "4x4"], EMPTY, "--status takes a whole number"],
  [["--status", "400", "--header", "x"], EMPTY, "takes NAME=VALUE"],
  [["--tokens", "-3"], "{}", "--tokens takes a whole number"],
  [[], "", "There is no failure"],
  [[], "not json", "Line 1 is no failure"],
  [[], '{"error":{"message":"x"}}\n{"error":', "Line 2 is no failure"],
  [[], "[1]", "Line 1 is no failure"],
  [["nowhere.json"], "", "nowhere.json cannot be read (there is none)"],
])("[D1] debug classify %j: bad input is one sentence and what helps", async (flags, input, words) => {
  await using world = await ProgramWorld.open({ type: "practice" });
  const { code, stdout, stderr } = await classify(world, input, ...flags);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(words);
  expect(stderr).toContain("debug classify --help");
});
