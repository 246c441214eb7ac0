import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, type AgentOptions } from "../../src/index.ts";
import { textOf } from "../../src/protocol/message.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { echo, guarded } from "../support/tools.ts";
import { callTools, refuse, reply, say, type Step } from "../support/wire-script.ts";

/** No test waits for a real back-off. */
const options = (baseUrl: string, more: Partial<AgentOptions> = {}): AgentOptions => ({
  baseUrl,
  model: "fake-1",
  retry: { baseMs: 1 },
  ...more,
});

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "evander-library-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const call = (...texts: string[]): Step =>
  callTools(texts.map((text) => ({ id: `call-${text}`, name: "echo", arguments: { text } })));

test("[B1][E2][J4] a prompt becomes model calls, tool calls and an answer with an exit reason", async () => {
  await using provider = await fakeProvider([call("a", "b"), say(["Two ", "echoes."])]);
  await using bot = agent(options(provider.baseUrl, { tools: [echo] }));
  const pieces: string[] = [];
  const result = await bot.run("go", { onText: (text) => pieces.push(text) });
  expect(result).toMatchObject({ ok: true, completed: true, answer: "Two echoes.", exit: { reason: "text_response" } });
  expect(pieces.join("")).toBe("Two echoes.");
  expect(result.messages.map((message) => message.role)).toEqual(["user", "assistant", "tool", "tool", "assistant"]);
  expect(result.usage).toMatchObject({ input: 40, output: 10 });
});

test("[B2] without a word about it the limit is 500 iterations", async () => {
  await using provider = await fakeProvider([say("Hi.")]);
  await using bot = agent(options(provider.baseUrl));
  expect((await bot.run("hi")).iterations).toEqual({ used: 1, limit: 500, refunded: 0 });
});

test("[G1][X9] a session goes on in another process; what was sent before is a prefix of what is sent then", async () => {
  await inFolder(async (store) => {
    await using provider = await fakeProvider([call("a"), say("One."), say("Two.")]);
    for (const prompt of ["first", "second"]) {
      await using bot = agent(options(provider.baseUrl, { tools: [echo], store }));
      expect((await bot.run(prompt, { sessionId: "s" })).ok).toBe(true);
    }
    expect(provider.requests[2]?.body.messages).toHaveLength(6);
  });
});

test("[B2][J1] two prompts to one session wait for each other", async () => {
  await using provider = await fakeProvider([say("One."), say("Two.")]);
  await using bot = agent(options(provider.baseUrl));
  const results = await Promise.all(["a", "b"].map((prompt) => bot.run(prompt, { sessionId: "s" })));
  expect(results.map((result) => result.answer)).toEqual(["One.", "Two."]);
  expect(results.map((result) => result.messages.map(textOf))).toEqual([
    ["a", "One."],
    ["b", "Two."],
  ]);
});

test("[D3][D4][B1] three attempts per call, all in one iteration; then the turn ends and says why", async () => {
  const limit = refuse(503, { error: { message: "busy" } });
  await using provider = await fakeProvider([limit, limit, limit]);
  await using bot = agent(options(provider.baseUrl));
  const result = await bot.run("hi");
  expect(result).toMatchObject({ failed: true, attempts: 3, retries: 2, iterations: { used: 1 } });
  expect(result.exit).toMatchObject({ reason: "all_retries_exhausted_no_response", code: 75 });
});

test("[D4] a wait longer than the setting is not begun; the time is named", async () => {
  await using provider = await fakeProvider([
    refuse(429, { error: { message: "slow down" } }, { "retry-after": "120" }),
  ]);
  await using bot = agent(options(provider.baseUrl));
  expect((await bot.run("hi")).error).toMatchObject({ status: 429, retryAfterMs: 120_000 });
});

test("[B2] an iteration limit that cannot be used is refused at once", () => {
  for (const maxIterations of [0, -1, 1.5, NaN])
    expect(() => agent({ baseUrl: "http://127.0.0.1:9/v1", model: "m", maxIterations })).toThrow(RangeError);
});

test("[D13] a refusal over content is never asked again", async () => {
  await using provider = await fakeProvider([reply({ text: "No.", finish: "content_filter" })]);
  await using bot = agent(options(provider.baseUrl));
  expect((await bot.run("hi")).exit).toMatchObject({ reason: "content_policy", code: 80 });
});

test("[B3] a batch of nothing but execute_code gives the budget back, not the local count", async () => {
  const code = { ...echo, name: "execute_code" };
  const run = callTools([{ id: "c", name: "execute_code", arguments: { text: "x" } }]);
  await using provider = await fakeProvider([run, say("Done.")]);
  await using bot = agent(options(provider.baseUrl, { tools: [code] }));
  expect((await bot.run("go")).iterations).toEqual({ used: 2, limit: 500, refunded: 1 });
});

test("[C11] an unknown tool and arguments that are no JSON get error receipts; siblings run", async () => {
  const calls = callTools([
    { id: "a", name: "nonsense", arguments: {} },
    { id: "b", name: "echo", arguments: "[1]" },
    { id: "c", name: "echo", arguments: { text: "fine" } },
  ]);
  await using provider = await fakeProvider([calls, say("Noted.")]);
  await using bot = agent(options(provider.baseUrl, { tools: [echo] }));
  const result = await bot.run("go");
  expect(result.toolEvents.map((event) => event.status)).toEqual(["error", "error", "ok"]);
  expect(result.toolEvents[0]?.detail).toContain("echo");
});

test("[E5] a tool that throws gives an error receipt, and the turn goes on", async () => {
  const failing = { ...echo, run: () => Promise.reject(new Error("the disk said no")) };
  await using provider = await fakeProvider([call("a"), say("It failed.")]);
  await using bot = agent(options(provider.baseUrl, { tools: [failing] }));
  expect((await bot.run("go")).toolEvents).toEqual([{ name: "echo", status: "error", detail: "the disk said no" }]);
});

