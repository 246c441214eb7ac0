import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { tool } from "../support/agent-in-folder.ts";
import { echo, guarded } from "../support/tools.ts";
import { callTools, refuse, reply, say } from "../support/wire-script.ts";

/** Lines a person types at a terminal. */
function terminal(...lines: string[]): PassThrough & { isTTY: boolean } {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.end(lines.map((line) => `${line}\n`).join(""));
  return stdin;
}

test("[J7] a line in, the answer streamed, tool calls as lines of their own, one session", async () => {
  const call = callTools([{ id: "a", name: "echo", arguments: { text: "x" } }]);
  await using provider = await fakeProvider([call, say("First."), say("Second.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  const { code, stdout, stderr } = await world.run([], "one\n\ntwo\n");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "First.\nSecond.\n" });
  expect(stderr).toContain("fake-1 (from OPENAI_BASE_URL)");
  expect(stderr).toContain('• echo("x")');
  expect(stderr).toContain("✓ echo: echo: x");
  expect((await world.run(["session", "list"])).stdout).toContain("2 turns");
});

test("[B13] behind a text that was streamed, housekeeping goes on unseen, unless it fails; real work is shown", async () => {
  const keep = (id: string, more: object = {}) => reply({ calls: [{ id, name: "todo", arguments: {} }], ...more });
  const look = { id: "e", name: "echo", arguments: { text: "x" } };
  await using provider = await fakeProvider([
    keep("a", { text: "The answer is 42." }),
    keep("b"),
    keep("c", { text: "", calls: [look, { id: "c", name: "todo", arguments: {} }] }),
    keep("d", { text: "As I said." }),
    reply({ text: "" }),
    keep("f", { text: "One." }),
    say("Two."),
  ]);
  let runs = 0;
  const todo = tool("todo", () => {
    if (++runs === 4) throw new Error("it is full");
    return `noted ${runs}`;
  });
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo, todo]);
  const { stdout, stderr } = await world.run([], "what is it?\nand more\n");
  expect(stdout).toBe("The answer is 42.\nAs I said.\nOne.\nTwo.\n");
  expect(stderr.match(/[•✓✗] todo.*/gu)).toEqual(["• todo", "✓ todo: noted 3", "✗ todo: error: it is full"]);
  expect(stderr).toContain("✓ echo: echo: x");
});

test("[D9] [D11] [A13] a conversation says who takes over and why, and who answered; /model begins with its model again", async () => {
  const limited = refuse(429, { error: { message: "slow down" } });
  await using provider = await fakeProvider([limited, say("Mine.")]);
  await using second = await fakeProvider([say("From the second."), say("Again.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const chain = ["--fallback", "second/m-2", "--config", `providers.second.baseUrl=${second.baseUrl}`];
  const { stdout, stderr } = await world.run(chain, "one\ntwo\n/model fake-1\nthree\n");
  expect(stdout).toBe("From the second.\nAgain.\nMine.\n");
  const why = "from here on second/m-2 is asked, because the limit of the other one is used up";
  expect(stderr).toMatch(/! HTTP 429 from \S+: slow down\n/u);
  expect(stderr.split(why)).toHaveLength(3);
  expect(stderr.match(/✓ answered.*?·/gu)).toEqual([
    "✓ answered by second/m-2 ·",
    "✓ answered by second/m-2 ·",
    "✓ answered ·",
  ]);
});

test("[E10] at a terminal a call that asks waits for the answer; a line typed earlier is not taken for it", async () => {
  const tool = guarded();
  const call = (id: string) => callTools([{ id, name: "guarded", arguments: { text: id } }]);
  await using provider = await fakeProvider([call("first"), say("Denied."), say("Typed ahead.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  const { stderr, stdout } = await world.run([], terminal("do it", "y"));
  expect(stderr).toContain('guarded needs your approval: it changes something\n  {"text":"first"}\n');
  expect(tool.runs).toEqual([]);
  expect(stdout).toBe("Denied.\nTyped ahead.\n");
});

test("[E10] yes at the terminal runs the call", async () => {
  const tool = guarded();
  await using provider = await fakeProvider([
    callTools([{ id: "g", name: "guarded", arguments: { text: "x" } }]),
    say("Done."),
  ]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const running = world.run(["do it"], stdin);
  await provider.received(1);
  await world.shown("Allow? [y/N]");
  stdin.end("y\n");
  expect((await running).stdout).toBe("Done.\n");
  expect(tool.runs).toEqual(["x"]);
});
