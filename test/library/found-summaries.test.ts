import { expect, onTestFinished, test } from "vitest";
import { foundSummaries } from "../../src/program/found-summaries.ts";
import { agentOn } from "../../src/agent/agent.ts";
import type { Agent } from "../../src/index.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { sessionSearchTool } from "../../src/tools/session-search.ts";
import { type FakeProvider, fakeProvider } from "../support/fake-provider.ts";
import { callTools, refuse, say, type Step } from "../support/wire-script.ts";

const KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD";

interface World extends AsyncDisposable {
  readonly bot: Agent;
  readonly own: FakeProvider;
  readonly small: FakeProvider;
}

/** An agent that has talked of a harbour in one session, and a small model that says this. */
async function world(...said: readonly Step[]): Promise<World> {
  const search = callTools([{ id: "c", name: "session_search", arguments: { query: "harbour" } }]);
  const own = await fakeProvider([say(`The harbour closes at noon, key ${KEY}.`), search, say("At noon.")]);
  const small = await fakeProvider(said);
  const store = memoryStore();
  const found = foundSummaries();
  const bot = agentOn(store, {
    baseUrl: own.baseUrl,
    model: "large",
    summary: { baseUrl: small.baseUrl, model: "small" },
    summaries: found.askBy,
    tools: [sessionSearchTool(store, found.summarise)],
    consolidate: false,
  });
  onTestFinished(() => bot.close());
  await bot.run("When does the harbour close?", { sessionId: "first" });
  return {
    bot,
    own,
    small,
    [Symbol.asyncDispose]: async () => {
      await own[Symbol.asyncDispose]();
      await small[Symbol.asyncDispose]();
    },
  };
}

const told = ({ own }: World): string =>
  String(own.requests.at(-1)?.body.messages.findLast(({ role }) => role === "tool")?.content);

test("[G1] a model named for summaries sums up what a search found, on the account of the turn that searches", async () => {
  await using here = await world(say("It closes at noon (message 1)."));
  const { ok, turnId } = await here.bot.run("When did it close?", { sessionId: "second" });
  expect(ok).toBe(true);
  expect(told(here)).toContain("In short: It closes at noon (message 1).\nFound in message");
  expect(told(here)).not.toContain("0 user:");
  const [request] = here.small.requests;
  const sent = request?.text ?? "";
  expect(sent).toContain("Looked for: harbour");
  expect(sent).toContain("closes at noon");
  expect(sent).not.toContain(KEY);
  expect(request?.body["tools"]).toBeUndefined();
  const facts = here.bot.store.turn(turnId ?? "")?.facts.map(({ fact }) => fact) ?? [];
  expect(facts.filter(({ type }) => type === "auxiliary-run")).toMatchObject([{ purpose: "summary", model: "small" }]);
});

test("[G1] where no summary comes, what was found is told as it stands", async () => {
  await using here = await world(refuse(401, { error: { message: "no key" } }));
  await here.bot.run("When did it close?", { sessionId: "second" });
  expect(told(here)).toContain("0 user: When does the harbour close?");
  expect(told(here)).not.toContain("In short");
});
