import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TurnPicture } from "../../src/session/picture/picture.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import type { Tool } from "../../src/protocol/tool.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { save, turnStart } from "../support/store-world.ts";
import { echo } from "../support/tools.ts";
import { callTools, refuse, say } from "../support/wire-script.ts";
import { tagsOf } from "../support/xml.ts";

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
  expect(picture.rows.map(({ type }) => type).filter((type) => type !== "phase")).toEqual([
    "attempt",
    "tool",
    "tool",
    "attempt",
    "end",
  ]);
});

test("[X1][G3] the picture of a turn whose process has gone says so", async () => {
  await using world = await ProgramWorld.onServer("http://127.0.0.1:9/v1");
  const store = openSqliteStore({ path: join(world.folder, "state", "evander.db") });
  await save(
    (await store.open("s")).writer(() => undefined),
    turnStart("t-left", 0, "hello"),
  );
  store.close();
  expect((await world.run(["turn", "show", "--picture"])).stdout).toMatch(/\nIts process has gone[^\n]*\n$/u);
  expect((await world.run(["turn", "show", "--picture", "--lang", "zh"])).stdout).toContain("进程");
});

test("[X1] a turn that does not exist has no picture", async () => {
  await using world = await ProgramWorld.onServer("http://127.0.0.1:9/v1");
  const { code, stderr } = await world.run(["turn", "show", "none", "--picture"]);
  expect(code).toBe(2);
  expect(stderr).toContain("There is no turn none.\n  next: See which turns there are: evander turn list\n");
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

test("[X3] turn show --svg writes a picture that stands for itself, and never over a file that is there", async () => {
  await using provider = await fakeProvider([calls, say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  const { turnId } = await world.ask("say <both> & more");
  const { code, stdout, stderr } = await world.run(["turn", "show", "--svg"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(tagsOf(stdout)[0]).toContain("<svg ");
  expect(stdout).toContain("say &lt;both&gt; &amp; more");
  expect((await world.run(["turn", "show", "--svg", "last"])).stdout).toBe(stdout);
  expect(existsSync(join(world.folder, "last"))).toBe(false);

  const written = await world.run(["turn", "show", "last", "--svg", "turn.svg"]);
  expect(written).toEqual({ code: 0, stdout: "", stderr: "The picture is in turn.svg.\n" });
  expect(readFileSync(join(world.folder, "turn.svg"), "utf8")).toBe(stdout);
  const again = await world.run(["turn", "show", "last", "--svg", "turn.svg"]);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("turn.svg is there already")]);
  const nowhere = await world.run(["turn", "show", "last", "--svg", "no/such/turn.svg"]);
  expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining("cannot be written")]);
  const json = await world.run(["turn", "show", turnId ?? "", "--svg", "--json"]);
  expect(JSON.parse(json.stdout)).toEqual({ turnId, svg: stdout });
  const both = await world.run(["turn", "show", "--picture", "--svg"]);
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("exclude each other")]);
});

test("[X3] --follow goes on with a turn that runs elsewhere until its end; parked, it says so; Ctrl-C leaves", async () => {
  let answer = (): void => undefined;
  const asked = new Promise<void>((resolve) => (answer = resolve));
  const slow: Tool = { ...echo, name: "slow", run: () => asked.then(() => "at last") };
  const call = callTools([{ id: "s", name: "slow", arguments: { text: "x" } }]);
  await using provider = await fakeProvider([call, say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [slow]);
  const turn = world.ask("go slowly", "--output", "json");
  await expect.poll(async () => (await world.again().run(["turn", "list", "--json"])).stdout).toContain('"running"');

  const follower = world.again();
  const leaver = world.again();
  const left = leaver.run(["turn", "show", "--picture", "--follow"], "", { terminal: true });
  await leaver.shown("It has run slow for", 2);
  leaver.signal("SIGINT");
  expect((await left).code).toBe(130);
  expect((await left).stdout).toContain("\u001B[");

  const followed = follower.run(["turn", "show", "--picture", "--follow", "last"]);
  await follower.shown("It has run slow for");
  answer();
  expect((await turn).answer).toBe("Done.");
  const { code, stdout, stderr } = await followed;
  expect(code).toBe(0);
  expect(stderr).toMatch(/^It has run slow for [\d.]+ s; then the model reads what came out\.\n/u);
  expect(stdout.match(/slow\("x"\)/gu)).toHaveLength(1);
  expect(stdout).toMatch(/ asks for 1 call.*\n.*slow.*at last\n.* answer.*\n.* finalise.*\n.* end .*text_response\n/u);
  expect(stdout.endsWith("text_response: The model has answered.\n")).toBe(true);
  expect(stdout).not.toContain("\u001B");

  const over = await follower.run(["turn", "show", "--picture", "--follow", "--json"]);
  expect(
    over.stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type: string }).type),
  ).toContain("end");
  const alone = await follower.run(["turn", "show", "--follow"]);
  expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining("--follow goes with --picture")]);
});
