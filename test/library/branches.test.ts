import { expect, test } from "vitest";
import { bench, tool } from "../support/agent-in-folder.ts";
import { textOf } from "../../src/protocol/message.ts";
import type { Agent } from "../../src/index.ts";
import { callTools, delta, DONE, PAUSE, say, stream } from "../support/wire-script.ts";

const texts = (bot: Agent, id: string | null): string[] =>
  (bot.store.history(id ?? "") ?? []).map((message) => (message === undefined ? "" : textOf(message)));

const echo = tool("echo", (input) => Promise.resolve(`heard ${JSON.stringify(input)}`));

test("[G5] a message is asked again, or otherwise, in a fork, and every answer stays where it was given", async () => {
  await using world = await bench(say("One."), say("Two."), say("Again."), say("Other."), say("Three."));
  const bot = world.agent({});
  const picture = { type: "image", url: "data:image/png;base64,AAAA" } as const;
  await bot.run("first", { sessionId: "s" });
  await bot.run("second", { sessionId: "s", attachments: [picture] });
  const again = await bot.retry("s");
  expect(again).toMatchObject({ ok: true, answer: "Again." });
  const other = await bot.edit("s", "first, better", { back: 2 });
  await bot.run("third", { sessionId: "s" });
  expect(texts(bot, "s")).toEqual(["first", "One.", "second", "Two.", "third", "Three."]);
  expect(texts(bot, again.sessionId)).toEqual(["first", "One.", "second", "Again."]);
  expect(texts(bot, other.sessionId)).toEqual(["first, better", "Other."]);
  expect(bot.store.history(again.sessionId ?? "")?.[2]?.parts).toContainEqual(picture);
});

test("[G5][X9] the requests of a fork begin with the bytes that were sent before it left", async () => {
  const call = callTools([{ id: "a", name: "echo", arguments: { text: "x" } }]);
  await using world = await bench(call, say("One."), say("Two."), say("Else."), say("Deeper."));
  const bot = world.agent({ tools: [echo], system: "Be brief." });
  await bot.run("go", { sessionId: "s" });
  await bot.run("on", { sessionId: "s" });
  const fork = await bot.fork("s", { at: 4 });
  await bot.run("elsewhere", { sessionId: fork?.sessionId ?? "" });
  const deeper = await bot.fork(fork?.sessionId ?? "", { back: 1 });
  await bot.run("deeper", { sessionId: deeper?.sessionId ?? "" });
  const [, second = "", , fourth = "", fifth = ""] = world.provider.requests.map(({ text }) => text);
  const shared = second.slice(0, second.lastIndexOf("]"));
  expect(fork).toMatchObject({ from: "s", at: 4, title: "go #2" });
  expect(fourth.startsWith(shared)).toBe(true);
  expect(fifth.startsWith(shared)).toBe(true);
  expect([...bot.store.requests("last")].map(({ body }) => body)).toEqual([fifth]);
});

test("[G5] a session is forked while a turn runs in it, and after a restart", async () => {
  await using world = await bench(
    say("One."),
    stream([delta({ content: "Half" }), PAUSE, delta({ content: " done." }, "stop"), DONE]),
    say("Meanwhile."),
    say("Later."),
  );
  const bot = world.agent({});
  await bot.run("first", { sessionId: "s" });
  const running = bot.start("second", { sessionId: "s" });
  for await (const event of running) if (event.type === "text-delta") break;
  const fork = await bot.fork("s");
  expect(fork?.at).toBe(2);
  expect(await bot.run("at once", { sessionId: fork?.sessionId ?? "" })).toMatchObject({ answer: "Meanwhile." });
  await running.interrupt();
  await running;
  await bot.close();
  const later = world.agent({});
  expect(await later.run("go on", { sessionId: fork?.sessionId ?? "" })).toMatchObject({ answer: "Later." });
  expect(texts(later, fork?.sessionId ?? "")).toEqual(["first", "One.", "at once", "Meanwhile.", "go on", "Later."]);
});

test("[G5] what there is not cannot be left, and nothing is made of it", async () => {
  await using world = await bench(say("One."));
  const bot = world.agent({});
  await bot.run("first", { sessionId: "s" });
  expect(await bot.fork("none")).toBeUndefined();
  expect(await bot.fork("s", { back: 2 })).toBeUndefined();
  expect(await bot.retry("none")).toMatchObject({ ok: false, error: { code: "session_not_found" } });
  expect(await bot.edit("s", " ")).toMatchObject({ ok: false, error: { code: "usage_error" } });
  expect(bot.store.list()).toHaveLength(1);
});
