import { expect, test } from "vitest";
import type { Agent, AgentOptions, Diagnostic, ModelFacts, ReviewOutcome, Tool } from "../../src/index.ts";
import type { Fact } from "../../src/protocol/fact.ts";
import { PROPOSED } from "../../src/protocol/memory.ts";
import type { ToolContext } from "../../src/protocol/tool.ts";
import { costReport } from "../../src/session/cost-report.ts";
import { accountOf, chargesIn, chargesSince } from "../../src/session/spending.ts";
import { type Bench, bench, tool } from "../support/agent-in-folder.ts";
import { callTools, delta, PAUSE, refuse, reply, replyFrames, say, type Step, stream } from "../support/wire-script.ts";

const anew = (step: Step): Step => ({ ...step, newHead: true });
const nothing = (): Step => say("nothing");
const hung = (): Step => ({ frames: [...replyFrames({ text: "not" }).slice(0, 2), PAUSE] });

/** As the tool for notes: it keeps nothing, and says what it was given. */
const memory = (seen: ToolContext[] = []): Tool =>
  tool(
    "memory",
    (_input, context) => {
      seen.push(context);
      return context.tainted === undefined ? "Done." : `${PROPOSED} it waits.`;
    },
    { effect: "idempotent", trusted: true, outlives: true },
  );
const notes = (...texts: readonly string[]): Step =>
  callTools(
    texts.map((content, at) => ({
      id: `n${at}`,
      name: "memory",
      arguments: { action: "add", target: "user", content },
    })),
  );

interface Watched {
  readonly bot: Agent;
  readonly told: ReviewOutcome[];
  readonly lines: string[];
  /** Resolves when so many reviews have come to their end. */
  readonly over: (count: number) => Promise<void>;
}

function reviewing(world: Bench, review: AgentOptions["review"] = {}, more: Partial<AgentOptions> = {}): Watched {
  const told: ReviewOutcome[] = [];
  const lines: string[] = [];
  const bot = world.agent({
    tools: [memory()],
    review: { turns: 1, onReview: (outcome) => told.push(outcome), ...review },
    onDiagnostic: ({ line, fields }: Diagnostic) => {
      if (fields["event"] === "review") lines.push(line);
    },
    ...more,
  });
  return { bot, told, lines, over: (count) => expect.poll(() => lines.length).toBe(count) };
}

const recorded = (bot: Agent): Fact[] => [...(bot.store.record("s")?.facts ?? [])].map(({ fact }) => fact);
const charged = (bot: Agent): Fact[] => recorded(bot).filter(({ type }) => type === "auxiliary-run");
const asked = ({ provider }: Bench): number => provider.requests.length;

test("[J6][F5] the answer is there before a review is asked for; what it noted is told, and the rows of its parent are as they were", async () => {
  await using world = await bench(say("Hello Ann."), notes("Name: Ann"), say("Noted her name."));
  const seen: ToolContext[] = [];
  const { bot, told, lines, over } = reviewing(world, {}, { tools: [memory(seen)] });
  const { turnId, answer } = await bot.run("I am Ann", { sessionId: "s" });
  expect([answer, asked(world)]).toEqual(["Hello Ann.", 1]);
  const [before, history] = [recorded(bot), JSON.stringify(bot.store.history("s"))];
  await over(1);
  expect(told).toMatchObject([
    {
      sessionId: "s",
      turnId,
      deeds: [{ type: "note", do: "add", text: "Name: Ann" }],
      waiting: { notes: 0, skills: 0 },
    },
  ]);
  expect(lines).toEqual(["review text_response notes=1 skills=0 waiting=0"]);
  expect(seen).toMatchObject([{ author: { by: "review", sessionId: "s", turnId } }]);
  expect(JSON.stringify(bot.store.history("s"))).toBe(history);
  expect(recorded(bot)).toEqual([
    ...before,
    expect.objectContaining({ type: "auxiliary-run", purpose: "review", turnId, sessionId: told[0]?.reviewId }),
  ]);
  await bot.close();
  // A review is not reviewed.
  expect(asked(world)).toBe(3);
});

test("[A6][J6] what was said before a restart counts, and a review that was due is not due again with the next message", async () => {
  await using world = await bench(say("one"), say("two"), nothing(), anew(say("three")));
  const first = reviewing(world, { turns: 2 });
  await first.bot.run("1", { sessionId: "s" });
  await first.bot.close();
  const { bot, over, told } = reviewing(world, { turns: 2 });
  await bot.run("2", { sessionId: "s" });
  await over(1);
  expect(told).toMatchObject([{ deeds: [], waiting: { notes: 0, skills: 0 } }]);
  await bot.run("3", { sessionId: "s" });
  await bot.close();
  expect(asked(world)).toBe(4);
});

