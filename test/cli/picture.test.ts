import { expect, test } from "vitest";
import type { TurnPicture } from "../../src/session/picture/rows.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { echo } from "../support/tools.ts";
import { callTools, refuse, say } from "../support/wire-script.ts";

const limit = refuse(429, { error: { message: "slow down" } }, { "retry-after-ms": "1" });
const calls = callTools([
  { id: "a", name: "echo", arguments: { text: "左" } },
  { id: "b", name: "echo", arguments: { text: "right" } },
]);

test("[X1] turn show --picture draws what took how long, in ASCII where there is no terminal", async () => {
  await using provider = await fakeProvider([limit, calls, say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  await world.ask("say both");
  const { code, stdout, stderr } = await world.run(["turn", "show", "--picture"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^custom fake-1 \| 2 iterations \| 1 retry \| 2 tool calls \| /u);
  expect(stdout).toContain("1 fake-1 (try 2)");
  expect(stdout).toContain("429 rate_limit");
  expect(stdout).toContain('echo("左")');
  expect(stdout).toContain("# model  = tool  . wait");
  expect(stdout.endsWith("text_response: The model has answered.\n")).toBe(true);
  expect(stdout).not.toMatch(/[\u2500-\u259F]/u);

  const wide = await world.run(["turn", "show", "last", "--picture", "--lang", "zh"], "", { terminal: true });
  expect(wide.stdout).toContain("█ 模型");
  const bare = await world.run(["turn", "show", "--picture"], "", { terminal: true, env: { NO_COLOR: "1" } });
  expect(bare.stdout).not.toMatch(/[\u2500-\u259F]/u);
});

test("[X1] with --json the picture is its rows", async () => {
  await using provider = await fakeProvider([calls, say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  const { turnId } = await world.ask("say both");
  const { stdout } = await world.run(["turn", "show", turnId ?? "", "--picture", "--json"]);
  const picture = JSON.parse(stdout) as TurnPicture;
  expect(picture).toMatchObject({ turnId, exit: "text_response" });
  expect(picture.rows.map(({ type }) => type)).toEqual(["attempt", "tool", "tool", "attempt", "end"]);
});

test("[X1] a turn that does not exist has no picture", async () => {
  await using world = await ProgramWorld.onServer("http://127.0.0.1:9/v1");
  const { code, stderr } = await world.run(["turn", "show", "none", "--picture"]);
  expect(code).toBe(2);
  expect(stderr).toContain("There is no turn none.");
  const blank = await world.run(["turn", "cache", " "]);
  expect([blank.code, blank.stderr]).toEqual([2, expect.stringContaining("The id of the turn is empty")]);
});

test("[X1] [A14] /turn shows the picture of the last turn", async () => {
  await using provider = await fakeProvider([say("Hello.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const { stderr } = await world.run([], "hello\n/turn\n");
  expect(stderr).toContain("1 iteration");
  expect(stderr).toContain("# model");
});
