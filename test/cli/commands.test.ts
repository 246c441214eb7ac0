import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { said } from "../support/said.ts";
import { echo, guarded } from "../support/tools.ts";
import { callTools, delta, DONE, PAUSE, say, stream } from "../support/wire-script.ts";

const half = stream([delta({ content: "Half" }), PAUSE, delta({ content: " done." }, "stop"), DONE]);

test("[J7] /export in a session without a message says so", async () => {
  await using world = await ProgramWorld.onServer("http://127.0.0.1:9/v1");
  const { stderr } = await world.run([], "/export talk.md\n");
  expect(stderr).toContain("There is no message in this session yet.\n");
  expect(stderr).not.toContain("talk.md");
});

test("[A14] commands are answered without a model, each by what is there", async () => {
  const call = callTools([{ id: "a", name: "echo", arguments: { text: "x" } }]);
  await using provider = await fakeProvider([call, say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  const lines = [
    "/why",
    "go",
    "/why",
    "/turn",
    "/cost",
    "/cache",
    "/diff",
    "/files",
    "/undo",
    "/status",
    "/todo",
    "/tools",
    "/sessions",
    "/model",
    "/approve",
  ];
  const { code, stdout, stderr } = await world.run([], `${lines.join("\n")}\n`);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
  expect(stderr.indexOf("There is no turn in this session yet.")).toBeLessThan(stderr.indexOf("✓ answered"));
  for (const text of [
    "The model answered. (text_response)",
    "2 iterations · 1 tool call",
    "This conversation: ",
    "cost unknown",
    "its provider has said nothing of a cache",
    "No snapshot of this turn is kept",
    "/undo -y does it",
    "session session-1 · 4 messages",
    "Nothing runs.",
    "The todo list is empty.",
    "echo  Says its text.",
    "* session-1",
    "fake-1 (custom). /model NAME",
    "No call waits for approval.",
  ])
    expect(stderr).toContain(text);
});

test("[A14] another session, back again, the message once more, and nothing left out where nothing is too much", async () => {
  await using provider = await fakeProvider([say("One."), say("Two."), say("Three."), say("Four.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const lines = ["first words", "/new", "second", "/resume nowhere", "/resume first", "/retry", "/compact", "third"];
  const { stdout, stderr } = await world.run([], `${lines.join("\n")}\n`);
  expect(stdout).toBe("One.\nTwo.\nThree.\nFour.\n");
  expect(stderr).toContain("There is no session nowhere: /sessions lists the newest.");
  expect(stderr).toContain("Going on with “first words” (2 messages).");
  expect(provider.requests.map(({ body }) => said(body.messages.at(-1)))).toEqual([
    "first words",
    "second",
    "first words",
    "third",
  ]);
  // The question is asked again where it was asked: its first answer stands in the session it was given in.
  expect(provider.requests[2]?.body.messages).toHaveLength(2);
  expect(provider.requests[3]?.body.messages).toHaveLength(4);
  expect(stderr).toContain("Nothing more can be left out.");
});

test("[F1] /compact with words keeps all from the first message on that holds them", async () => {
  await using provider = await fakeProvider(["1", "2", "3", "4", "5"].map((text) => say(text.repeat(400))));
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const lines = ["about ants", "about bees", "about cats", "about dogs", "/compact bees", "and now?"];
  const { stderr } = await world.run([], `${lines.join("\n")}\n`);
  expect(stderr).toContain("Less of the old conversation is sent from here on");
  const sent = JSON.stringify(provider.requests[4]?.body.messages);
  expect(sent).not.toContain("about ants");
  for (const kept of ["about bees", "about cats", "about dogs"]) expect(sent).toContain(kept);
});

test("[A14] a title, an export, settings and checks from within; what exists is not written over", async () => {
  await using provider = await fakeProvider([say("One.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const lines = ["hi", "/title My Words", "/export talk.md", "/export talk.md", "/config get retry.maxMs", "/sessions"];
  const { stderr } = await world.run([], `${lines.join("\n")}\n`);
  const file = join(world.folder, "talk.md");
  expect(readFileSync(file, "utf8")).toMatch(/^# My Words\n[^]*One\./u);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(stderr).toContain("talk.md was not written (EEXIST)");
  expect(stderr).toContain("* session-1");
  expect(stderr).toContain("My Words");
  expect(stderr).not.toContain("internal_error");
});

test("[A14 B8] while a turn runs, words steer, priority commands are done, the others wait, mistypes are refused", async () => {
  await using provider = await fakeProvider([half, say("Queued."), say("More.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const seat = world.sit(["go"]);
  await seat.shown("Half");
  seat.type("/status\r");
  await seat.shown("session session-1");
  seat.type("/staus\r");
  await seat.shown("There is no /staus; perhaps /status was meant.");
  seat.type("/queue later\r");
  await seat.shown("queued: later");
  seat.type("/new\r");
  await seat.shown("queued: /new");
  provider.release();
  await seat.shown("Queued.");
  await seat.shown("A new session begins.");
  seat.type("more\r");
  await seat.shown("More.");
  seat.type("\u0004");
  expect((await seat.ended).code).toBe(0);
  expect(provider.requests.map(({ body }) => body.messages.length)).toEqual([2, 4, 2]);
});

test("[A14] what a person runs is shown, and told to the model with the next message; in a pipe it is a message", async () => {
  await using provider = await fakeProvider([say("I see."), say("A message.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const seat = world.sit([]);
  await seat.shown("› ");
  seat.type("!echo hi\r");
  await seat.shown("✓ Exit code 0");
  seat.type("what was that?\r");
  await seat.shown("I see.");
  seat.type("\u0004");
  await seat.ended;
  const asked = provider.requests[0]?.body.messages.at(-1);
  expect(said(asked)).toBe("what was that?");
  expect(String(asked?.content)).toContain("$ echo hi\nExit code 0");
  await world.run([], "!echo hi\n");
  expect(said(provider.requests[1]?.body.messages.at(-1))).toBe("!echo hi");
});

test("[A14] @FILE attaches a text; what is none is refused with a sentence, and the words come back", async () => {
  await using provider = await fakeProvider([say("Read.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  writeFileSync(join(world.folder, "notes.txt"), "remember the milk\n");
  writeFileSync(join(world.folder, "picture.png"), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]));
  const seat = world.sit([]);
  await seat.shown("› ");
  seat.type("see @picture.png\r");
  await seat.shown("picture.png is a broken picture");
  await seat.shown("see @picture.png", "picture.png is");
  seat.type("\u0015");
  seat.type("what says @notes.txt, @note.txt, @nobody?");
  await seat.shown("@nobody?");
  seat.type("\r");
  await seat.shown("Read.");
  seat.type("\u0004");
  const { stderr } = await seat.ended;
  expect(stderr).toContain("attached: notes.txt");
  expect(stderr).toContain("There is no file note.txt here: it is sent as a word.");
  expect(stderr).not.toContain("There is no file nobody");
  expect(provider.requests).toHaveLength(1);
  const asked = provider.requests[0]?.body.messages.at(-1);
  expect(said(asked)).toBe("what says @notes.txt, @note.txt, @nobody?");
  expect(String(asked?.content)).toContain("remember the milk");
});

test("[J3] a conversation speaks Chinese where it is asked to", async () => {
  await using provider = await fakeProvider([say("好。")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const { stderr } = await world.run(["--lang", "zh"], "你好\n/frob\n/help stop\n");
  for (const text of ["✓ 已回答 · 1 次迭代", "没有 /frob", "/stop [消息]", "一行就是一条消息"])
    expect(stderr).toContain(text);
});

test("[A14 E10] /deny and /approve answer the question that stands", async () => {
  const tool = guarded();
  const ask = (id: string) => callTools([{ id, name: "guarded", arguments: { text: id } }]);
  await using provider = await fakeProvider([ask("one"), say("Denied."), ask("two"), say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  const seat = world.sit(["go"]);
  await seat.shown("[y/N]");
  seat.type("/deny\r");
  await seat.shown("› ", "✓ answered");
  seat.type("again\r");
  await seat.shown("[y/N]", "again");
  seat.type("/approve\r");
  await seat.shown("✓ answered", "again");
  seat.type("\u0004");
  await seat.ended;
  expect(tool.runs).toEqual(["two"]);
});

test("[B5] Esc stops the turn", async () => {
  await using provider = await fakeProvider([half]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const seat = world.sit(["go"]);
  await seat.shown("Half");
  seat.type("\u001B");
  await seat.shown("› ", "interrupted_during_api_call");
  seat.type("\u0004");
  expect((await seat.ended).code).toBe(0);
});
