import { expect, test } from "vitest";
import { agent, type AgentOptions, type RunResult, type Tool } from "../../src/index.ts";
import type { Route } from "../../src/protocol/tool.ts";
import { textOf } from "../../src/protocol/message.ts";
import { bench, tool } from "../support/agent-in-folder.ts";
import { EndlessProvider } from "../support/endless-provider.ts";
import { callTools, say, type ScriptedCall } from "../support/wire-script.ts";

interface Looped {
  readonly result: RunResult;
  readonly requests: number;
  readonly shown: string;
  /** What the model was told of each call, in order. */
  readonly receipts: readonly string[];
}

type Calls = (iteration: number) => readonly Omit<ScriptedCall, "id">[];

/** A model that goes on asking for the same, as long as it is asked; it gives up at the tenth time where nobody stops it. */
async function loop(tools: readonly Tool[], calls: Calls, more: Partial<AgentOptions> = {}): Promise<Looped> {
  const provider = new EndlessProvider(({ index }) =>
    index >= 12 || calls(index).length === 0
      ? say("I give up now.")
      : callTools(calls(index).map((call, at) => ({ ...call, id: `c${index}-${at}` }))),
  );
  try {
    await provider.server.listen();
    await using bot = agent({ baseUrl: provider.server.baseUrl, model: "fake-1", tools, ...more });
    let shown = "";
    const result = await bot.run("go", { onText: (text) => (shown += text) });
    expect(provider.violations()).toEqual([]);
    const receipts = result.messages.flatMap((message) => (message.role === "tool" ? [textOf(message)] : []));
    return { result, requests: provider.requests.length, shown, receipts };
  } finally {
    await provider.close();
  }
}

const same =
  (name: string, input: unknown = { path: "a" }): Calls =>
  () => [{ name, arguments: input }];

const boom = (): never => {
  throw new Error("boom");
};

test("[E7][J1] a read that brings the same again and again is warned about, then stops the turn with an explanation", async () => {
  const { result, requests, shown, receipts } = await loop([tool("look", () => "nothing new")], same("look"));
  expect(result.exit).toMatchObject({ reason: "guardrail_halt", code: 23 });
  expect(result.exit.detail).toMatchObject({ code: "idempotent_no_progress_block", tool: "look", count: 5 });
  expect(requests).toBe(6);
  expect(receipts[0]).toBe("nothing new");
  expect(receipts[1]).toMatch(
    /^nothing new\n\n\[warn idempotent_no_progress_warning count=2: look was called 2 times/u,
  );
  expect(receipts[4]).toContain("count=5");
  expect(receipts[5]).toMatch(/^Not run:/u);
  const why = "Stopped: look was called 5 times with the same arguments and gave the same result each time.";
  expect(shown).toBe(why);
  expect(textOf(result.messages.at(-1) ?? { role: "user", parts: [] })).toBe(why);
  expect(result).toMatchObject({ ok: false, completed: false, answer: null });
  expect(result.error?.message).toContain(why);
});

test("[E7] the same call failing is stopped after five, whatever the order of its arguments", async () => {
  const calls: Calls = (at) => [{ name: "look", arguments: at % 2 === 0 ? '{"a":1,"b":2}' : '{"b": 2, "a": 1}' }];
  const { result, requests, receipts } = await loop([tool("look", boom)], calls);
  expect(result.exit.detail).toMatchObject({ code: "repeated_exact_failure_block", count: 5 });
  expect(requests).toBe(6);
  expect(receipts.map((text) => /count=\d/u.exec(text)?.[0])).toEqual([
    undefined,
    "count=2",
    "count=3",
    "count=4",
    "count=5",
    undefined,
  ]);
});

test("[E7] a tool that fails whatever it is asked is stopped after eight, in the middle of a batch if need be", async () => {
  const calls: Calls = (at) => [0, 1, 2].map((n) => ({ name: "act", arguments: { n: at * 3 + n } }));
  let runs = 0;
  const act = tool("act", () => (runs++, boom()), { effect: "effect", concurrency: "exclusive" });
  const { result, requests } = await loop([act], calls);
  expect(result.exit.detail).toMatchObject({ code: "same_tool_failure_halt", tool: "act", count: 8 });
  expect({ runs, requests }).toEqual({ runs: 8, requests: 3 });
  expect(result.toolEvents.at(-1)).toMatchObject({ name: "act", status: "cancelled" });
});

test("[E7] a tool that works in between, or a result that changes, is no loop", async () => {
  let runs = 0;
  const flaky = tool("act", () => (++runs % 5 === 0 ? "fine" : boom()));
  expect((await loop([flaky], (at) => [{ name: "act", arguments: { at } }])).result.ok).toBe(true);
  const clock = tool("look", () => `it is ${runs++}`);
  expect((await loop([clock], same("look"))).result.ok).toBe(true);
});

test("[LOOP-01][LOOP-03][E7] an effect that is repeated with nothing else in between and the same result is stopped too", async () => {
  const write = tool("write", () => "Wrote 1 byte.", { effect: "effect", cosmetic: ["label"] });
  const { result, requests } = await loop([write], (at) => [
    { name: "write", arguments: { path: "m.md", label: `step ${at}` } },
  ]);
  expect(result.exit.detail).toMatchObject({ code: "repeated_call_block", tool: "write", count: 8 });
  expect(requests).toBeLessThanOrEqual(10);
  const between: Calls = (at) => [
    at % 2 === 0 ? { name: "write", arguments: {} } : { name: "look", arguments: { at } },
  ];
  expect((await loop([write, tool("look", () => "seen")], between)).result.ok).toBe(true);
});

test("[E7][J1] calls that go round in a circle and tell nothing new stop the turn, whichever they are", async () => {
  const look = tool("look", ({ n }) => `page ${String(n)}`);
  const act = tool("act", () => "done", { effect: "effect" });
  const flaky = tool("flaky", boom);
  const circle =
    (names: readonly string[]): Calls =>
    (at) => [{ name: names[at % names.length] ?? "", arguments: { n: at % names.length } }];
  for (const [names, count, requests] of [
    [["look", "look"], 5, 7],
    [["look", "look", "look", "look", "look"], 5, 10],
    [["look", "act"], 8, 10],
    [["act", "act"], 8, 10],
    [["flaky", "look"], 5, 7],
  ] as const) {
    const looped = await loop([look, act, flaky], circle(names));
    expect(looped.result.exit).toMatchObject({ reason: "guardrail_halt", code: 23 });
    expect(looped.result.exit.detail).toMatchObject({ code: "nothing_new_halt", count });
    expect(looped.requests).toBe(requests);
    expect(looped.shown).toMatch(/^Stopped: \d rounds of calls in a row, the last with \w+, only repeated calls/u);
  }
  const { receipts } = await loop([act], circle(["act", "act"]));
  expect(receipts.map((text) => /nothing_new_warning count=\d/u.exec(text)?.[0])).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    ...[3, 4, 5, 6, 7, 8].map((count) => `nothing_new_warning count=${count}`),
  ]);
});

