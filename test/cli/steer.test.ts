import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nonceIn, readSteers } from "../../src/protocol/steer-marker.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { said } from "../support/said.ts";
import { echo, guarded } from "../support/tools.ts";
import { callTools, delta, DONE, PAUSE, say, stream } from "../support/wire-script.ts";

const CTRL_D = "\u0004";
const ask = callTools([{ id: "g", name: "guarded", arguments: { text: "x" } }]);
const half = stream([delta({ content: "Half" }), PAUSE, delta({ content: " done." }, "stop"), DONE]);

test("[B8] a steer typed while a call waits rides on its receipt, which the model reads", async () => {
  const slow = stream([PAUSE, ...ask.frames]);
  await using provider = await fakeProvider([slow, say("With care.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [guarded()]);
  const seat = world.sit(["do it"]);
  await provider.paused();
  seat.type("with care\r");
  await world.shown("steers now: with care");
  provider.release();
  await world.shown("Allow? [y/N]");
  seat.type("y\r");
  await world.shown("With care.");
  seat.type(CTRL_D);
  expect((await seat.ended).code).toBe(0);
  expect((await world.run(["turn", "show", "last", "--raw"])).stdout).toContain("with care");
  const messages = provider.requests[1]?.body.messages ?? [];
  expect(messages.at(-1)?.role).toBe("tool");
  const nonce = nonceIn(String(messages[0]?.content));
  expect(readSteers(String(messages.at(-1)?.content), nonce).steers).toEqual(["with care"]);
});

test("[B9] a steer that no tool result took is the next message", async () => {
  await using provider = await fakeProvider([half, say("Second.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  const seat = world.sit(["go"]);
  await world.shown("Half");
  seat.type("/steer and then?\r");
  await world.shown("steers now: and then?");
  provider.release();
  await world.shown("Second.");
  seat.type(CTRL_D);
  expect((await seat.ended).stdout).toBe("Half\n done.\nSecond.\n");
  expect(provider.requests[1]?.body.messages.at(-1)).toMatchObject({ role: "user", content: "and then?" });
});

test("[B9] [F5] a file that is named while a turn runs comes with a message of its own, never as the user's words", async () => {
  await using provider = await fakeProvider([half, say("Read.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await writeFile(join(world.folder, "mail.txt"), "told by others");
  const seat = world.sit(["go"]);
  await world.shown("Half");
  seat.type("/steer see @mail.txt\r");
  await world.shown("queued: see @mail.txt");
  provider.release();
  await world.shown("Read.");
  seat.type(CTRL_D);
  await seat.ended;
  const asked = provider.requests[1]?.body.messages.at(-1);
  expect([asked?.role, said(asked)]).toEqual(["user", "see @mail.txt"]);
  expect(String(asked?.content)).toContain("told by others");
});

test("[B14] a redirect drops what streams and asks again", async () => {
  await using provider = await fakeProvider([half, say("Oui.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const seat = world.sit(["go"]);
  await world.shown("Half");
  seat.type("/redirect in French\r");
  await world.shown("Oui.");
  seat.type(CTRL_D);
  const { stdout, stderr } = await seat.ended;
  expect(stdout).toBe("Half\nOui.\n");
  expect(stderr).toContain("… dropped; asking again");
  expect(stderr).not.toContain("broke off");
});

test("[B15] /stop with a message stops the turn and answers the message", async () => {
  await using provider = await fakeProvider([half, say("Instead.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const seat = world.sit(["go"]);
  await world.shown("Half");
  seat.type("/stop do this instead\r");
  await world.shown("Instead.");
  seat.type(CTRL_D);
  await seat.ended;
  expect(provider.requests[1]?.body.messages.at(-1)).toMatchObject({ role: "user", content: "do this instead" });
});

test("[A14] where nothing runs, words for a turn are a message, and a stop is told that there is nothing", async () => {
  await using provider = await fakeProvider([say("One."), say("Two.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const { stdout, stderr } = await world.run([], "/stop\n/steer first\n/redirect second\n/steer\n");
  expect(stdout).toBe("One.\nTwo.\n");
  expect(stderr).toContain("Nothing runs.");
  expect(stderr).toContain("/steer needs words behind it");
  expect(provider.requests.map((request) => request.body.messages.at(-1)?.content)).toEqual(["first", "second"]);
});

test("[B15] [F3] /stop ends a summary that is waited for, and its message is answered with the whole conversation", async () => {
  const long = ["one", "two", "three"].map((text) => say(`${text} `.repeat(400)));
  const waits = stream([delta({ content: "## Goal" }), PAUSE, DONE], { newHead: true });
  await using provider = await fakeProvider([...long, waits, { ...say("Instead."), newHead: true }]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const seat = world.sit(["ask one"]);
  for (const [at, asked] of ["ask two", "ask three", "/compact"].entries()) {
    await world.shown("✓ answered", at + 1);
    seat.type(`${asked}\r`);
  }
  await provider.paused();
  seat.type("/status\r");
  await seat.shown("being summed up by the model", "session-1 · 6 messages");
  seat.type("/stop leave that\r");
  await world.shown("Instead.");
  seat.type(CTRL_D);
  const { stderr } = await seat.ended;
  expect(stderr).toContain("Stopped; the whole conversation is sent as before.");
  expect(stderr).not.toContain("Nothing runs.");
  const messages = provider.requests.at(-1)?.body.messages ?? [];
  expect(messages.at(-1)).toMatchObject({ role: "user", content: "leave that" });
  expect(JSON.stringify(messages)).toContain("ask one");
});
