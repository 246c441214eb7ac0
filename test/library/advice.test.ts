import { expect, test } from "vitest";
import type { ModelChoice } from "../../src/index.ts";
import { fenced } from "../../src/protocol/context.ts";
import { bench, tool } from "../support/agent-in-folder.ts";
import { FakeProvider, type Script } from "../support/fake-provider.ts";
import { guarded } from "../support/tools.ts";
import { callTools, delta, PAUSE, refuse, replyFrames, say, stream } from "../support/wire-script.ts";

const advisers = (...servers: readonly FakeProvider[]): ModelChoice[] =>
  servers.map(({ baseUrl }, at) => ({ model: "wise-1", provider: `adviser${at + 1}`, baseUrl }));

const server = (...steps: readonly Script[]): Promise<FakeProvider> => new FakeProvider(steps).listen();

/** Says it when it is let go on. */
const paced = (text: string): Script => stream([PAUSE, ...replyFrames({ text })]);

const advice = (name: string, text: string): string =>
  fenced({ type: "context", source: "advice", text: `${name}/wise-1 says:\n${text}` });

test("[A11] advisers are asked at once, and what they say joins the message in the order in which they are named", async () => {
  await using world = await bench(say("Earl Grey."), say("Yes."));
  await using first = await server(paced("Ask for the hour."), say("A."));
  await using second = await server(paced("Black tea."), say("B."));
  const bot = world.agent({ advisers: advisers(first, second), tools: [tool("look", () => "x")] });
  const file = { type: "context", source: "a.txt", text: "alpha" } as const;
  const turn = bot.start("which tea?", { sessionId: "s", attachments: [file] });
  await Promise.all([first.paused(), second.paused()]);
  second.release();
  first.release();
  const result = await turn.result;
  expect(result).toMatchObject({ ok: true, answer: "Earl Grey.", cleanupErrors: [] });
  const asked = fenced(file);
  const told = `${advice("adviser1", "Ask for the hour.")}\n\n${advice("adviser2", "Black tea.")}`;
  expect(world.provider.requests[0]?.body.messages.at(-1)?.content).toBe(`which tea?\n\n${asked}\n\n${told}`);
  for (const { requests } of [first, second]) {
    expect(requests[0]?.body.messages.map(({ content }) => content)).toEqual([
      expect.stringContaining("You advise another model"),
      `which tea?\n\n${asked}`,
    ]);
    expect(requests[0]?.body.tools).toBeUndefined();
  }
  const types = world
    .facts()
    .map((fact) => (fact.type === "auxiliary-run" ? `${fact.purpose} ${fact.model}` : fact.type));
  expect(types.slice(0, 6)).toEqual([
    "turn-start",
    "prompt-built",
    "advice wise-1",
    "advice wise-1",
    "context-added",
    "attempt-start",
  ]);
  // Three requests of 20 and 5 tokens.
  expect(result.usage).toMatchObject({ input: 60, output: 15 });

  await bot.run("sure?", { sessionId: "s" });
  const [before, later] = world.provider.requests.map(({ body }) => body.messages);
  expect(later?.slice(0, 2)).toEqual(before);
  // Advisers read what was said, and neither what was added to it nor what they said themselves.
  expect(first.requests[1]?.body.messages.slice(1).map(({ content }) => content)).toEqual([
    "which tea?",
    "Earl Grey.",
    "sure?",
  ]);
});

test("[A11] an adviser that fails is named and costs nothing else; the others are heard", async () => {
  await using world = await bench(say("Earl Grey."));
  await using broken = await server(refuse(401, { error: { message: "no such key" } }));
  await using good = await server(say("Black tea."));
  const dead = { model: "wise-1", provider: "dead", baseUrl: "http://127.0.0.1:1/v1" };
  const bot = world.agent({ advisers: [...advisers(broken, good), dead], retry: { maxWaitMs: 1 } });
  const result = await bot.run("which tea?");
  expect(result).toMatchObject({ ok: true, answer: "Earl Grey." });
  expect(result.cleanupErrors).toEqual([
    expect.stringMatching(/^adviser adviser1\/wise-1: .*no such key/u),
    expect.stringMatching(/^adviser dead\/wise-1: ./u),
  ]);
  const content = world.provider.requests[0]?.body.messages.at(-1)?.content;
  expect(content).toBe(`which tea?\n\n${advice("adviser2", "Black tea.")}`);
});

test("[A11][B6] a stop does not wait for advisers: their requests end, and what they took is on the bill", async () => {
  await using world = await bench();
  await using slow = await server(stream([delta({ content: "Well" }), PAUSE]));
  const bot = world.agent({ advisers: advisers(slow) });
  const turn = bot.start("go", { sessionId: "s" });
  await slow.paused();
  expect((await bot.sessions.lane("s")).waiting).toMatchObject({ type: "context" });
  await turn.interrupt("user");
  expect(await turn.result).toMatchObject({ exit: { reason: "interrupted_by_user" }, cleanupErrors: [] });
  expect(world.facts().map(({ type }) => type)).toEqual([
    "turn-start",
    "prompt-built",
    "interrupt-requested",
    "auxiliary-run",
    "closing-message",
    "turn-end",
  ]);
});

test("[A11][X4] advisers spend of what the turn may spend: one whose price nobody knows is not asked", async () => {
  const facts = {
    provider: "custom",
    model: "fake-1",
    input: ["text"],
    quirks: [],
    prices: { input: 2, output: 8, asOf: "2026-11-01", source: "a list" },
  } as const;
  await using world = await bench(say("Earl Grey."));
  await using wise = await server();
  const result = await world.agent({ advisers: advisers(wise), facts, maxCost: 1 }).run("which tea?");
  expect(result).toMatchObject({ ok: true, answer: "Earl Grey." });
  expect(result.cleanupErrors).toEqual([expect.stringMatching(/^adviser adviser1\/wise-1: /u)]);
});

test("[A11] a turn that is taken up has its advice: nobody is asked again", async () => {
  const call = callTools([{ id: "g", name: "guarded", arguments: { text: "x" } }]);
  await using world = await bench(call, say("Done."));
  await using wise = await server(say("Black tea."));
  const options = { advisers: advisers(wise), tools: [guarded()] };
  const first = world.agent({ ...options, approvals: "park" });
  await first.run("go", { sessionId: "s" });
  await first.close();
  const lane = await world.agent({ ...options, approvals: "all" }).sessions.lane("s");
  expect((await lane.resume().result).answer).toBe("Done.");
  const sent = world.provider.requests.map(({ body }) => body.messages[1]?.content);
  expect(sent).toEqual([sent[0], sent[0]]);
  expect(wise.requests).toHaveLength(1);
});
