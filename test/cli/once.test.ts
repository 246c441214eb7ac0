import { expect, test } from "vitest";
import type { TurnResult } from "../../src/protocol/result.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { echo, guarded } from "../support/tools.ts";
import { callTools, delta, PAUSE, refuse, say, stream } from "../support/wire-script.ts";

const KEY = ["--idempotency-key", "order-17"];

test("[J7] the same key again: the stored result, and no model is asked or looked for", async () => {
  const call = callTools([{ id: "a", name: "echo", arguments: { text: "x" } }]);
  await using provider = await fakeProvider([call, say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  const first = await world.ask("do it", ...KEY, "--messages");
  world.search = { type: "none", cause: "no_provider", message: "Gone.", next: [] };
  const again = await world.run(["-p", "do it", "--output", "json", "--messages", ...KEY]);
  const { durationMs: _took, ...stored } = JSON.parse(again.stdout) as TurnResult;
  expect({ ...first, baseUrl: null, providerSource: null }).toMatchObject(stored);
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("no model was asked") });
  expect(provider.requests).toHaveLength(2);
});

test("[J7] an end that was no answer is kept under its key as well", async () => {
  await using provider = await fakeProvider([refuse(401, { error: { message: "no" } })]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const first = await world.ask("do it", ...KEY);
  const again = await world.ask("do it", ...KEY);
  expect(again).toMatchObject({ exit: first.exit, error: first.error, turnId: first.turnId });
});

test("[J7] a key belongs to its prompt, attachments included", async () => {
  await using provider = await fakeProvider([say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const { sessionId } = await world.ask("do it", ...KEY);
  const other = await world.ask("do something else", ...KEY);
  expect(other).toMatchObject({ exit: { code: 2, reason: "usage_error" }, error: { code: "key_reused" } });
  expect(other.error?.message).toContain(String(sessionId));
  expect((await world.run(["-p", "do it", ...KEY], "attached")).code).toBe(2);
});

test("[J7] the key of a turn in flight: 75 session_busy", async () => {
  await using provider = await fakeProvider([stream([delta({ content: "Half " }), PAUSE])]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const running = world.run(["-p", "do it", "--output", "jsonl", ...KEY]);
  await world.shown("Half ");
  await using second = world.again();
  const busy = await second.ask("do it", ...KEY);
  expect(busy.exit).toMatchObject({ code: 75, reason: "session_busy" });
  expect(busy.error?.next[0]?.text).toBe("Wait for it to finish, or ask in another session.");
  world.signal("SIGINT");
  expect((await running).code).toBe(130);
});

test("[J7][G3] the key of a turn that stands still goes on with that very turn", async () => {
  const tool = guarded();
  const call = callTools([{ id: "g", name: "guarded", arguments: { text: "x" } }]);
  await using provider = await fakeProvider([call, say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  const parked = await world.ask("do it", ...KEY, "--approve", "park");
  expect(parked.exit.code).toBe(30);
  const done = await world.ask("do it", ...KEY, "--approve", "all");
  expect(done).toMatchObject({ ok: true, answer: "Done.", turnId: parked.turnId });
  expect(tool.runs).toEqual(["x"]);
});

test("[J7] a key works in a session that goes on, and is one for the whole store", async () => {
  await using provider = await fakeProvider([say("1."), say("2.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await world.ask("first");
  const second = await world.ask("second", "--resume", "last", ...KEY);
  expect(second.sessionId).toBe("session-1");
  expect((await world.ask("second", ...KEY)).turnId).toBe(second.turnId);
});
