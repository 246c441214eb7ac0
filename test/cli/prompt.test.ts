import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { todoTool } from "../../src/tools/todo.ts";
import type { TurnResult } from "../../src/protocol/result.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { echo, guarded, stuck } from "../support/tools.ts";
import { callTools, delta, PAUSE, refuse, say, stream } from "../support/wire-script.ts";

test("[J7][X8] -p prints the answer alone on stdout, with one newline", async () => {
  await using provider = await fakeProvider([say(["Hel", "lo.\n"])]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  expect(await world.run(["-p", "hi"])).toEqual({ code: 0, stdout: "Hello.\n", stderr: "" });
});

test("[J7][X8] the result has every key, whatever happened", async () => {
  await using provider = await fakeProvider([say("Hello."), refuse(401, { error: { message: "bad key" } })]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const good = await world.ask("hi");
  const bad = await world.ask("hi");
  const refused = JSON.parse((await world.run(["--nonsense", "-p", "x", "--output", "json"])).stdout) as object;
  expect(Object.keys(bad).toSorted()).toEqual(Object.keys(good).toSorted());
  expect(Object.keys(refused).toSorted()).toEqual(Object.keys(good).toSorted());
  expect(good).toMatchObject({ ok: true, completed: true, answer: "Hello.", error: null, exit: { code: 0 } });
  expect(good).toMatchObject({ iterations: { used: 1, limit: 500, refunded: 0 }, attempts: 1, retries: 0 });
  expect(bad).toMatchObject({
    ok: false,
    failed: true,
    answer: null,
    error: { code: "request_rejected", status: 401 },
  });
  expect(bad.exit).toMatchObject({ reason: "request_rejected", code: 77 });
});

test("[J7] jsonl counts its lines without gaps and ends with the result", async () => {
  await using provider = await fakeProvider([
    callTools([{ id: "a", name: "echo", arguments: { text: "x" } }]),
    say("Done."),
  ]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  const { stdout } = await world.run(["-p", "go", "--output", "jsonl"]);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { seq: number; type: string });
  expect(lines.map((line) => line.seq)).toEqual(lines.map((_, index) => index));
  expect(lines.map((line) => line.type)).toContain("receipt");
  expect(lines.at(-1)).toMatchObject({ type: "result", answer: "Done.", toolEvents: [{ name: "echo", status: "ok" }] });
});

test("[J1] wrong usage exits 2, a wrong setting 78, an unknown session 2, each with one result that says what to do", async () => {
  await using world = await ProgramWorld.onServer("http://127.0.0.1:9/v1");
  const run = async (...argv: string[]): Promise<[number, string, string]> => {
    const { code, stdout } = await world.run([...argv, "--output", "json"]);
    const { exit, error } = JSON.parse(stdout) as { exit: { reason: string }; error: { message: string } };
    return [code, exit.reason, error.message];
  };
  expect(await run("-p", "x", "--frob")).toEqual([2, "usage_error", expect.stringContaining("--frob")]);
  expect(await run("-p", "x", "--approve", "maybe")).toEqual([
    2,
    "usage_error",
    expect.stringContaining("never, rules, all, park"),
  ]);
  expect(await run("-p", "  ​\n")).toEqual([2, "usage_error", expect.stringContaining("no prompt")]);
  expect(await run("-p", "x", "--cwd", "nowhere")).toEqual([2, "usage_error", expect.stringContaining("nowhere")]);
  expect(await run("-p", "x", "--config", "frob=1")).toEqual([78, "config_invalid", expect.stringContaining("frob")]);
  expect(await run("-p", "x", "--max-iterations", "0")).toEqual([
    78,
    "config_invalid",
    expect.stringContaining("--max-iterations"),
  ]);
  expect(await run("-p", "x", "--resume", "nobody")).toEqual([
    2,
    "session_not_found",
    expect.stringContaining("nobody"),
  ]);
  expect(await run("-p", "x", "--resume", "last")).toEqual([
    2,
    "session_not_found",
    expect.stringContaining("no session yet"),
  ]);
});

test("[HIST-05] a blank prompt is refused at the edge, never kept, never sent", async () => {
  await using provider = await fakeProvider([]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  expect((await world.ask("  ​\n")).exit.reason).toBe("usage_error");
  expect((await world.run(["session", "list"])).stdout).toBe("");
});

test("[X2] nothing found: exit 78 with commands to run, never silently the practice model", async () => {
  const next = [{ do: "practice", text: "Use the practice model", command: "evander --model practice" }];
  await using world = await ProgramWorld.open({ type: "none", cause: "no_provider", message: "None.", next });
  const result = await world.ask("hi");
  expect(result).toMatchObject({ exit: { code: 78, reason: "no_provider" }, error: { code: "no_provider", next } });
});

test("[J7] the prompt comes from stdin when -p has no text", async () => {
  await using provider = await fakeProvider([say("Read.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  expect((await world.run(["-p"], "from a pipe\n")).stdout).toBe("Read.\n");
  expect(provider.requests[0]?.text).toContain("from a pipe");
});

test("[A4] a prompt with NUL and lone surrogates is made safe and sent", async () => {
  await using provider = await fakeProvider([say("Fine.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  expect((await world.ask("a\0b\uD800c")).ok).toBe(true);
  expect(provider.requests[0]?.text).toContain("ab\uFFFDc");
});

test("[E10] without a person a call that asks is denied, and the turn goes on", async () => {
  const tool = guarded();
  const call = callTools([{ id: "g", name: "guarded", arguments: { text: "x" } }]);
  await using provider = await fakeProvider([call, say("I may not."), call, say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  const denied = await world.ask("do it");
  expect(denied).toMatchObject({ ok: true, answer: "I may not.", toolEvents: [{ name: "guarded", status: "denied" }] });
  expect(tool.runs).toEqual([]);
  expect((await world.ask("do it", "--approve", "all")).toolEvents).toMatchObject([{ status: "ok" }]);
  expect(tool.runs).toEqual(["x"]);
});

test("[J1][G3] --approve park ends with code 30 and what waits; the next process goes on", async () => {
  const tool = guarded();
  const call = callTools([{ id: "g", name: "guarded", arguments: { text: "x" } }]);
  await using provider = await fakeProvider([call, say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  const parked = await world.ask("do it", "--approve", "park");
  expect(parked.exit).toMatchObject({ code: 30, reason: "parked_for_approval" });
  expect(parked.waitingFor).toMatchObject([{ callId: "g", name: "guarded", why: "it changes something" }]);
  expect((await world.run(["session", "list"])).stdout).toContain("(unfinished)");
  const resumed = await world.run(["session", "resume", "last", "--continue", "--approve", "all", "--output", "json"]);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ ok: true, answer: "Done.", turnId: parked.turnId });
  expect(tool.runs).toEqual(["x"]);
  const again = await world.run(["session", "resume", "last", "--continue"]);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("nothing to go on with") });
});

test("[G3] --resume closes a parked turn first; the new prompt is a turn of its own", async () => {
  const call = callTools([{ id: "g", name: "guarded", arguments: { text: "x" } }]);
  await using provider = await fakeProvider([call, say("Something else.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [guarded()]);
  const parked = await world.ask("do it", "--approve", "park");
  const next = await world.ask("leave it", "--resume", "last");
  expect(next).toMatchObject({ ok: true, answer: "Something else.", sessionId: parked.sessionId });
  expect(next.turnId).not.toBe(parked.turnId);
  const { stdout } = await world.run(["turn", "explain", "last"]);
  expect(stdout).toContain("closed, because a new message came");
  expect(stdout).toContain("guarded → denied");
});

test("[B5][B15][J1] SIGINT in mid-stream: exit 130, the text that had arrived is kept, the history stays valid", async () => {
  await using provider = await fakeProvider([stream([delta({ content: "Half an " }), PAUSE]), say("Again.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const running = world.run(["-p", "talk", "--output", "jsonl"]);
  await world.shown("Half an ");
  world.signal("SIGINT");
  const { code, stdout } = await running;
  const result = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as TurnResult;
  expect(code).toBe(130);
  expect(result).toMatchObject({ interrupted: true, answer: "Half an " });
  expect(result.exit).toMatchObject({ code: 130, reason: "interrupted_during_api_call" });
  expect(await world.ask("go on", "--resume", "last")).toMatchObject({ ok: true, answer: "Again." });
});

test("[B5][B6][J1] SIGTERM in mid-tool: exit 143, each open call is answered", async () => {
  const calls = callTools([1, 2].map((n) => ({ id: `s${n}`, name: "stuck", arguments: {} })));
  await using provider = await fakeProvider([calls]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [stuck(() => world.signal("SIGTERM"))]);
  const result = await world.ask("wait");
  expect(result.exit).toMatchObject({ code: 143, reason: "interrupted_by_user" });
  expect(result.toolEvents.map((call) => call.status)).toEqual(["interrupted", "cancelled"]);
});

test("[J1] a signal that comes before the turn is not lost", async () => {
  await using provider = await fakeProvider([]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const stdin = new PassThrough();
  const running = world.run(["-p", "--output", "json"], stdin);
  await new Promise((resolve) => setImmediate(resolve));
  world.signal("SIGINT");
  stdin.end("too late");
  expect((await running).code).toBe(130);
});

test("[B4][J1] out of iterations: one call without tools, its summary is the answer, exit 20", async () => {
  const call = callTools([{ id: "e", name: "echo", arguments: { text: "x" } }]);
  await using provider = await fakeProvider([call, say("So far: echoed.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  const result = await world.ask("loop", "--max-iterations", "1");
  expect(result).toMatchObject({ answer: "So far: echoed.", completed: false, exit: { code: 20 } });
  expect(result.exit).toMatchObject({ reason: "max_iterations_reached", detail: { used: 1, limit: 1 } });
  expect(provider.requests[1]?.text).toContain('"tool_choice":"none"');
});

test("[J2] --verbose writes the one diagnostic line, without content", async () => {
  await using provider = await fakeProvider([say("A secret answer.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const { stderr } = await world.run(["-p", "hi", "--verbose"]);
  expect(stderr).toContain("turn-end reason=text_response model=fake-1 calls=1 budget=1/500 tool_turns=0");
  expect(stderr).not.toContain("secret");
});

test("[E9] a todo list is shown as a list when it changes, and not again when it is only read", async () => {
  const todos = [
    { id: "1", content: "Read the\nfiles", status: "completed" },
    { id: "2", content: "Write the answer", status: "in_progress" },
    { id: "3", content: "Send it", status: "pending" },
  ];
  const write = callTools([{ id: "a", name: "Todo", arguments: { todos } }]);
  const read = callTools([{ id: "b", name: "todo", arguments: {} }]);
  await using provider = await fakeProvider([write, read, say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [todoTool]);
  const { stderr } = await world.run(["-p", "plan it", "--verbose"]);
  const list = "✓ todo: 1 of 3 done\n  [x] Read the files\n  [>] Write the answer\n  [ ] Send it\n";
  expect(stderr.split(list)).toHaveLength(2);
  expect(stderr).toContain("• todo\n");
});

test("[J1] --max-time ends a turn that takes longer: 22, with what had arrived and what helps", async () => {
  const half = stream([delta({ content: "Half of it" }), PAUSE]);
  await using provider = await fakeProvider([half]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const result = await world.ask("work", "--max-time", "1s");
  expect(result).toMatchObject({ answer: "Half of it", exit: { reason: "time_limit", code: 22 }, interrupted: false });
  expect(result.error?.next[0]?.text).toContain("--max-time");
  expect(result.error?.next[1]?.command).toMatch(/ --max-time 2s$/u);
  expect((await world.ask("work", "--max-time", "soon")).error?.message).toContain('it is "soon"');
});
