import { expect, test } from "vitest";
import type { Fact } from "../../src/protocol/fact.ts";
import type { ModelFacts } from "../../src/protocol/model-facts.ts";
import { type Bench, bench, tool } from "../support/agent-in-folder.ts";
import { FakeProvider } from "../support/fake-provider.ts";
import { refuse, reply, say, type ScriptedCall, type Step } from "../support/wire-script.ts";

const read = tool("read", ({ path }) => Promise.resolve(`${String(path)} holds:\n${"a line of a file\n".repeat(60)}`));
const call = (at: number): ScriptedCall[] => [{ id: `c${at}`, name: "read", arguments: { path: at } }];

/** What a list of models says of one: no server is refused for it. */
const ofWindow = (contextWindow: number): ModelFacts => ({
  provider: "custom",
  model: "fake-1",
  contextWindow,
  quirks: [],
});

/** As if the request had had so many tokens. */
const weighing = (tokens: number): { readonly usage: object } => ({
  usage: { prompt_tokens: tokens, completion_tokens: 10, total_tokens: tokens + 10 },
});
const calls = (count: number, tokens: (at: number) => number): Step[] =>
  Array.from({ length: count }, (_, at) => reply({ calls: call(at), ...weighing(tokens(at)) }));
const anew = (step: Step): Step => ({ ...step, newHead: true });

const COMPACTION: ReadonlySet<Fact["type"]> = new Set([
  "history-compacted",
  "compaction-failed",
  "compaction-judged",
  "request-truncated",
]);
const compactions = (world: Bench): Fact[] => world.facts().filter(({ type }) => COMPACTION.has(type));

test("[A10] behind a batch of tools less is sent before the window is full, and the next count says that it has helped", async () => {
  const steps = calls(14, (at) => 2_000 + 5_000 * at);
  await using world = await bench(...steps, anew(reply({ text: "Fourteen files.", ...weighing(30_000) })));
  const bot = world.agent({ tools: [read], facts: ofWindow(128_000) });
  expect(await bot.run("read them all")).toMatchObject({ ok: true, attempts: 15 });
  expect(compactions(world)).toMatchObject([
    { type: "history-compacted", because: "pressure", tokens: { before: expect.any(Number) } },
    { type: "compaction-judged", tokens: 30_000, strikes: 0 },
  ]);
  const [{ tokens: { before = 0, after = 0 } = {} } = {}] = world
    .facts()
    .filter((fact) => fact.type === "history-compacted");
  expect(before).toBeGreaterThan(67_000);
  expect(after).toBeLessThan(before * 0.9);
  const lines = world.provider.requests.map(({ text }) => text.split("of old output were left out").length - 1);
  expect(lines.slice(0, 14)).toEqual(Array.from({ length: 14 }, () => 0));
  expect(lines[14]).toBeGreaterThan(0);
});

test("[A10] nothing is left out of a few messages that fit, nor where nobody knows the window", async () => {
  const few = [reply({ calls: call(1), ...weighing(90_000) }), reply({ text: "One.", ...weighing(91_000) })];
  await using small = await bench(...few);
  await small.agent({ tools: [read], facts: ofWindow(128_000) }).run("read one");
  expect(compactions(small)).toEqual([]);
  await using unknown = await bench(...calls(14, () => 900_000), reply({ text: "All.", ...weighing(900_000) }));
  await unknown.agent({ tools: [read] }).run("read them all");
  expect(compactions(unknown)).toEqual([]);
  expect(JSON.stringify(unknown.facts().filter(({ type }) => type === "attempt-start"))).not.toContain('"tokens"');
});

test("[A10] [D14] a window that a server names when it refuses holds for the session", async () => {
  const words = "This model's maximum context length is 16384 tokens. However, your messages resulted in 20000 tokens.";
  const overflow = refuse(400, { error: { message: words, code: "context_length_exceeded" } });
  const steps = [...calls(4, () => 2_000), overflow, anew(say("Four."))];
  await using world = await bench(...steps, ...calls(10, (at) => 3_000 + 900 * at), anew(say("More.")));
  const bot = world.agent({ tools: [read], summary: false });
  await bot.run("read", { sessionId: "s" });
  // No count comes that could be: estimates say that it has helped.
  expect(compactions(world)).toMatchObject([
    { type: "history-compacted", because: "too-large" },
    { type: "compaction-judged", strikes: 0 },
  ]);
  expect(await bot.run("more", { sessionId: "s" })).toMatchObject({ ok: true });
  const [compacted] = compactions(world).filter(({ type }) => type === "history-compacted");
  expect(compacted).toMatchObject({ because: "pressure" });
  expect(world.provider.requests).toHaveLength(17);
});

/** Of a prompt and tools that leave no room in a window of 10,000. */
const LARGE_SYSTEM = "You are careful. ".repeat(2_200);
const LONG = "with what we had begun ".repeat(25);

