import { expect, test } from "vitest";
import { type FakeProvider, fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { echo } from "../support/tools.ts";
import { callTools, say } from "../support/wire-script.ts";

const WHEN = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d`;

/** Two sessions about a harbour, one of them in Chinese, and one about nothing. */
async function talks(): Promise<FakeProvider> {
  return fakeProvider([
    callTools([{ id: "c", name: "echo", arguments: { text: "argumentword" } }]),
    say("The harbour is closed. 🎉"),
    say("港口今天关闭，明天再来。"),
    say("Fine."),
  ]);
}

async function worldOn(provider: FakeProvider): Promise<ProgramWorld> {
  const world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  await world.ask("Is the harbour open?");
  await world.ask("港口开放吗？");
  await world.ask("How are you?");
  return world;
}

test("[G1] session search shows sessions with the places where it was said, what stands beside them, and how to go on", async () => {
  await using provider = await talks();
  await using world = await worldOn(provider);
  const { stdout, stderr, code } = await world.run(["session", "search", "harbour"]);
  expect(code).toBe(0);
  const [head, ...lines] = stdout.split("\n");
  expect(head).toMatch(new RegExp(`^session-1  ${WHEN}  4 messages  Is the harbour open\\?$`, "u"));
  expect(lines).toEqual([
    "  > 0 user       Is the harbour open?",
    "    1 assistant  [echo]",
    "    2 tool       echo: argumentword",
    "  > 3 assistant  The harbour is closed. 🎉",
    "",
  ]);
  expect(stderr).toBe("Go on with one of them: evander --resume session-1\n");
});

test.each([
  ["港口", "session-2"],
  ["今天关闭，明天", "session-2"],
  ["港", "session-2"],
  ["再来", "session-2"],
  ["🎉", "session-1"],
  ["clos*", "session-1"],
  ['"harbour is"', "session-1"],
  ["harbour NOT fine", "session-1"],
  ["nothing OR 港口", "session-2"],
])("[G1] %j is found in any script and however short, with --json", async (query, sessionId) => {
  await using provider = await talks();
  await using world = await worldOn(provider);
  const found = await world.run(["session", "search", query, "--json"]);
  expect(found).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(found.stdout)).toMatchObject([
    {
      sessionId,
      title: expect.any(String),
      hits: expect.any(Array),
      lines: expect.any(Array),
    },
  ]);
});

test("[G1] a search is limited to so many sessions, or to one", async () => {
  await using provider = await talks();
  await using world = await worldOn(provider);
  const found = async (...argv: readonly string[]): Promise<string[]> => {
    const { stdout } = await world.run(["session", "search", "--json", ...argv]);
    return (JSON.parse(stdout) as { sessionId: string }[]).map(({ sessionId }) => sessionId).toSorted();
  };
  expect(await found("harbour OR 港口")).toEqual(["session-1", "session-2"]);
  expect(await found("harbour OR 港口", "--limit", "1")).toHaveLength(1);
  expect(await found("harbour OR 港口", "--session", "session-1")).toEqual(["session-1"]);
  expect(await found("harbour", "--session", "last")).toEqual([]);
  const blank = await world.run(["session", "search", " "]);
  expect(blank).toMatchObject({ code: 2, stdout: "" });
  expect(blank.stderr).toContain(
    "Say what to look for.\n  next: See what the command takes: evander session search --help\n",
  );
  expect(await world.run(["session", "search", "harbour", "--session", "nobody"])).toMatchObject({
    code: 2,
    stdout: "",
  });
  expect(await world.run(["session", "search", "harbour", "--limit", "0"])).toMatchObject({ code: 2, stdout: "" });
});

test("[G1] a search that finds nothing says what to try, whatever was typed, and is empty for a program", async () => {
  await using provider = await talks();
  await using world = await worldOn(provider);
  for (const query of ['AND "(', "nowhere", "龘", "*", "argumentword NOT echo", "\u001b[2J"]) {
    const none = await world.run(["session", "search", "--", query]);
    expect(none).toMatchObject({ code: 0, stdout: "" });
    expect(none.stderr).toContain("try fewer words");
    expect(none.stderr).not.toContain("\u001b");
  }
  expect(await world.run(["session", "search", "nowhere", "--json"])).toEqual({ code: 0, stdout: "[]\n", stderr: "" });
  const chinese = await world.run(["session", "search", "不存在"], "", { env: { LANG: "zh_CN.UTF-8" } });
  expect(chinese.stderr).toContain("没有找到包含“不存在”的内容。可以减少词语");
});