test("[F6][J6] behind a turn with many steps skills are looked for too, with the tools for both", async () => {
  const work = callTools([{ id: "w", name: "work", arguments: {} }]);
  const skill = callTools([{ id: "k", name: "skill_manage", arguments: { action: "create", name: "brew-tea" } }]);
  await using world = await bench(work, say("Done."), skill, say("Written."));
  const tools = [tool("work", () => "x", { trusted: true }), memory(), tool("skill_manage", () => "Done.")];
  const { bot, told, over } = reviewing(world, { turns: 9, iterations: 1 }, { tools });
  await bot.run("brew", { sessionId: "s" });
  await over(1);
  expect(told).toMatchObject([{ deeds: [{ type: "skill", do: "create", name: "brew-tea" }] }]);
  const prompt = JSON.stringify(world.provider.requests[2]?.body.messages.at(-1));
  for (const word of ["tool memory", "skill_manage"]) expect(prompt).toContain(word);
});

test("[J6] nothing is looked for behind a turn that was stopped, failed or waits for a person, nor without the tools for it", async () => {
  const guarded = tool("guarded", () => "x", { ask: () => "it is dangerous" });
  await using world = await bench(
    stream([delta({ content: "ha" }), PAUSE]),
    refuse(401, { error: { message: "bad key" } }),
    callTools([{ id: "g", name: "guarded", arguments: {} }]),
    say("Hello."),
  );
  const tools = [memory(), guarded];
  const { bot } = reviewing(world, {}, { tools, approvals: "park" });
  const turn = bot.start("1", { sessionId: "a" });
  await world.provider.paused();
  await turn.interrupt();
  expect(await turn).toMatchObject({ interrupted: true });
  expect(await bot.run("2", { sessionId: "b" })).toMatchObject({ ok: false });
  expect((await bot.run("3", { sessionId: "c" })).exit.reason).toBe("parked_for_approval");
  for (const sessionId of ["a", "b", "c"]) await bot.leave(sessionId);
  await bot.close();
  const bare = reviewing(world, { leastTurns: 1 }, { tools: [guarded] });
  await bare.bot.run("4", { sessionId: "d" });
  await bare.bot.leave("d");
  await bare.bot.close();
  expect(asked(world)).toBe(4);
});

test("[B12][J6] what another runtime has answered is not looked back at", async () => {
  await using world = await bench();
  const runtime = { name: "parrot", answer: () => Promise.resolve({ type: "answer", text: "Hello." } as const) };
  const { bot } = reviewing(world, {}, { runtime });
  expect(await bot.run("1", { sessionId: "s" })).toMatchObject({ ok: true });
  await bot.leave("s");
  await bot.close();
  expect(asked(world)).toBe(0);
});

const facts: ModelFacts = {
  provider: "custom",
  model: "fake-1",
  quirks: [],
  prices: { input: 2, output: 8, asOf: "2026-11-01", source: "a list" },
};
/** One cent: 1000 × 2 + 1000 × 8 millionths. */
const CENT = { prompt_tokens: 1_000, completion_tokens: 1_000 };
const cent = (text: string): Step => reply({ text, usage: CENT });

test("[J6][X4][C16] a message may be answered while a review goes on, whose cost is on the bill of its own turn alone, once", async () => {
  const slow: Step = { frames: [PAUSE, ...replyFrames({ text: "nothing", usage: CENT })] };
  await using world = await bench(cent("one"), slow, anew(cent("two")));
  const { bot, over } = reviewing(world, { turns: 1, leastTurns: 99 }, { facts, maxSessionCost: 0.045 });
  const first = await bot.run("1", { sessionId: "s" });
  await world.provider.paused();
  const turn = bot.start("2", { sessionId: "s" });
  const events: string[] = [];
  for await (const { type } of turn) events.push(type);
  const second = await turn;
  expect(second).toMatchObject({ answer: "two", cost: { usd: 0.01 } });
  world.provider.release();
  await over(1);
  // The review of the second was not begun, since one went on.
  const rows = (turnId: string | null): unknown[] => {
    const stored = bot.store.turn(turnId ?? "");
    return stored === undefined ? [] : costReport(stored).rows.map(({ request, cost }) => [request, cost.usd]);
  };
  expect(rows(first.turnId)).toEqual([
    [1, 0.01],
    ["review", 0.01],
  ]);
  expect(rows(second.turnId)).toEqual([[1, 0.01]]);
  expect(events).not.toContain("auxiliary-run");
  const session = accountOf(chargesIn(bot.store.record("s")?.facts ?? []));
  expect([session.bill.usd, accountOf(chargesSince(bot.store, 0)).bill.usd]).toEqual([0.03, 0.03]);
  // What is left of the session counts it as well.
  expect((await bot.sessions.lane("s")).limit).toMatchObject({ of: "session", leftUsd: 0.015 });
});

test("[J6][X1] an agent that is closed ends its review, and says what that took; a review that has not begun does not begin", async () => {
  await using world = await bench(say("one"), hung(), say("two"));
  const { bot } = reviewing(world);
  await bot.run("1", { sessionId: "s" });
  await world.provider.received(2);
  await bot.close();
  const next = reviewing(world);
  expect(charged(next.bot)).toMatchObject([{ purpose: "review", attempts: 1 }]);
  await next.bot.run("2", { sessionId: "t" });
  await next.bot.close();
  expect(asked(world)).toBe(3);
});

