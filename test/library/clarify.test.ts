import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, type AgentOptions } from "../../src/index.ts";
import { openQuestions, decideQuestion } from "../../src/session/approvals.ts";
import { clarifyTool } from "../../src/tools/clarify.ts";
import { type FakeProvider, fakeProvider } from "../support/fake-provider.ts";
import { echo } from "../support/tools.ts";
import { callTools, say } from "../support/wire-script.ts";

const QUESTION = { question: "Which one?", choices: ["the red one", "the blue one"] };
const ASKING = callTools([
  { id: "e", name: "echo", arguments: { text: "a" } },
  { id: "q", name: "clarify", arguments: QUESTION },
]);

const options = (provider: FakeProvider, more: Partial<AgentOptions>): AgentOptions => ({
  baseUrl: provider.baseUrl,
  model: "fake-1",
  tools: [echo, clarifyTool],
  ...more,
});

const receipt = (provider: FakeProvider): string =>
  String(provider.requests.at(-1)?.body.messages.findLast(({ role }) => role === "tool")?.content);

test("[E9] where nobody attends a question is an error that says so, and the turn goes on", async () => {
  await using provider = await fakeProvider([ASKING, say("I took the red one.")]);
  await using bot = agent(options(provider, {}));
  const result = await bot.run("go");
  expect(result).toMatchObject({ ok: true, answer: "I took the red one." });
  expect(receipt(provider)).toMatch(/^Nobody can be asked/);
});

test("[E4][E9][B17] a question is waited for where somebody attends, alone and whatever else may run unasked", async () => {
  await using provider = await fakeProvider([ASKING, say("Blue it is.")]);
  await using bot = agent(options(provider, { attended: true, approvals: "all" }));
  const turn = bot.start("go", { sessionId: "s" });
  const seen: string[] = [];
  for await (const event of turn) {
    seen.push(event.type);
    if (event.type !== "question-asked") continue;
    const lane = await bot.sessions.lane("s");
    const [call] = lane.asked;
    expect(call).toMatchObject({ name: "clarify", question: { text: "Which one?", choices: QUESTION.choices } });
    expect(await turn.approve("q", true)).toBe(false);
    expect(await turn.answer("q", "2")).toBe(true);
    expect(await turn.answer("q", "1")).toBe(false);
  }
  expect((await turn).answer).toBe("Blue it is.");
  expect(seen.filter((type) => type === "segment-start")).toHaveLength(2);
  expect(JSON.parse(receipt(provider))).toEqual({
    question: "Which one?",
    choices_offered: QUESTION.choices,
    user_response: "the blue one",
  });
});

test("[E9][G3] a turn stands still for a question, and another process brings the answer", async () => {
  const store = await mkdtemp(join(tmpdir(), "evander-clarify-"));
  try {
    await using provider = await fakeProvider([ASKING, say("Green it is.")]);
    const parking = options(provider, { approvals: "park", store });
    {
      await using bot = agent(parking);
      const result = await bot.run("go", { sessionId: "s" });
      expect(result.exit).toMatchObject({ reason: "parked_for_answer", code: 30 });
      expect(result.waitingFor).toMatchObject([{ name: "clarify", why: "Which one?" }]);
    }
    await using bot = agent(parking);
    const [question] = openQuestions(bot.store);
    if (question === undefined) throw new Error("nothing waits");
    expect(await decideQuestion(bot.store, question, { words: "a green one" })).toEqual([]);
    const parked = await bot.open(question.turn.turnId);
    const result = await parked?.resume();
    expect(result?.answer).toBe("Green it is.");
    expect(JSON.parse(receipt(provider))).toMatchObject({ user_response: "a green one" });
  } finally {
    await rm(store, { recursive: true });
  }
});

test("[E9] a question that was asked is not waited for by who goes on where nobody answers; a stop closes it", async () => {
  await using provider = await fakeProvider([ASKING, say("Then red.")]);
  const store = await mkdtemp(join(tmpdir(), "evander-clarify-"));
  try {
    {
      await using bot = agent(options(provider, { approvals: "park", store }));
      await bot.run("go", { sessionId: "s" });
    }
    await using bot = agent(options(provider, { approvals: "never", store }));
    const [open] = openQuestions(bot.store);
    const result = await (await bot.open(open?.turn.turnId ?? ""))?.resume();
    expect(result?.answer).toBe("Then red.");
    expect(receipt(provider)).toMatch(/^Nobody can be asked/);
  } finally {
    await rm(store, { recursive: true });
  }
});

test("[E9] a question without words, or with more than four choices, is told what is wrong", async () => {
  const many = { question: "Which?", choices: ["a", "b", "c", "d", "e"] };
  const wrong = callTools([
    { id: "q1", name: "clarify", arguments: { question: " " } },
    { id: "q2", name: "clarify", arguments: many },
  ]);
  await using provider = await fakeProvider([wrong, say("Sorry.")]);
  await using bot = agent(options(provider, { attended: true }));
  const result = await bot.run("go");
  expect(result.toolEvents).toMatchObject([{ detail: "A question needs words." }, { status: "error" }]);
  expect(receipt(provider)).toMatch(/at most 4 items/);
});
