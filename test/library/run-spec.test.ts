import { expect, test } from "vitest";
import type { RunSpec } from "../../src/index.ts";
import { bench } from "../support/agent-in-folder.ts";
import { echo, guarded } from "../support/tools.ts";
import { callTools, PAUSE, refuse, say, stream, delta } from "../support/wire-script.ts";

test("[I3] a run is plain data in and plain data out, beside all sessions", async () => {
  await using world = await bench(callTools([{ id: "a", name: "echo", arguments: { text: "x" } }]), say("Done."));
  const spec: RunSpec = {
    prompt: "go",
    messages: [
      { role: "user", parts: [{ type: "text", text: "before" }] },
      { role: "assistant", parts: [{ type: "text", text: "yes" }] },
    ],
    system: "You are a job.",
    model: "fake-2",
    tools: ["echo"],
    maxIterations: 4,
  };
  const bot = world.agent({ tools: [echo, guarded()] });
  const result = await bot.runSpec(JSON.parse(JSON.stringify(spec)) as RunSpec);
  expect(result).toMatchObject({
    ok: true,
    answer: "Done.",
    sessionId: null,
    model: "fake-2",
    iterations: { limit: 4 },
  });
  expect(result.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  const body = world.provider.requests[0]?.body;
  expect(body?.model).toBe("fake-2");
  expect(body?.messages.map(({ content }) => content)).toEqual([
    expect.stringMatching(/^You are a job\./u),
    "before",
    "yes",
    "go",
  ]);
  expect(world.provider.requests[0]?.text.match(/"name":"(echo|guarded)"/gu)).toEqual(['"name":"echo"']);
  expect(bot.store.list()).toEqual([]);
});

test("[I3] a run with a purpose has no tools and small limits; what it took is a fact of the session it was made for", async () => {
  await using world = await bench(say("Answer."), say("A title"));
  const bot = world.agent({ tools: [echo] });
  await bot.run("go", { sessionId: "s" });
  const before = bot.store.list();
  const title = await bot.runSpec({ prompt: "Name this.", purpose: "title", parent: "s" });
  expect(title).toMatchObject({ ok: true, answer: "A title", iterations: { used: 1, limit: 3 }, cleanupErrors: [] });
  expect(world.provider.requests[1]?.body.tools).toBeUndefined();
  expect(bot.store.history("s")).toHaveLength(2);
  expect(bot.store.list().map(({ messages, turns, title: name }) => [messages, turns, name])).toEqual(
    before.map(({ messages, turns, title: name }) => [messages, turns, name]),
  );
});

test("[I3][D9] a turn that runs counts the auxiliary calls that are made for it", async () => {
  await using world = await bench(
    stream([delta({ content: "Do" }), PAUSE, delta({ content: "ne." }, "stop")]),
    say("A summary"),
  );
  const bot = world.agent();
  const turn = bot.start("go", { sessionId: "s" });
  await world.provider.paused();
  expect((await bot.runSpec({ prompt: "Sum up.", purpose: "summary", parent: "s" })).answer).toBe("A summary");
  world.provider.release();
  const result = await turn.result;
  expect(result).toMatchObject({ answer: "Done.", usage: { input: 20, output: 5 } });
  const facts = bot.store.turn(result.turnId ?? "")?.facts.map(({ fact }) => fact) ?? [];
  expect(facts.find(({ type }) => type === "auxiliary-run")).toEqual({
    type: "auxiliary-run",
    purpose: "summary",
    model: "fake-1",
    exit: "text_response",
    attempts: 1,
    usage: { input: 20, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    bill: { usd: 0, guessUsd: 0, status: "unknown", source: null },
  });
});

test("[I3] a run that fails is a result like any other; no step names a session that is not there", async () => {
  await using world = await bench(refuse(401, { error: { message: "no" } }));
  const result = await world.agent().runSpec({ prompt: "go", purpose: "title" });
  expect(result).toMatchObject({ ok: false, sessionId: null, exit: { reason: "request_rejected", code: 77 } });
  expect([...result.exit.next, ...(result.error?.next ?? [])].map(({ command }) => command).join()).not.toMatch(
    /resume/u,
  );
});

test("[I3] a spec that cannot be run is refused in one sentence, and nothing is asked", async () => {
  await using world = await bench();
  const bot = world.agent({ tools: [echo] });
  const specs: RunSpec[] = [
    { prompt: " " },
    { prompt: "go", tools: ["nothing"] },
    { prompt: "go", tools: ["echo"], purpose: "title" },
    { prompt: "go", parent: "s" },
    { prompt: "go", maxIterations: 0 },
    { prompt: "go", maxTimeMs: 1e12 },
  ];
  for (const spec of specs) {
    const { exit, error } = await bot.runSpec(spec);
    expect(exit.reason).toBe("usage_error");
    expect(error?.message).toMatch(/^[^\n]+\.$/u);
  }
});

test("[I3] a parent that is not there loses no answer", async () => {
  await using world = await bench(say("A title"));
  const bot = world.agent();
  const result = await bot.runSpec({ prompt: "Name this.", purpose: "title", parent: "none" });
  expect(result).toMatchObject({ ok: true, cleanupErrors: ["usage of title: There is no session none."] });
  expect(bot.store.list()).toEqual([]);
});