test("[J5] a listener that throws is reported and loses nothing", async () => {
  await using provider = await fakeProvider([say(["a", "b"])]);
  await using bot = agent(options(provider.baseUrl));
  const result = await bot.run("hi", {
    onText: () => {
      throw new Error("no ears");
    },
  });
  expect(result).toMatchObject({ ok: true, answer: "ab", cleanupErrors: ["onText: no ears"] });
});

test.each([
  ["throws what has no words", () => Promise.reject(Object.create(null) as Error), "what was thrown has no words"],
  ["rejects", () => Promise.reject(new Error("no ears")), "no ears"],
  ["never answers", () => new Promise<never>(() => undefined), undefined],
])("[A1] a listener that %s changes nothing but its own entry", async (_, onText, complaint) => {
  await using provider = await fakeProvider([say(["a", "b"])]);
  await using bot = agent(options(provider.baseUrl));
  const result = await bot.run("go", { onText: onText as () => void });
  const cleanupErrors = complaint === undefined ? [] : [`onText: ${complaint}`];
  expect(result).toMatchObject({ ok: true, answer: "ab", cleanupErrors });
});

test("[E5] a tool that throws what has no words gives an error receipt", async () => {
  await using provider = await fakeProvider([call("a"), say("fine")]);
  const odd = { ...echo, run: () => Promise.reject(Object.create(null) as Error) };
  await using bot = agent(options(provider.baseUrl, { tools: [odd] }));
  const result = await bot.run("go");
  expect(result.toolEvents).toEqual([{ name: "echo", status: "error", detail: "what was thrown has no words" }]);
});

test("[G4] imported messages are made legal: the next request is, too", async () => {
  await using provider = await fakeProvider([say("Fine.")]);
  await using bot = agent(options(provider.baseUrl, { tools: [echo] }));
  await bot.importMessages("s", [
    { role: "tool", tool_call_id: "ghost", content: "orphan" },
    { role: "user", content: "list" },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "x", type: "function", function: { name: "echo", arguments: "{}" } },
        { id: "y", type: "function", function: { name: "echo", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "y", content: "second" },
    { role: "assistant", content: "" },
  ]);
  expect((await bot.run("go on", { sessionId: "s" })).ok).toBe(true);
  const roles = provider.requests[0]?.body.messages.map((message) => message.role);
  expect(roles).toEqual(["system", "user", "assistant", "tool", "tool", "user"]);
});

test("[C5] an imported picture reaches the model as one", async () => {
  const picture = { type: "image_url", image_url: { url: "https://h.test/x.png" } };
  await using provider = await fakeProvider([say("A boat.")]);
  await using bot = agent(options(provider.baseUrl));
  await bot.importMessages("s", [
    { role: "user", content: [{ type: "text", text: "look" }, picture] },
    { role: "assistant", content: "I see.", thinking_blocks: [{ signature: "c2ln" }] },
  ]);
  expect(await bot.run("what is it?", { sessionId: "s" })).toMatchObject({ ok: true, answer: "A boat." });
  expect(provider.requests[0]?.body.messages.slice(1)).toEqual([
    { role: "user", content: [{ type: "text", text: "look" }, picture] },
    { role: "assistant", content: "I see." },
    { role: "user", content: "what is it?" },
  ]);
});

test("[X6] a second process is told that the session is busy, and nothing is lost", async () => {
  await inFolder(async (store) => {
    await using provider = await fakeProvider([say("One.")]);
    await using first = agent(options(provider.baseUrl, { store }));
    await using second = agent(options(provider.baseUrl, { store }));
    expect((await first.run("a", { sessionId: "s" })).ok).toBe(true);
    expect((await second.run("b", { sessionId: "s" })).exit).toMatchObject({ reason: "session_busy", code: 75 });
  });
});

test("[J1] a store that cannot be opened says so in one sentence", async () => {
  await inFolder(async (folder) => {
    await writeFile(join(folder, "evander.db"), "this is no database, and it is long enough to be looked at");
    expect(() => agent(options("http://127.0.0.1:9/v1", { store: folder }))).toThrow(/evander\.db/u);
  });
});

test("[J1] whoever asks an agent that is closed is told just that", async () => {
  const bot = agent(options("http://127.0.0.1:9/v1"));
  await bot.close();
  const closed = { exit: { reason: "usage_error", code: 2 }, error: { code: "agent_closed" } };
  const { exit, error } = await bot.run("hi");
  expect({ exit, error }).toMatchObject(closed);
  expect(error?.message).toBe("This agent is closed: make a new one with agent().");
  expect(await bot.start("hi")).toMatchObject(closed);
  expect(await bot.runSpec({ prompt: "hi" } as never)).toMatchObject(closed);
  await bot.close();
});

test("[B7][B15] an interrupt with a message closes the turn and hands the message back", async () => {
  const tool = guarded();
  await using provider = await fakeProvider([callTools([{ id: "g", name: "guarded", arguments: { text: "x" } }])]);
  await using bot = agent(options(provider.baseUrl, { tools: [tool], approvals: "ask" }));
  const turn = await bot.sessions.start("s", "do it");
  const lane = await bot.sessions.lane("s");
  for await (const event of turn) if (event.type === "approval-requested") await lane.interrupt("user", "rather not");
  const result = await turn.result;
  expect(result).toMatchObject({ interrupted: true, interruptMessage: "rather not", exit: { code: 130 } });
  expect(lane.history.at(-1)?.role).toBe("assistant");
  expect(tool.runs).toEqual([]);
});
