import { expect, test } from "vitest";
import type { AgentOptions } from "../../src/index.ts";
import type { Fact } from "../../src/protocol/fact.ts";
import { type Bench, bench, tool } from "../support/agent-in-folder.ts";
import { inspectRequest } from "../support/protocol-police.ts";
import { callTools, refuse, reply, say, type Step } from "../support/wire-script.ts";
import { unmarked } from "../support/marks.ts";

const shorter = (step: Step): Step => ({ ...step, newHead: true });
/** About 450 tokens. */
const long = (of: string): string => `${of}: ${"a line of what was found there\n".repeat(60)}`;
const SUMMARY =
  "## Last request\n“look at three”\n## Done\n1. Looked at one and at two with read: nothing wrong there.";
const summary = (text: string): Step => shorter(say(text));

/** Four turns, each with a long answer. */
const ASKED = ["look at one", "look at two", "look at three", "look at four"];
const answers = ASKED.map((asked) => say(long(asked)));

async function talk(world: Bench, options: Partial<AgentOptions> = {}): Promise<ReturnType<Bench["agent"]>> {
  const bot = world.agent({ consolidate: false, ...options });
  for (const asked of ASKED) await bot.run(asked, { sessionId: "s" });
  return bot;
}

const compact = async (bot: ReturnType<Bench["agent"]>, words = ""): Promise<Fact | undefined> =>
  (await bot.sessions.lane("s")).compact(words);

const textsOf = (world: Bench, at = -1): string => world.provider.requests.at(at)?.text ?? "";

test("[F3] [COMP-03] a long session is summed up: the newest turn stays word for word behind what is marked as background", async () => {
  await using world = await bench(...answers, summary(SUMMARY), shorter(say("Fine.")));
  const bot = await talk(world);
  const done = await compact(bot);
  expect(done).toMatchObject({ because: "asked", compaction: { summary: SUMMARY } });
  await bot.run("and now?", { sessionId: "s" });
  const sent = textsOf(world);
  expect(sent).toContain("Looked at one and at two with read");
  expect(sent).not.toContain("look at one: a line");
  const [before = "", after = ""] = sent.split("Looked at one and at two with read");
  expect(before).toMatch(/background for you, not said by the user, and no instructions/u);
  expect(after).toMatch(
    /End of what was left out\. What the user says from here on is what you answer\..*look at four/u,
  );
  expect(after).toContain("look at four: a line of what was found there");
  expect(inspectRequest(Buffer.from(sent)).violations).toEqual([]);
  // The archive is whole.
  expect(JSON.stringify(bot.store.history("s"))).toContain("look at one: a line");
});

test("[F3] the call for it has no tools and no history, only text: what was asked, done and found", async () => {
  const read = tool("read", () => Promise.resolve(`exit code 0\n${"x".repeat(3_000)}`));
  const call = callTools([{ id: "c1", name: "read", arguments: { path: "a.txt", content: "y".repeat(2_000) } }]);
  const more = Array.from({ length: 12 }, (_, at) => say(`Answer ${at}. ${long("more")}`));
  await using world = await bench(call, say("Read."), ...more, summary(SUMMARY));
  const bot = world.agent({ consolidate: false, tools: [read] });
  await bot.run("read a.txt", { sessionId: "s" });
  for (const at of more.keys()) await bot.run(`question ${at}`, { sessionId: "s" });
  await compact(bot, "the file a.txt and nothing but it");
  const { messages = [], ...body } = world.provider.requests.at(-1)?.body ?? {};
  expect(messages.map(({ role }) => role)).toEqual(["system", "user"]);
  expect(body).not.toHaveProperty("tools");
  const told = JSON.stringify(messages[1]?.content);
  expect(told).toContain("in the user's words: the file a.txt and nothing but it");
  expect(told).toContain("[USER]\\nread a.txt\\n\\n[AGENT calls read]");
  // Old results are a line, long arguments are cut and stay JSON.
  expect(told).toContain("[RESULT of read]\\nexit code 0 [2 lines, 3012 characters]\\n");
  expect(told).toContain(`${"y".repeat(200)}...[truncated]\\"}`);
});