test("[COMP-01] what does not help is not tried for ever: after two compactions in vain the session has none for pressure", async () => {
  const steps = Array.from({ length: 5 }, (_, at) =>
    anew(reply({ text: `Answer ${at}. ${LONG}`, ...weighing(8_900 + at) })),
  );
  await using world = await bench(...steps);
  const told: string[] = [];
  const options = { system: LARGE_SYSTEM, facts: ofWindow(10_000) };
  const bot = world.agent({
    ...options,
    onDiagnostic: ({ level, line }) => void (level === "warn" && told.push(line)),
  });
  const kinds: string[][] = [];
  for (let turn = 0; turn < 4; turn++) {
    // A prompt with no room behind it: what is left out of the messages saves next to nothing.
    expect(await bot.run(`continue ${LONG}`, { sessionId: "s" })).toMatchObject({ ok: true });
    kinds.push(compactions(world).map(({ type }) => type));
  }
  expect(kinds).toEqual([
    ["compaction-failed", "compaction-judged"],
    ["history-compacted", "compaction-failed", "compaction-judged"],
    [],
    [],
  ]);
  expect(told).toEqual([expect.stringMatching(/^compaction-off .*session=s/u)]);
  await bot.close();
  // The strikes outlive the process.
  const next = world.agent(options);
  await next.run("continue", { sessionId: "s" });
  expect(compactions(world)).toEqual([]);
  // Nobody has said more than the user.
  const said = next.store.history("s")?.filter((message) => message?.role === "user");
  expect(said).toHaveLength(5);
});

test("[COMP-10] a local server that has read far less than was sent stops the turn with advice, and no call is run", async () => {
  const ran: unknown[] = [];
  const look = tool("look", (input) => Promise.resolve(String(ran.push(input))));
  const error = refuse(500, { error: { message: "no user query found in messages" } });
  const half = reply({ calls: [{ id: "a", name: "look", arguments: {} }], ...weighing(2_051) });
  await using world = await bench(error, half);
  const told: string[] = [];
  const bot = world.agent({
    tools: [look],
    contextWindow: 32_768,
    retry: { baseMs: 1, maxMs: 1 },
    onDiagnostic: ({ level, line }) => void (level === "warn" && told.push(line)),
  });
  const result = await bot.run(`What is wrong here?\n${"one line of a long log\n".repeat(1_800)}`);
  expect(result).toMatchObject({
    ok: false,
    exit: { reason: "ollama_runtime_context_too_small", code: 24 },
    toolEvents: [{ name: "look", status: "cancelled" }],
  });
  expect(result.error?.message).toMatch(/read only 2051 of about \d+ tokens/u);
  expect(result.exit.next.map(({ text }) => text).join(" ")).toContain("larger context window");
  expect(ran).toEqual([]);
  expect(compactions(world)).toMatchObject([{ type: "request-truncated", told: 2_051 }]);
  expect(told).toContainEqual(expect.stringMatching(/^silent-truncation .*told=2051/u));
});

test("[COMP-10] a request that does not fit the window that is known of a local server is never sent", async () => {
  await using world = await bench();
  const result = await world.agent({ contextWindow: 4_096 }).run("one line of a long log\n".repeat(1_800));
  expect(result.exit).toMatchObject({ reason: "ollama_runtime_context_too_small" });
  expect(world.provider.requests).toEqual([]);
});

test("[ERR-11] no more output is asked for than the window leaves, and nothing is left out for it", async () => {
  await using world = await bench(say("Long."));
  const facts = ofWindow(200_000);
  const result = await world.agent({ facts, maxOutput: 64_000 }).run("a word ".repeat(85_000));
  expect(result).toMatchObject({ ok: true, attempts: 1 });
  expect(compactions(world)).toEqual([]);
  const [attempt] = world.facts().filter((fact) => fact.type === "attempt-start");
  const { tokens = 0 } = attempt ?? {};
  expect(tokens).toBeGreaterThan(140_000);
  expect(world.provider.requests[0]?.body).toMatchObject({ max_tokens: 200_000 - tokens - 1_024 });
});

test("[A10] [B15] [B17] a turn that waits for a summary says so, and a stop does not wait for it", async () => {
  await using world = await bench();
  await using silent = await new FakeProvider([{ frames: [], end: "open" }]).listen();
  const bot = world.agent({
    facts: ofWindow(32_768),
    summary: { provider: "sums", model: "sums-up", baseUrl: silent.baseUrl },
  });
  const past = Array.from({ length: 40 }, (_, at) => ({
    role: at % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `${at}. ${"we had a long talk about it ".repeat(150)}`,
  }));
  await bot.importMessages("s", past);
  const turn = bot.start("and now", { sessionId: "s" });
  await silent.received(1);
  expect((await bot.sessions.lane("s")).waiting).toMatchObject({ type: "summary" });
  await turn.interrupt();
  expect(await turn).toMatchObject({ interrupted: true, exit: { reason: "interrupted_by_user" } });
  expect(world.facts().map(({ type }) => type)).not.toContain("history-compacted");
  expect(world.provider.requests).toEqual([]);
});
