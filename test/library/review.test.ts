import { afterEach, expect, test, vi } from "vitest";
import type { RunSpec, Tool } from "../../src/index.ts";
import { textOf } from "../../src/protocol/message.ts";
import { type Bench, bench, tool } from "../support/agent-in-folder.ts";
import { callTools, delta, PAUSE, say, stream } from "../support/wire-script.ts";

afterEach(() => {
  vi.useRealTimers();
});

const memory = (run: Tool["run"] = () => "kept"): Tool => tool("memory", run, { effect: "effect" });
const note = callTools([{ id: "m", name: "memory", arguments: { text: "likes tea" } }], { newHead: true });
const REVIEW: RunSpec = { prompt: "What is worth keeping?", purpose: "review", parent: "s", tools: ["memory"] };

const contents = (world: Bench, at: number): unknown[] =>
  world.provider.requests[at]?.body.messages.slice(1).map(({ content }) => content) ?? [];

test("[I3][J6] a review reads its parent and is kept beside it: hidden, linked, paid for by the parent", async () => {
  await using world = await bench(say("Earl Grey."), note, say("Noted."), say("Yes.", { newHead: true }));
  const bot = world.agent({ tools: [memory(), tool("look", () => "x")] });
  const { turnId } = await bot.run("which tea?", { sessionId: "s" });
  const before = bot.store.list();
  const review = await bot.runSpec(REVIEW);
  expect(review).toMatchObject({ ok: true, answer: "Noted.", iterations: { used: 2, limit: 16 }, cleanupErrors: [] });
  expect(review.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  expect(contents(world, 1)).toEqual(["which tea?", "Earl Grey.", "What is worth keeping?"]);
  expect(world.provider.requests[1]?.text.match(/"name":"(memory|look)"/gu)).toHaveLength(2);
  const child = review.sessionId ?? "";
  expect(bot.store.history(child)?.map((message) => message?.role)).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
  expect(bot.store.list().map(({ sessionId, messages }) => [sessionId, messages])).toEqual(
    before.map(({ sessionId, messages }) => [sessionId, messages]),
  );
  expect(bot.store.lastSession()).toBe("s");
  expect(bot.store.turn("last")?.turnId).toBe(turnId);
  for (const word of ["worth", "Noted", "No"]) expect(bot.store.search(word, 5)).toEqual([]);
  expect(bot.store.search("tea", 5)).toHaveLength(1);
  expect(bot.store.turn(review.turnId ?? "")?.sessionId).toBe(child);
  expect([...bot.store.requests(review.turnId ?? "")]).toHaveLength(2);
  expect((await bot.run("again?", { sessionId: "s" })).answer).toBe("Yes.");
  expect(contents(world, 3)).toEqual(["which tea?", "Earl Grey.", "again?"]);
});

test("[I3][C16] the account of a review stands in its parent, with the place where it is kept", async () => {
  await using world = await bench(
    say("Hi."),
    stream([delta({ content: "Do" }), PAUSE, delta({ content: "ne." }, "stop")]),
    say("Nothing.", { newHead: true }),
  );
  const bot = world.agent({ tools: [memory()] });
  await bot.run("hi", { sessionId: "s" });
  const turn = bot.start("go", { sessionId: "s" });
  await world.provider.paused();
  const review = await bot.runSpec({ ...REVIEW, maxIterations: 2 });
  expect(review.answer).toBe("Nothing.");
  // What the turn that runs has said is not settled yet.
  expect(contents(world, 2)).toEqual(["hi", "Hi.", "What is worth keeping?"]);
  world.provider.release();
  const result = await turn.result;
  expect(result).toMatchObject({ answer: "Done.", usage: review.usage });
  const facts = bot.store.turn(result.turnId ?? "")?.facts.map(({ fact }) => fact) ?? [];
  expect(facts.find(({ type }) => type === "auxiliary-run")).toMatchObject({
    purpose: "review",
    sessionId: review.sessionId,
  });
});

test("[I3][B6][B7] a review that is cut short leaves a history that is whole, for another process too", async () => {
  await using world = await bench(say("Hi."), note, say("Went on.", { newHead: true }));
  const begun = Promise.withResolvers<void>();
  const stuck = memory(() => {
    begun.resolve();
    return new Promise(() => {});
  });
  const bot = world.agent({ tools: [stuck] });
  await bot.run("hi", { sessionId: "s" });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let isOver = false;
  const running = bot.runSpec(REVIEW).finally(() => (isOver = true));
  await begun.promise;
  // The time of a review is over, and then the patience with its tool, whenever that begins.
  await vi.advanceTimersByTimeAsync(600_000);
  while (!isOver) await vi.advanceTimersByTimeAsync(2_000);
  vi.useRealTimers();
  const review = await running;
  expect(review).toMatchObject({
    exit: { reason: "time_limit" },
    toolEvents: [{ name: "memory", status: "interrupted" }],
  });
  const child = review.sessionId ?? "";
  await bot.close();
  const later = world.agent({ tools: [memory()] });
  const history = later.store.history(child) ?? [];
  expect(history.map((message) => message && [message.role, textOf(message).slice(0, 11)])).toEqual([
    ["user", "hi"],
    ["assistant", "Hi."],
    ["user", "What is wor"],
    ["assistant", ""],
    ["tool", "Interrupted"],
    ["assistant", "[no answer:"],
  ]);
  expect((await later.run("go on", { sessionId: child })).answer).toBe("Went on.");
  expect(later.store.list().map(({ sessionId }) => sessionId)).toEqual(["s"]);
});

test("[I3] a review that cannot be is refused in one sentence, and nothing is asked", async () => {
  await using world = await bench(say("Hi."));
  const bot = world.agent({ tools: [memory(), tool("look", () => "x")] });
  await bot.run("hi", { sessionId: "s" });
  const { parent: _, ...orphan } = REVIEW;
  const wrong: readonly RunSpec[] = [
    orphan,
    { ...REVIEW, messages: [] },
    { ...REVIEW, tools: ["look"] },
    { ...REVIEW, tools: ["skill_view"] },
    { ...REVIEW, prompt: "\u200B" },
  ];
  for (const spec of wrong) {
    const { exit, error } = await bot.runSpec(spec);
    expect(exit.reason).toBe("usage_error");
    expect(error?.message).toMatch(/^[^\n]+\.$/u);
  }
  const none = await bot.runSpec({ ...REVIEW, parent: "none" });
  expect(none.exit).toMatchObject({ reason: "session_not_found", code: 2 });
  expect(none.error?.message).toBe("There is no session none.");
});
