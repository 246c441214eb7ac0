import { expect, test } from "vitest";
import type { Agent, Diagnostic } from "../../src/index.ts";
import { type Bench, bench, tool } from "../support/agent-in-folder.ts";
import { callTools, PAUSE, refuse, reply, replyFrames, say, type Step } from "../support/wire-script.ts";

const small = (step: Step): Step => ({ ...step, newHead: true });
const title = (text: string): Step => small(say(text));

interface Told {
  readonly bot: Agent;
  readonly lines: string[];
}

function titled(world: Bench, options: Parameters<Bench["agent"]>[0] = {}): Told {
  const lines: string[] = [];
  const onDiagnostic = ({ line, fields }: Diagnostic): void => {
    if (fields?.["event"] === "title") lines.push(line);
  };
  const choice = { baseUrl: world.provider.baseUrl, model: "small-1" };
  return { bot: world.agent({ title: choice, onDiagnostic, ...options }), lines };
}

const titleOf = (bot: Agent): string | undefined => bot.store.list()[0]?.title;
const titles = (bot: Agent): unknown[] =>
  [...(bot.store.record("s")?.facts ?? [])].flatMap(({ fact }) => (fact.type === "auxiliary-run" ? [fact] : []));

test("[I3] a session gets its title when its first answer has been delivered, by another model, on the bill of the turn", async () => {
  await using world = await bench(say("Leave at seven."), title('Title: "Catching the early train."\n'), say("Yes."));
  const { bot, lines } = titled(world);
  const { turnId } = await bot.run("when do I have to leave for the 8 o'clock train?", { sessionId: "s" });
  await expect.poll(() => titleOf(bot)).toBe("Catching the early train");
  const { body, text = "" } = world.provider.requests[1] ?? {};
  expect(body).toMatchObject({ model: "small-1", messages: [{ role: "system" }, { role: "user" }] });
  expect(body).not.toHaveProperty("tools");
  expect(text).toContain("8 o'clock train");
  expect(text).toContain("Leave at seven.");
  expect(titles(bot)).toMatchObject([{ purpose: "title", turnId, attempts: 1, exit: "text_response" }]);
  await bot.run("sure?", { sessionId: "s" });
  await bot.close();
  expect(lines).toEqual([]);
});

test("[I3] a model of titles sees what the user said and was told: no receipt, no context, no key, and not too much", async () => {
  const key = `sk-ant-api03-${"k".repeat(40)}`;
  await using world = await bench(
    callTools([{ id: "c", name: "look", arguments: {} }]),
    say(`Found. ${"z".repeat(50_000)}`),
    title("Looking"),
  );
  const { bot } = titled(world, { tools: [tool("look", () => "told by a tool")] });
  const attachments = [{ type: "context", source: "a.txt", text: "told by a file" }] as const;
  await bot.run(`look it up with ${key} ${"y".repeat(50_000)}`, { sessionId: "s", attachments });
  await expect.poll(() => titleOf(bot)).toBe("Looking");
  const text = world.provider.requests[2]?.text ?? "";
  expect(text).toContain("look it up");
  expect(text.length).toBeLessThan(6_000);
  for (const word of ["told by", "k".repeat(40)]) expect(text).not.toContain(word);
});

test("[I3] a person who names the session has the last word, also while a model is at it", async () => {
  const slow: Step = { frames: [...replyFrames({ text: "By a model" }).slice(0, 2), PAUSE], newHead: true };
  const rest = replyFrames({ text: "By a model" }).slice(2);
  await using world = await bench(say("Hi."), { ...slow, frames: [...slow.frames, ...rest] }, say("Bye."));
  const { bot, lines } = titled(world);
  await bot.run("hi", { sessionId: "s" });
  await world.provider.paused();
  expect(await bot.store.rename("s", "By me")).toBe(true);
  world.provider.release();
  await expect.poll(() => titles(bot)).toHaveLength(1);
  await bot.run("bye", { sessionId: "s" });
  expect([titleOf(bot), lines]).toEqual(["By me", []]);
});

test("[I3] nobody is asked for the title of a session that a person has named, that was recorded elsewhere, or that is old", async () => {
  await using world = await bench(say("One."), say("Two."), say("Three."), say("Four."), say("Five."), say("Six."));
  const bot = world.agent();
  await bot.run("named", { sessionId: "named" });
  await bot.store.rename("named", "Named");
  for (const text of ["old", "older", "oldest"]) await bot.run(text, { sessionId: "old" });
  const record = bot.store.record("old");
  if (record === undefined) throw new Error("there is a record of each session");
  const young = [...record.facts].slice(0, 3);
  await bot.store.restore({ ...record, sessionId: "elsewhere", facts: young });
  world.given = { idle: true };
  await bot.close();
  const { bot: later } = titled(world);
  await later.run("go on", { sessionId: "named" });
  await later.run("go on", { sessionId: "old" });
  await later.close();
  expect(world.provider.requests.map(({ body }) => body.model)).not.toContain("small-1");
});

const FAILURES: readonly (readonly [name: string, step: Step, line: RegExp])[] = [
  ["refuses its key", refuse(401, { error: { message: "bad key" } }), /^title: .*bad key/u],
  ["says too much", say("x".repeat(101)), /^title: more than 100 characters$/u],
  ["says nothing that can be seen", say('"\u200B"'), /^title: the model said nothing$/u],
];

for (const [name, step, line] of FAILURES)
  test(`[I3] where the model of titles ${name}, the session keeps its first words: one line in the log, and nobody asks again`, async () => {
    await using world = await bench(say("One."), small(step), say("Two."), say("Three."));
    const { bot, lines } = titled(world);
    await bot.run("first words", { sessionId: "s" });
    await expect.poll(() => lines.length).toBe(1);
    await bot.run("go on", { sessionId: "s" });
    await bot.run("go on", { sessionId: "s" });
    await bot.close();
    expect(lines).toEqual([expect.stringMatching(line)]);
    expect(world.provider.requests).toHaveLength(4);
  });

test("[I3] [J6] no title behind a turn that was stopped; the next answer brings one; an agent that closes leaves it", async () => {
  const cut: Step = { frames: [...replyFrames({ text: "fo" }).slice(0, 2), PAUSE] };
  const slow: Step = { frames: [...replyFrames({ text: "A title" }).slice(0, 2), PAUSE], newHead: true };
  await using world = await bench(cut, small(say("Two.")), slow);
  const { bot, lines } = titled(world);
  const turn = bot.start("first words", { sessionId: "s" });
  await world.provider.paused();
  await turn.interrupt();
  await turn;
  await bot.run("go on", { sessionId: "s" });
  await world.provider.paused(2);
  await bot.close();
  expect(lines).toEqual([]);
  const later = world.agent();
  expect(titleOf(later)).toBe("first words");
  expect(titles(later)).toMatchObject([{ purpose: "title" }]);
});

test("[I3] a review of a session has no title of its own", async () => {
  await using world = await bench(say("Hi."), title("Greeting"), small(reply({ text: "Nothing." })));
  const { bot } = titled(world);
  await bot.run("hi", { sessionId: "s" });
  await expect.poll(() => titleOf(bot)).toBe("Greeting");
  const review = await bot.runSpec({ prompt: "What is worth keeping?", purpose: "review", parent: "s" });
  const child = review.sessionId ?? "";
  expect([bot.store.isUntitled(child), await bot.store.entitle(child, "x")]).toEqual([false, false]);
});