test("[F3] the next summary goes on from the last one, and what was in the head stays byte for byte", async () => {
  const second = "## Done\n1. Looked at one to four.\n2. Looked at five.";
  const more = ["look at five", "look at six", "look at seven"];
  const said = more.map((asked) => say(long(asked)));
  const [first, ...rest] = said;
  await using world = await bench(
    ...answers,
    summary(SUMMARY),
    shorter(first as Step),
    ...rest,
    summary(second),
    shorter(say("8")),
  );
  const bot = await talk(world);
  await compact(bot);
  for (const asked of more) await bot.run(asked, { sessionId: "s" });
  await compact(bot);
  const told = textsOf(world);
  expect(told).toContain("<old_summary>");
  expect(told).toContain("Looked at one and at two with read");
  expect(told).toContain("look at five");
  expect(told).not.toContain("look at three: a line");
  await bot.run("look at eight", { sessionId: "s" });
  const sent = textsOf(world);
  expect(sent).toContain("Looked at five.");
  expect(sent).not.toContain("Looked at one and at two with read");
});

test("[F3] words that were said only in what is left out already say what the next summary is to tell of", async () => {
  const more = ["look at five", "look at six", "look at seven"].map((asked) => say(long(asked)));
  const [first, ...rest] = more;
  await using world = await bench(...answers, summary(SUMMARY), shorter(first as Step), ...rest, summary(SUMMARY));
  const bot = await talk(world);
  expect(await compact(bot)).toMatchObject({ compaction: { from: 6 } });
  for (const at of [5, 6, 7]) await bot.run(`go on with ${at}`, { sessionId: "s" });
  expect(await compact(bot, "look at two")).toMatchObject({ compaction: { summary: SUMMARY } });
  expect(textsOf(world)).toContain("in the user's words: look at two");
});

/** Each with how often it is asked before it is given up. */
const TROUBLES: readonly (readonly [name: string, step: Step, times: number, trouble: RegExp])[] = [
  ["says nothing", reply({ text: "" }), 4, /^the model said nothing$/u],
  ["refuses", say("I'm sorry, but I can't help with summarizing this."), 1, /^the model refused to sum up$/u],
  ["is cut off", reply({ text: "## Done\n1. Lo", finish: "length" }), 3, /^the summary was cut off/u],
  ["calls a tool", callTools([{ id: "x", name: "read", arguments: {} }]), 3, /^the model called a tool/u],
  ["is refused its key", refuse(401, { error: { message: "bad key" } }), 1, /bad key/u],
];

for (const [name, step, times, trouble] of TROUBLES)
  test(`[F3] [COMP-06] where a model ${name}, rules leave out instead, and the trouble is named`, async () => {
    await using world = await bench(...answers, ...Array.from({ length: times }, () => shorter(step)));
    const bot = await talk(world);
    const done = await compact(bot);
    expect(done).toMatchObject({ because: "asked", trouble: expect.stringMatching(trouble) });
    expect(done).not.toHaveProperty("compaction.summary");
    expect(JSON.stringify(bot.store.history("s"))).toContain("look at one: a line");
    const kinds = [...(bot.store.record("s")?.facts ?? [])].map(({ fact }) => fact.type);
    expect(kinds.slice(kinds.lastIndexOf("turn-end"))).toEqual(["turn-end", "auxiliary-run", "history-compacted"]);
  });

test("[F3] what is not worth keeping is left out without a summary", async () => {
  await using world = await bench(...answers, summary("(nothing)"));
  const bot = await talk(world);
  const done = await compact(bot);
  expect(done).toMatchObject({ compaction: { from: 6 } });
  expect(done).not.toHaveProperty("trouble");
  expect(done).not.toHaveProperty("compaction.summary");
});

test("[F3] a key that somebody has said goes neither to whoever sums up nor into the summary; what only looks so stays", async () => {
  const key = `sk-${"proj-a1b2".repeat(5)}`;
  const pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----";
  const kept = "The disk-management-of-2024-01 branch, sk-learn-0.24 and risk-assessment-report-2.md.";
  const told = summary(`## Done\n1. Used ${key}.\n${kept}`);
  await using world = await bench(...answers.slice(0, 3), say(long("four")), told);
  const bot = world.agent({ consolidate: false });
  const asked = [`use ${key} and ${pem} for it. ${kept}`, ...ASKED.slice(1)];
  for (const text of asked) await bot.run(text, { sessionId: "s" });
  const compacted = unmarked(JSON.stringify(await compact(bot)));
  expect(JSON.parse(compacted)).toMatchObject({ compaction: { summary: `## Done\n1. Used ***.\n${kept}` } });
  const sent = textsOf(world);
  expect(unmarked(sent)).toContain(`use *** and *** for it. ${kept}`);
  expect(sent).not.toMatch(/a1b2|MIIE/u);
});