test("[J6][X6] a process that dies in the middle of a review leaves a session that goes on as if there had been none", async () => {
  await using world = await bench(say("one"), hung(), anew(say("two")));
  const { bot } = reviewing(world);
  await bot.run("1", { sessionId: "s" });
  await world.provider.paused();
  bot.store.close();
  const later = world.agent({ tools: [memory()] });
  const [left] = later.store.openTurns();
  expect(left?.sessionId).not.toBe("s");
  expect(later.store.list().map(({ sessionId }) => sessionId)).toEqual(["s"]);
  expect(await later.run("2", { sessionId: "s" })).toMatchObject({ answer: "two" });
  expect(later.store.history("s")).toHaveLength(4);
});

test("[J6][F5] behind others' words a review asks nobody, and what it wants to write waits for a person", async () => {
  const look = callTools([{ id: "l", name: "look", arguments: {} }]);
  await using world = await bench(look, say("It says: obey."), notes("Obey."), say("Done."));
  const seen: ToolContext[] = [];
  const tools = [tool("look", () => "obey"), memory(seen)];
  const { bot, told, over } = reviewing(world, {}, { tools, approvals: "ask" });
  await bot.run("look it up", { sessionId: "s" });
  await over(1);
  expect(seen).toMatchObject([{ tainted: "look" }]);
  expect(told).toMatchObject([{ deeds: [], waiting: { notes: 1, skills: 0 } }]);
});

test("[J6] another model may do it, with the prompt, the tools and the words of the session; where it cannot, that is told once", async () => {
  await using world = await bench(
    say("one"),
    anew(nothing()),
    anew(say("two")),
    anew(refuse(401, { error: { message: "no such key" } })),
  );
  const other = { baseUrl: world.provider.baseUrl, model: "small-1" };
  const { bot, over, lines } = reviewing(world, { model: other }, { system: "You are a butler." });
  await bot.run("1", { sessionId: "s" });
  await over(1);
  const [own, its] = world.provider.requests.map(({ body }) => body);
  expect(its?.model).toBe("small-1");
  expect(its?.messages.slice(0, 2)).toEqual(own?.messages);
  expect(its?.tools).toEqual(own?.tools);
  await bot.run("2", { sessionId: "s" });
  await over(2);
  expect(lines[1]).toMatch(/^review request_rejected notes=0 skills=0 waiting=0 .*no such key/u);
});

test("[J6] limits of a review are its own: iterations, time and money; a number that is none is refused at once", async () => {
  const endless = Array.from({ length: 16 }, (_, at) => notes(`note ${at}`));
  await using world = await bench(say("one"), ...endless, say("Enough."));
  const { bot, over, lines, told } = reviewing(world);
  await bot.run("1", { sessionId: "s" });
  await over(1);
  expect(lines[0]).toMatch(/^review max_iterations_reached notes=16 /u);
  expect(told[0]?.deeds).toHaveLength(16);
  for (const review of [{ turns: 0 }, { iterations: 1.5 }, { leastTurns: -1 }, { maxCost: 0 }, { maxTimeMs: 0.5 }])
    expect(() => reviewing(world, review)).toThrow(RangeError);
});

test("[F5] a session that is left is looked back at where enough was said since the last note or look; then not again", async () => {
  await using world = await bench(say("one"), say("two"), nothing(), anew(say("three")), say("four"), nothing());
  const { bot, told } = reviewing(world, { turns: 99, leastTurns: 2 });
  await bot.run("1", { sessionId: "s" });
  await bot.leave("s");
  expect(asked(world)).toBe(1);
  await bot.run("2", { sessionId: "s" });
  await bot.leave("s");
  expect(told).toHaveLength(1);
  await bot.leave("s");
  await bot.run("3", { sessionId: "s" });
  await bot.close();
  // Another process knows what was looked back at.
  const later = reviewing(world, { turns: 99, leastTurns: 2 });
  await later.bot.leave("s");
  await later.bot.run("4", { sessionId: "s" });
  await later.bot.leave("s");
  expect(later.told).toHaveLength(1);
  expect(asked(world)).toBe(6);
});

test("[F5][F4] before less of a session is sent, what was said is looked back at, whole", async () => {
  const long = (word: string): string => `${word} ${"and more of it. ".repeat(2_000)}`;
  await using world = await bench(say(long("one")), say(long("two")), say("three"), nothing());
  const { bot, over } = reviewing(world, { turns: 99, leastTurns: 2 }, { summary: false });
  for (const word of ["first", "second", "third"]) await bot.run(word, { sessionId: "s" });
  expect(await (await bot.sessions.lane("s")).compact("")).toMatchObject({ because: "asked" });
  await over(1);
  const [last, review] = world.provider.requests.slice(2).map(({ text }) => text);
  const head = last?.slice(0, last.lastIndexOf("]")) ?? "";
  expect(head).toContain("first");
  expect(review?.slice(0, head.length)).toBe(head);
});
