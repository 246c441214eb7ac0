import { expect, test } from "vitest";
import type { Tool } from "../../src/protocol/tool.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { said } from "../support/said.ts";
import { echo, guarded, stuck } from "../support/tools.ts";
import { callTools, delta, DONE, PAUSE, say, stream } from "../support/wire-script.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const ask = (text: string, id = "g") => callTools([{ id, name: "guarded", arguments: { text } }]);

/** Asks before it runs, whatever it is called. */
const asking = (name: string): Tool => ({ ...guarded(), name, ask: () => "it leaves the folder" });

test("[E10] a question shows the whole call, every hidden character of it, and why it is asked", async () => {
  const command = `echo ${"x".repeat(200)} && \u001B[2Krm -rf \u202Egnp.y\nsecond line`;
  const calls = callTools([
    { id: "t", name: "terminal", arguments: { command, cwd: "/" } },
    { id: "w", name: "write_file", arguments: { path: "notes.txt", content: "one\ntwo\n" } },
  ]);
  await using provider = await fakeProvider([calls, say("Denied.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [asking("terminal"), asking("write_file")]);
  const seat = world.sit(["do it"]);
  await world.shown("Allow? [y/N]");
  seat.type("n\r");
  await seat.shown("[y/N]", "Question 2 of 2");
  seat.type("\r");
  await world.shown("Denied.");
  seat.type(CTRL_D);
  const { stderr } = await seat.ended;
  expect(stderr).toContain("terminal needs your approval: it leaves the folder\n");
  expect(stderr).toContain(
    `  $ echo ${"x".repeat(200)} && \\u{1b}[2Krm -rf \\u{202e}gnp.y\n    second line\n  cwd: "/"\n`,
  );
  expect(stderr).toContain("  path: notes.txt\n  content: 8 bytes, 2 lines\n  | one\n  | two\n");
});

test("[SEC-08] an answer commands no terminal; to a pipe its bytes go as they are", async () => {
  const evil = "a\u001B]52;c;ZXZpbA==\u0007b\u001B[2J\u009Bc\u007F\td\r\ne";
  await using provider = await fakeProvider([say(evil), say(evil), say(evil)]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const seat = world.sit(["hi"]);
  await world.shown("e");
  await world.shown("› ");
  seat.type(CTRL_D);
  expect((await seat.ended).stdout).toBe("a]52;c;ZXZpbA==b[2Jc\td\ne\n");
  expect((await world.sit(["-p", "hi"]).ended).stdout).toBe("a]52;c;ZXZpbA==b[2Jc\td\ne\n");
  expect((await world.run(["-p", "hi"])).stdout).toBe(`${evil}\n`);
});

test("[G3][E10] a parked turn stays parked without a person, and asks one who is there", async () => {
  const tool = guarded();
  await using provider = await fakeProvider([ask("x"), say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  await world.ask("do it", "--approve", "park");
  const resume = ["session", "resume", "last", "--continue"];
  const nobody = await world.run(resume);
  expect(nobody.code).toBe(30);
  expect(nobody.stderr).toContain('  guarded needs your approval: it changes something\n    {"text":"x"}\n');
  const seat = world.sit(resume);
  await world.shown("Allow? [y/N]");
  expect(tool.runs).toEqual([]);
  seat.type("y\r");
  const { code, stdout, stderr } = await seat.ended;
  expect({ code, stdout, runs: tool.runs }).toEqual({ code: 0, stdout: "Done.\n", runs: ["x"] });
  expect(stderr).toContain('• guarded("x")');
  expect(seat.stdin.isPaused()).toBe(true);
});

test("[B5][G3] Ctrl-C at the question of a resumed turn stops it", async () => {
  const tool = guarded();
  await using provider = await fakeProvider([ask("x")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  await world.ask("do it", "--approve", "park");
  const seat = world.sit(["session", "resume", "last", "--continue"]);
  await world.shown("Allow? [y/N]");
  seat.type(CTRL_C);
  expect((await seat.ended).code).toBe(130);
  expect(tool.runs).toEqual([]);
});

test("[G3] a conversation says that its session has an unfinished turn", async () => {
  await using provider = await fakeProvider([ask("x"), say("Closed.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [guarded()]);
  await world.ask("do it", "--approve", "park");
  const { stderr, stdout } = await world.run(["--resume", "last", "--model", "fake-1"], "something else\n");
  expect(stderr).toContain("This session has an unfinished turn: a new message closes it");
  expect(stderr).toContain("evander session resume session-1 --continue --model fake-1");
  expect(stdout).toBe("Closed.\n");
});

const streaming = stream([delta({ content: "Half" }), PAUSE, delta({ content: " done." }, "stop"), DONE]);

test("[J7] keys typed while an answer streams wait at the prompt, and are no part of the answer", async () => {
  await using provider = await fakeProvider([streaming, say("Second.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const seat = world.sit(["go"]);
  await world.shown("Half");
  seat.type("half a li");
  await new Promise((resolve) => setImmediate(resolve));
  provider.release();
  await world.shown("› ");
  await world.shown("half a li");
  seat.type("ne\r");
  await world.shown("Second.");
  seat.type(CTRL_D);
  const { stdout, stderr } = await seat.ended;
  expect(stdout).toBe("Half done.\nSecond.\n");
  expect(stderr.indexOf("half a li")).toBeGreaterThan(stderr.indexOf("› "));
  expect(provider.requests[1]?.body.messages.at(-1)?.content).toBe("half a line");
});

test("[E10] what was half typed before a question is no part of its answer, and comes back", async () => {
  const tool = guarded();
  const paused = stream([PAUSE, ...ask("x").frames]);
  await using provider = await fakeProvider([paused, say("Ran."), say("Got it.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  const seat = world.sit(["go"]);
  await provider.paused();
  seat.type("y");
  await new Promise((resolve) => setImmediate(resolve));
  provider.release();
  await world.shown("Allow? [y/N]");
  seat.type("\r");
  await world.shown("Ran.");
  await world.shown("› ");
  seat.type("es?\r");
  await world.shown("Got it.");
  seat.type(CTRL_D);
  await seat.ended;
  expect(tool.runs).toEqual([]);
  expect(provider.requests[2]?.body.messages.at(-1)?.content).toBe("yes?");
});

test.each([
  ["where lines are edited", [], "\r"],
  ["where the terminal keeps the line", ["--plain"], "\n"],
])("[E10] what is typed in the first moment of a question is no answer to it, %s", async (_where, flags, enter) => {
  const tool = guarded();
  await using provider = await fakeProvider([ask("x"), say("Denied.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  const seat = world.sit(["go", ...flags]);
  // Both in one process: the keys are there before any time can pass.
  await seat.shown("Allow? ");
  seat.type(`y${enter}`);
  await seat.shown("[y/N]");
  expect(tool.runs).toEqual([]);
  seat.type(`n${enter}`);
  await seat.shown("✓ answered");
  seat.leave();
  await seat.ended;
  expect(tool.runs).toEqual([]);
});

test("[B5] Ctrl-C tells which lines were not sent; Ctrl-D in a turn leaves after it", async () => {
  await using provider = await fakeProvider([streaming, streaming]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const seat = world.sit(["go"]);
  await world.shown("Half");
  seat.type("/queue one\r");
  await world.shown("queued: one");
  seat.type("/queue two\r");
  await world.shown("queued: two");
  seat.type(CTRL_C);
  await seat.shown("› ", "interrupted_during_api_call");
  seat.type("again\r");
  await world.shown("Half", 2);
  seat.type(CTRL_D);
  await world.shown("leaving after this turn");
  provider.release();
  const { code, stderr } = await seat.ended;
  expect(code).toBe(0);
  expect(stderr).toContain("2 lines were not sent:\n  one\n  two\n");
});

test("[J7] a pasted text is one message, also when it arrives in pieces, and no key in it is pressed", async () => {
  await using provider = await fakeProvider([say("Read.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const seat = world.sit([]);
  await world.shown("› ");
  for (const piece of ["see: \u001B[2", "00~first\r\nsec", "ond\u0003 ü\nthird\n\u001B[20", "1~", " (end)\r"])
    seat.type(piece);
  await world.shown("Read.");
  seat.type(CTRL_D);
  const { code, stderr } = await seat.ended;
  expect(code).toBe(0);
  expect(provider.requests[0]?.body.messages.at(-1)?.content).toBe("see: first\nsecond ü\nthird (end)");
  expect(stderr).toContain("\u001B[?2004h");
  expect(stderr.lastIndexOf("\u001B[?2004l")).toBeGreaterThan(stderr.lastIndexOf("\u001B[?2004h"));
});

test("[J7] at a terminal it is said how long a model has not answered, until it does", async () => {
  await using provider = await fakeProvider([stream([PAUSE, delta({ content: "Now." }, "stop"), DONE])]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const seat = world.sit(["-p", "think"]);
  await world.shown("waiting for fake-1 … ");
  provider.release();
  const { stdout, stderr } = await seat.ended;
  expect(stdout).toBe("Now.\n");
  expect(stderr.endsWith("\r\u001B[J")).toBe(true);
});

test("[J7] -p without a text says at a terminal that it reads; Ctrl-C ends it and lets go of the terminal", async () => {
  await using provider = await fakeProvider([]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const seat = world.sit(["-p"]);
  await world.shown("Ctrl-D on a line of its own ends it");
  world.signal("SIGINT");
  expect((await seat.ended).code).toBe(130);
  expect(seat.stdin.destroyed).toBe(true);
});

test("[J1] SIGTERM ends a conversation now, with its turn closed; idle at a terminal a second Ctrl-C leaves", async () => {
  const calls = callTools([{ id: "s", name: "stuck", arguments: {} }]);
  await using provider = await fakeProvider([calls]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [stuck(() => world.signal("SIGTERM"))]);
  expect((await world.sit(["go"]).ended).code).toBe(143);
  expect((await world.run(["turn", "explain", "last"])).stdout).toContain("stopped (terminate)");
  const seat = world.sit([]);
  await world.shown("› ");
  seat.type(CTRL_C);
  await world.shown("Ctrl-C again leaves.");
  seat.type(CTRL_C);
  expect((await seat.ended).code).toBe(0);
});

test("[D4] a failure that ends a turn is told once", async () => {
  const refusal = { status: 401, frames: [JSON.stringify({ error: { message: "no such key" } })] };
  await using provider = await fakeProvider([refusal]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const seat = world.sit(["go"]);
  await world.shown("› ");
  seat.type(CTRL_D);
  expect((await seat.ended).stderr.match(/no such key/gu)).toHaveLength(1);
});

test("[J7] Ctrl-Z gives the terminal back to the shell; when it returns, the half-written line is there", async () => {
  await using provider = await fakeProvider([say("Heard.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const seat = world.sit([]);
  await seat.shown("› ");
  seat.type("half");
  await seat.shown("half");
  seat.type("\u001A");
  await seat.shown("half", "\u001B[?2004h");
  seat.type(" a line\r");
  await seat.shown("Heard.");
  seat.type(CTRL_D);
  await seat.ended;
  expect(said(provider.requests[0]?.body.messages.at(-1))).toBe("half a line");
});

test("[SEC-08] nothing that came from outside commands a terminal or reorders its lines, on whatever way it gets there", async () => {
  const evil = "a\u001B[2Jb\u009Bc\u202Egpj.exe\u2066d\u2069";
  const tool: Tool = { ...echo, run: () => `${evil}\n${evil}` };
  const calls = callTools([{ id: "e", name: "echo", arguments: { text: evil } }]);
  const odd = callTools([{ id: "o", name: evil, arguments: {} }]);
  await using provider = await fakeProvider([calls, odd, say(evil), calls, say(evil)]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  const seat = world.sit([evil]);
  await world.shown("gpj.exe");
  await world.shown("✓ answered");
  seat.type(CTRL_D);
  const shown = await seat.ended;
  const headless = await world.sit(["-p", evil]).ended;
  const ways = ["session list", "session show last", "turn explain last", "turn show --picture", "turn show", "logs"];
  const read = await Promise.all(
    [...ways, "turn show --raw", "session show last --json", "session export last"].map(
      (way) => world.sit(way.split(" ")).ended,
    ),
  );
  for (const { stdout, stderr } of read) expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n\t]/u);
  for (const { stdout, stderr } of [shown, headless, ...read])
    expect(stdout + stderr).not.toMatch(/[\u0080-\u009F\u202A-\u202E\u2066-\u2069]/u);
  for (const { stdout, stderr } of [shown, headless]) expect((stdout + stderr).includes("\u001B[2J")).toBe(false);
  const { stdout: json } = await world.run(["session", "show", "last", "--json"]);
  expect(JSON.stringify(JSON.parse(json))).toContain(JSON.stringify(evil).slice(1, -1));
});