test("[E7] what goes on is no circle: results that change, a new call among old ones, many old calls at once", async () => {
  let on = 0;
  const flag = tool("flag", () => (++on % 3 === 0 ? "ready" : "not ready"));
  const look = tool("look", () => "the same");
  const wait = tool("wait", () => "waited", { effect: "effect" });
  const polling: Calls = (at) => [{ name: at % 2 === 0 ? "wait" : "flag", arguments: {} }];
  expect((await loop([flag, wait], polling, { guardrails: { noProgressStopAfter: 9 } })).result.ok).toBe(true);
  const searching: Calls = (at) => [
    { name: "look", arguments: { n: at } },
    { name: "wait", arguments: {} },
  ];
  expect((await loop([look, wait], searching)).result.ok).toBe(true);
  const everything: Calls = (at) =>
    at > 3 ? [] : Array.from({ length: 20 }, (_, n) => ({ name: "look", arguments: { n } }));
  expect((await loop([look], everything)).result.ok).toBe(true);
  const loose = await loop([look], (at) => [{ name: "look", arguments: { n: at % 2 } }], {
    guardrails: { hardStop: false },
  });
  expect(loose.result.ok).toBe(true);
});

test("[E7] calls that cannot run, and calls that a person would have to allow, loop no longer than others", async () => {
  const missing = await loop([tool("look", () => "seen")], same("nope"));
  expect(missing.result.ok).toBe(false);
  expect(missing.requests).toBeLessThanOrEqual(10);
  const guarded = tool("push", () => "pushed", { effect: "effect", ask: () => "it pushes" });
  const denied = await loop([guarded], same("push"));
  expect(denied.result.exit.reason).toBe("guardrail_halt");
  expect(denied.requests).toBe(6);
});

test("[E7] without hard stop the model is only told, and without warnings it is not", async () => {
  const look = tool("look", () => "nothing new");
  const warned = await loop([look], same("look"), { guardrails: { hardStop: false } });
  expect(warned.result.ok).toBe(true);
  expect(warned.receipts.at(-1)).toContain("count=12");
  const silent = await loop([look], same("look"), { guardrails: { hardStop: false, warnings: false } });
  expect(new Set(silent.receipts)).toEqual(new Set(["nothing new"]));
  const early = await loop([look], same("look"), {
    guardrails: { noProgressStopAfter: 2, sameToolFailureStopAfter: 0 },
  });
  expect(early.requests).toBe(3);
});

test("[A5][E7] the next turn of a session counts anew, and reads why the last one was stopped", async () => {
  const calls = (turn: number): ReturnType<typeof callTools>[] =>
    Array.from({ length: 6 }, (_, at) => callTools([{ id: `${turn}-${at}`, name: "look", arguments: {} }]));
  await using on = await bench(...calls(1), ...calls(2).slice(0, 4), say("Seen."));
  const bot = on.agent({ tools: [tool("look", () => "nothing new")] });
  expect((await bot.run("go", { sessionId: "s" })).exit.reason).toBe("guardrail_halt");
  expect((await bot.run("again", { sessionId: "s" })).answer).toBe("Seen.");
  expect(on.provider.requests.at(-1)?.text).toContain("Stopped: look was called 5 times");
});

