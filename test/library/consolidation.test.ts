import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ModelFacts } from "../../src/protocol/model-facts.ts";
import type { Fact } from "../../src/protocol/fact.ts";
import { type Bench, bench } from "../support/agent-in-folder.ts";
import { PAUSE, refuse, reply, replyFrames, say, type Step } from "../support/wire-script.ts";

const shorter = (step: Step): Step => ({ ...step, newHead: true });
const facts: ModelFacts = { provider: "custom", model: "fake-1", contextWindow: 16_384, quirks: [] };
const SUMMARY = "## Done\n1. Looked at one and two.";
const long = (of: string): string => `${of}: ${"what was found there. ".repeat(400)}`;
/** As if the request had had so many tokens: 11,264 are the threshold. */
const weighs = (tokens: number): { readonly usage: object } => ({
  usage: { prompt_tokens: tokens, completion_tokens: 10, total_tokens: tokens + 10 },
});
const answer = (of: string, tokens: number): Step => reply({ text: long(of), ...weighs(tokens) });
const three: Step[] = [answer("one", 2_000), answer("two", 5_000), answer("three", 9_500)];

type Bot = ReturnType<Bench["agent"]>;
async function talk(bot: Bot): Promise<void> {
  for (const asked of ["look at one", "look at two", "look at three"]) await bot.run(asked, { sessionId: "s" });
}
const recorded = (bot: Bot): Fact[] => [...(bot.store.record("s")?.facts ?? [])].map(({ fact }) => fact);
const compactions = (bot: Bot): Fact[] => recorded(bot).filter(({ type }) => type === "history-compacted");

test("[F4] behind the turn, over the soft limit, a long session is summed up; its cost is kept; the next turn has it", async () => {
  await using world = await bench(...three, shorter(say(SUMMARY)), shorter(say("Four.")));
  const bot = world.agent({ facts });
  await talk(bot);
  await expect.poll(() => compactions(bot).length).toBe(1);
  expect(compactions(bot)).toMatchObject([{ because: "background", compaction: { summary: SUMMARY } }]);
  const spent = recorded(bot).filter((fact) => fact.type === "auxiliary-run");
  expect(spent).toMatchObject([{ purpose: "summary", exit: "text_response", usage: { input: 20 } }]);
  await bot.run("look at four", { sessionId: "s" });
  const sent = world.provider.requests.at(-1)?.text ?? "";
  expect(sent).toContain("Looked at one and two.");
  expect(sent).toContain("one: what was found");
  expect(sent).not.toContain("two: what was found");
  expect(sent).toContain("three: what was found");
  // All of it is there, and is found.
  expect(JSON.stringify(bot.store.history("s"))).toContain("one: what was found");
  expect(bot.store.search("look at one", 5).map(({ sessionId }) => sessionId)).toContain("s");
});

test("[F4] [B8] a message that comes meanwhile is answered at once: the summary is given up, and what it took is counted", async () => {
  const slow: Step = { frames: [...replyFrames({ text: SUMMARY }).slice(0, 2), PAUSE], newHead: true };
  await using world = await bench(...three, slow, shorter(answer("four", 9_800)));
  const bot = world.agent({ facts });
  await talk(bot);
  const lane = await bot.sessions.lane("s");
  await world.provider.received(4);
  expect(await bot.run("look at four", { sessionId: "s" })).toMatchObject({ ok: true });
  await lane.compacting.rest();
  expect(compactions(bot)).toEqual([]);
  const spent = recorded(bot).filter((fact) => fact.type === "auxiliary-run");
  expect(spent[0]).toMatchObject({ purpose: "summary", attempts: 1 });
});

test("[F4] [B5] nothing is summed up behind a turn that was stopped, nor where it is not wanted, nor under the limit", async () => {
  const slow: Step = { frames: [...replyFrames({ text: "fo" }).slice(0, 2), PAUSE] };
  await using world = await bench(...three, slow);
  const bot = world.agent({ facts, consolidate: false });
  await talk(bot);
  await bot.close();
  const other = world.agent({ facts });
  const turn = other.start("look at four", { sessionId: "s" });
  await world.provider.received(4);
  await turn.interrupt();
  expect(await turn).toMatchObject({ interrupted: true });
  await other.close();
  expect(world.provider.requests).toHaveLength(4);
});

test("[F4] nothing is summed up behind a turn that failed or reached a limit: nobody is asked twice for what went wrong", async () => {
  const refused = refuse(401, { error: { message: "bad key" } });
  await using world = await bench(refused);
  const bot = world.agent({ facts });
  const said = Array.from({ length: 10 }, (_, at) =>
    at % 2 === 0 ? { role: "user" as const, content: `${at}` } : { role: "assistant" as const, content: long(`${at}`) },
  );
  await bot.importMessages("s", said);
  expect(await bot.run("and now", { sessionId: "s" })).toMatchObject({ ok: false });
  // Time for what must not begin.
  await setTimeout(300);
  await bot.close();
  expect(world.provider.requests).toHaveLength(1);
  const next = world.agent({ facts });
  expect(recorded(next).filter(({ type }) => type === "auxiliary-run")).toEqual([]);
});

test("[F4] [X1] an agent that is closed while a summary hangs is closed all the same, and says what it took", async () => {
  const hung: Step = { frames: [...replyFrames({ text: SUMMARY }).slice(0, 2), PAUSE], newHead: true };
  await using world = await bench(...three, hung);
  const bot = world.agent({ facts });
  await talk(bot);
  await world.provider.received(4);
  await bot.close();
  const next = world.agent({ facts });
  expect(compactions(next)).toEqual([]);
  expect(recorded(next).filter(({ type }) => type === "auxiliary-run")).toHaveLength(1);
  expect(await next.store.open("s").then((stored) => stored.release())).toBeUndefined();
});

test("[F3] [B5] a person who stops /compact has the conversation as it was, and pays what was asked", async () => {
  const hung: Step = { frames: [...replyFrames({ text: SUMMARY }).slice(0, 2), PAUSE], newHead: true };
  await using world = await bench(...three, hung);
  const bot = world.agent({ facts, consolidate: false });
  await talk(bot);
  const stop = new AbortController();
  const asked = (await bot.sessions.lane("s")).compact("", stop.signal);
  await world.provider.received(4);
  stop.abort();
  expect(await asked).toBeUndefined();
  expect(compactions(bot)).toEqual([]);
  expect(recorded(bot).filter(({ type }) => type === "auxiliary-run")).toHaveLength(1);
});