test("[E6] the third identical look-up outside is refused with an explanation, also within one batch", async () => {
  const fetched: string[] = [];
  const fetch = tool("web_fetch", ({ url }) => `page ${fetched.push(String(url))}`, { external: true });
  const batch = [
    { url: "https://a.test", max: 1 },
    { max: 1, url: "https://a.test" },
    '{ "url": "https://a.test", "max": 1 }',
    { url: "https://b.test" },
  ];
  const { result, receipts } = await loop([fetch], (at) =>
    at > 0 ? [] : batch.map((input) => ({ name: "web_fetch", arguments: input })),
  );
  expect(result.ok).toBe(true);
  expect(fetched).toEqual(["https://a.test", "https://a.test", "https://b.test"]);
  expect(receipts.map((text) => text.startsWith("Not run: this was looked up"))).toEqual([false, false, true, false]);
});

test("[E6][E7] a model that only repeats a refused look-up is stopped", async () => {
  let count = 0;
  const search = tool("web_search", () => `found ${count++}`, { external: true });
  const { result, requests } = await loop([search], same("web_search"));
  expect(result.exit.reason).toBe("guardrail_halt");
  expect(requests).toBeLessThanOrEqual(10);
  expect(count).toBe(2);
});

test("[E6][J1] failOnToolError ends the turn at the first failure; siblings finish, later calls get receipts", async () => {
  const ran: string[] = [];
  const tools = [
    tool("bad", boom),
    tool("good", () => `${ran.push("good")}`),
    tool("later", () => `${ran.push("later")}`, { effect: "effect", concurrency: "exclusive" }),
  ];
  const names = ["bad", "good", "later"];
  const calls: Calls = () => names.map((name) => ({ name, arguments: {} }));
  const { result, requests, shown } = await loop(tools, calls, { failOnToolError: true });
  expect(result.exit).toMatchObject({ reason: "tool_error", code: 31, detail: { tool: "bad" } });
  expect(requests).toBe(1);
  expect(ran).toEqual(["good"]);
  expect(result.toolEvents.map(({ status }) => status)).toEqual(["error", "ok", "cancelled"]);
  expect(result).toMatchObject({ ok: false, answer: null, error: { code: "tool_error" } });
  expect(result.error?.message).toContain("boom");
  expect(shown).toBe("Stopped: bad failed: boom");
  const soft = await loop(tools, (at) => (at === 0 ? calls(0) : []));
  expect(soft.result.answer).toBe("I give up now.");
});

test("[E6] a look-up that is refused is a tool error as well, a command that a person denied is none", async () => {
  const search = tool("web_search", () => "page", { external: true });
  const refused = await loop([search], same("web_search"), { failOnToolError: true });
  expect(refused.result.exit.reason).toBe("tool_error");
  expect(refused.requests).toBe(3);
  const guarded = tool("push", () => "pushed", { ask: () => "it pushes" });
  const once: Calls = (at) => (at === 0 ? [{ name: "push", arguments: {} }] : []);
  expect((await loop([guarded], once, { failOnToolError: true })).result.ok).toBe(true);
});

test("[E6][E5] cancellation is never swallowed: a stop during a tool that must not fail is a stop", async () => {
  await using on = await bench(callTools([{ id: "a", name: "wait", arguments: {} }]));
  const wait = tool("wait", async (_input, { signal }) => {
    const lane = await bot.sessions.lane("s");
    await lane.interrupt("user");
    signal.throwIfAborted();
    return "too late";
  });
  const bot = on.agent({ tools: [wait], failOnToolError: true });
  const result = await bot.run("go", { sessionId: "s" });
  expect(result.exit).toMatchObject({ reason: "interrupted_by_user", code: 130 });
  expect(result.toolEvents).toMatchObject([{ status: "interrupted" }]);
});

test("[E13] every call is told the route of its own turn, also side by side and after a restart", async () => {
  await using on = await bench(
    callTools([{ id: "a", name: "send", arguments: {} }]),
    say("Sent."),
    callTools([{ id: "b", name: "send", arguments: {} }]),
    say("Sent."),
    callTools([{ id: "c", name: "push", arguments: {} }]),
  );
  const told: (Route | undefined)[] = [];
  const send = (name: string, more: Partial<Tool> = {}): Tool =>
    tool(name, (_input, { route }) => `${told.push(route)}`, more);
  const tools = [send("send"), send("push", { effect: "effect", ask: () => "it pushes" })];
  const bot = on.agent({ tools, approvals: "park" });
  const route: Route = { channel: "telegram", chatId: "42", messageId: "7" };
  await bot.run("go", { route });
  await bot.run("go");
  expect((await bot.run("go", { sessionId: "s", route: { channel: "cli", chatId: "x" } })).exit.code).toBe(30);
  await bot.close();
  on.provider.script(say("Pushed."));
  const after = await on.agent({ tools, approvals: "all" }).sessions.lane("s");
  expect((await after.resume().result).ok).toBe(true);
  expect(told).toEqual([route, undefined, { channel: "cli", chatId: "x" }]);
});
