import { expect, test } from "vitest";
import type { ModelChoice } from "../../src/index.ts";
import { type Bench, bench, tool } from "../support/agent-in-folder.ts";
import { FakeProvider, type Script } from "../support/fake-provider.ts";
import { broken, callTools, delta, refuse, reply, say, stream, type Step, wholeJson } from "../support/wire-script.ts";

const FAST = { retry: { baseMs: 1, maxMs: 1, maxWaitMs: 1_000 } } as const;

const server = (...steps: readonly Script[]): Promise<FakeProvider> => new FakeProvider(steps).listen();

/** A model of the chain, at a server of its own. */
const at = ({ baseUrl }: FakeProvider, provider: string, model: string = "fake-2"): ModelChoice => ({
  provider,
  model,
  baseUrl,
});

const limited = (headers: Readonly<Record<string, string>> = {}): Step =>
  refuse(429, { error: { message: "slow down" } }, headers);
const status = (code: number, more: object = {}): Step => refuse(code, { error: { message: "no", ...more } });
const asked = ({ requests }: FakeProvider): number => requests.length;
const switches = (world: Bench): unknown[] =>
  world.facts().flatMap((fact) => (fact.type === "model-switched" ? [[fact.provider, fact.because]] : []));

test("[D9] [D11] a rate limit goes on with the next model at once, and the result names who answered", async () => {
  await using world = await bench(limited());
  await using second = await server(say("from the second"));
  const bot = world.agent({ ...FAST, fallback: [at(second, "second")] });
  const result = await bot.run("go", { sessionId: "s" });
  const answered = { ok: true, answer: "from the second", provider: "second", model: "fake-2" };
  expect(result).toMatchObject({ ...answered, attempts: 2, retries: 0 });
  const messages = [{ role: "system" }, { role: "user", content: "go" }];
  expect(second.requests[0]?.body).toMatchObject({ model: "fake-2", messages });
});

test.for([
  { trigger: "an unpaid bill", steps: [status(402)], because: "billing", retries: 0 },
  { trigger: "a refused key", steps: [status(401)], because: "auth", retries: 0 },
  {
    trigger: "an unknown model",
    steps: [status(404, { code: "model_not_found" })],
    because: "model_not_found",
    retries: 0,
  },
  { trigger: "a request it does not take", steps: [status(400)], because: "format_error", retries: 0 },
  { trigger: "two overloads", steps: [status(503), status(529)], because: "overloaded", retries: 1 },
  {
    trigger: "two lost lines",
    steps: [stream([], { end: "reset" }), stream([], { end: "reset" })],
    because: "timeout",
    retries: 1,
  },
  {
    trigger: "three server errors",
    steps: [status(500), status(500), status(500)],
    because: "server_error",
    retries: 2,
  },
  { trigger: "what is no reply", steps: [wholeJson({ hello: "there" })], because: "server_error", retries: 0 },
  {
    trigger: "a filtered reply",
    steps: [reply({ text: "Well", finish: "content_filter" })],
    because: "content_policy_blocked",
    retries: 0,
  },
])("[D11] [C7] the next model is asked behind $trigger", async ({ steps, because, retries }) => {
  await using world = await bench(...steps);
  await using second = await server(say("fine"));
  const bot = world.agent({ ...FAST, fallback: [at(second, "second")] });
  const result = await bot.run("go", { sessionId: "s" });
  expect(result).toMatchObject({ answer: "fine", attempts: steps.length + 1, retries });
  expect(switches(world)).toEqual([["second", because]]);
});

test("[C9] [FALL-05] [D11] whoever says nothing, though asked again and in plain words, is left for the next one", async () => {
  const empty = reply({ reasoning: "I should answer" });
  await using world = await bench(...Array.from({ length: 6 }, () => empty));
  await using second = await server(empty, say("fine"));
  const result = await world.agent({ ...FAST, fallback: [at(second, "second")] }).run("go");
  expect(result).toMatchObject({ answer: "fine", provider: "second" });
  expect(switches(world)).toEqual([["second", "empty_reply"]]);
  expect(asked(world.provider)).toBe(6);
});

test("[FALL-03] each failure that another model may not have goes on to the next entry, up to the last", async () => {
  await using world = await bench(stream([], { end: "reset" }), stream([], { end: "reset" }));
  await using b = await server(status(404, { code: "model_not_found" }));
  await using c = await server(...Array.from({ length: 4 }, () => reply({})));
  await using d = await server(say("d is well"));
  const fallback = [at(b, "b"), at(c, "c"), at(d, "d")];
  const result = await world.agent({ ...FAST, fallback }).run("go");
  expect(result).toMatchObject({ answer: "d is well", provider: "d" });
  expect(switches(world)).toEqual([
    ["b", "timeout"],
    ["c", "model_not_found"],
    ["d", "empty_reply"],
  ]);
});

test("[FALL-01] no entry is visited twice in a turn, a switch is no choice of the user, and the next turn begins with its own model", async () => {
  await using world = await bench(status(403), say("mine again"));
  await using b = await server(say("b"));
  await using c = await server();
  const bot = world.agent({ ...FAST, fallback: [at(b, "b"), at(c, "c")] });
  expect(await bot.run("go", { sessionId: "s" })).toMatchObject({ answer: "b", provider: "b" });
  expect(await bot.run("and now", { sessionId: "s" })).toMatchObject({ answer: "mine again", model: "fake-1" });
});

test("[D9] when nobody is left the last failure is told, and the next turn does not ask them all again", async () => {
  await using world = await bench(status(401), status(401));
  await using b = await server(status(404, { code: "model_not_found" }));
  const bot = world.agent({ ...FAST, fallback: [at(b, "b")] });
  const result = await bot.run("go", { sessionId: "s" });
  expect(result).toMatchObject({ exit: { reason: "request_rejected" }, provider: "b", attempts: 2 });
  expect(world.facts().map(({ type }) => type)).toContain("chain-spent");
  expect(await bot.run("again", { sessionId: "s" })).toMatchObject({ provider: "custom", attempts: 1 });
  expect(asked(b)).toBe(1);
});

test("[D14] what is too large for one model is made smaller, and then the turn ends: no other model is asked for it", async () => {
  await using world = await bench(status(413));
  await using b = await server();
  const result = await world.agent({ ...FAST, fallback: [at(b, "b")] }).run("go");
  expect(result.exit.reason).toBe("context_overflow");
  expect(asked(b)).toBe(0);
});

test("[D11] what the rules of an account forbid is told, and asked of nobody else", async () => {
  const policy = "No endpoints found matching your data policy";
  await using world = await bench(refuse(404, { error: { message: policy } }));
  await using b = await server();
  const result = await world.agent({ ...FAST, fallback: [at(b, "b")] }).run("go");
  expect(result).toMatchObject({ exit: { reason: "request_rejected" }, attempts: 1 });
});

test("[D13] [D11] a refusal is never repeated to the model that refused; without another one it is the end", async () => {
  await using world = await bench(refuse(400, { error: { message: "flagged", code: "content_filter" } }));
  const alone = await world.agent(FAST).run("go");
  expect(alone).toMatchObject({ exit: { reason: "content_policy" }, attempts: 1 });
});

test("[D13] a refusal has one result, whether it came as a reply or as an error", async () => {
  const refusals = [
    stream([delta({ refusal: "I will not." }), delta({}, "stop"), "data: [DONE]\n\n"]),
    reply({ text: "I", finish: "content_filter" }),
    refuse(400, { error: { message: "flagged", code: "content_filter" } }),
  ];
  const ends = [];
  for (const refusal of refusals) {
    await using world = await bench(refusal);
    const { exit, error, answer, completed, failed, attempts } = await world.agent(FAST).run("go");
    const { code, next } = error ?? {};
    ends.push({ exit: { ...exit, detail: null }, error: { code, next }, answer, completed, failed, attempts });
  }
  expect(ends[0]).toMatchObject({ exit: { reason: "content_policy" }, answer: null, failed: true, attempts: 1 });
  expect(ends).toEqual([ends[0], ends[0], ends[0]]);
});

test("[D13] [C10] [B3] what a filter broke off is taken back before another model begins anew, and costs no iteration", async () => {
  const filtered = stream([delta({ content: "I will" }), delta({}, "content_filter")]);
  await using world = await bench(filtered);
  await using b = await server(say("Sure."));
  const shown: string[] = [];
  const bot = world.agent({ ...FAST, fallback: [at(b, "b")] });
  const onRetract = (): number => shown.push("<retracted>");
  const result = await bot.run("go", { onText: (text) => shown.push(text), onRetract });
  expect(result).toMatchObject({ answer: "Sure.", iterations: { used: 1, refunded: 1 } });
  expect(shown.join("")).toBe("I will<retracted>Sure.");
  expect(b.requests[0]?.body.messages.map(({ role }) => role)).toEqual(["system", "user"]);
});

test("[C10] [D11] a reply that broke off behind visible text is finished by the next model, and stands once", async () => {
  const half = broken({ text: ["One, ", "two"] }, 2, "reset");
  await using world = await bench(half, status(401));
  await using b = await server(say(", three."));
  let shown = "";
  const bot = world.agent({ ...FAST, fallback: [at(b, "b")] });
  const result = await bot.run("count", { onText: (text) => (shown += text) });
  expect(result).toMatchObject({ answer: "One, , three.", provider: "b" });
  expect(shown).toBe(result.answer);
});

test("[D9] entries that are the running model, that are there twice, or that cannot be opened are passed over", async () => {
  await using world = await bench(status(401));
  await using b = await server(say("b"));
  const own = { provider: "other-name", model: "fake-1", baseUrl: world.provider.baseUrl };
  const unusable = { provider: "mistral", model: "m" };
  const bot = world.agent({ ...FAST, fallback: [own, unusable, at(b, "b"), at(b, " B ")] });
  expect(await bot.run("go")).toMatchObject({ answer: "b", provider: "b", attempts: 2 });
});

test("[D9] two servers of one name are told apart, and each is asked once", async () => {
  await using world = await bench(status(401));
  await using b = await server(status(401));
  await using c = await server(say("c"));
  const fallback = [b, c].map(({ baseUrl }) => ({ model: "fake-1", baseUrl }));
  const result = await world.agent({ ...FAST, fallback }).run("go");
  expect(result).toMatchObject({ answer: "c", provider: `custom@${new URL(c.baseUrl).host}`, attempts: 3 });
});

test("[D11] each model of a chain has all its attempts, also behind one that had used up its own", async () => {
  await using world = await bench(status(500), status(500), status(500));
  await using b = await server(status(500), status(500), say("third time"));
  const result = await world.agent({ ...FAST, fallback: [at(b, "b")] }).run("go");
  expect(result).toMatchObject({ answer: "third time", attempts: 6, retries: 4 });
});

test("[D9] [B14] a user's own switch begins the chain anew", async () => {
  await using world = await bench(status(401));
  await using b = await server(callTools([{ id: "a", name: "look", arguments: {} }]), say("b again"));
  await using chosen = await server(status(401));
  const look = tool("look", async () => String(await turn.switchModel(at(chosen, "chosen"))));
  const bot = world.agent({ ...FAST, tools: [look], fallback: [at(b, "b")] });
  const turn = bot.start("go");
  expect(await turn).toMatchObject({ answer: "b again", provider: "b" });
});

test("[D9] [X4] under a limit of money nobody takes over whose price nobody knows: the failure is told, not the limit", async () => {
  await using world = await bench(status(401));
  await using b = await server();
  const prices = { input: 1, output: 1, asOf: "2026-11-01", source: "a test" };
  const facts = { provider: "custom", model: "fake-1", quirks: [], prices };
  const bot = world.agent({ ...FAST, facts, maxCost: 5, fallback: [at(b, "b")] });
  expect((await bot.run("go")).exit.reason).toBe("request_rejected");
});

test("[D9] [X4] each attempt is billed at the price of the model that was asked", async () => {
  await using world = await bench(broken({ text: "no" }, 0, "reset"), limited());
  await using b = await server(say("b"));
  const prices = { input: 1, output: 1, asOf: "2026-11-01", source: "a test" };
  const facts = { provider: "custom", model: "fake-1", quirks: [], prices };
  const bot = world.agent({ ...FAST, facts, fallback: [at(b, "b")] });
  const result = await bot.run("go");
  expect(result).toMatchObject({ answer: "b", attempts: 3 });
  const priced = world.facts().flatMap((fact) => (fact.type === "attempt-start" ? [fact.price !== undefined] : []));
  expect(priced).toEqual([true, false, true]);
});

test("[D10] whoever takes over is told who it is where the prompt says so; the first model never sees that, nor does the store", async () => {
  const system = "Model: someone\nYou help.\nModel: fake-1\nProvider: custom\nSay Model: what you are.";
  await using world = await bench(status(401), say("mine", { newHead: true }));
  await using b = await server(say("b"));
  const bot = world.agent({ ...FAST, system, fallback: [at(b, "b")] });
  await bot.run("go", { sessionId: "s", system: "Be brief." });
  await bot.run("and now", { sessionId: "s" });
  const prompts = [...world.provider.requests, ...b.requests].map(({ body }) => body.messages[0]?.content);
  const own = `${system}\n\nBe brief.`;
  const other = own.replace("\nModel: fake-1\nProvider: custom", "\nModel: fake-2\nProvider: b");
  expect(prompts).toEqual([own, system, other]);
});

test("[D10] the request that is being built names the new model at every switch of one turn", async () => {
  const system = "Model: fake-1\nProvider: custom";
  await using world = await bench(status(401));
  await using b = await server(callTools([{ id: "a", name: "look", arguments: {} }]), status(402));
  await using c = await server(say("c"));
  const look = tool("look", () => "seen");
  const bot = world.agent({ ...FAST, system, tools: [look], fallback: [at(b, "b", "m-b"), at(c, "c", "m-c")] });
  expect(await bot.run("go")).toMatchObject({ answer: "c", model: "m-c" });
  const named = [world.provider, b, c].flatMap(({ requests }) =>
    requests.map(({ body }) => [body.model, /^Model: (.*)$/mu.exec(String(body.messages[0]?.content))?.[1]]),
  );
  expect(named).toEqual([
    ["fake-1", "fake-1"],
    ["m-b", "m-b"],
    ["m-b", "m-b"],
    ["m-c", "m-c"],
  ]);
});

test("[D9] [G3] whoever takes a turn up again asks the model that it was handed to", async () => {
  await using world = await bench(status(401));
  await using b = await server(callTools([{ id: "a", name: "risky", arguments: {} }]), say("b again"));
  const tools = [tool("risky", () => "did it", { effect: "effect", ask: () => "It is risky." })];
  const options = { ...FAST, tools, approvals: "park", fallback: [at(b, "b")] } as const;
  const first = world.agent(options);
  const { turnId, exit, provider } = await first.run("go");
  expect([exit.reason, provider]).toEqual(["parked_for_approval", "b"]);
  await first.close();
  const parked = await world.agent(options).open(turnId ?? "");
  await parked?.decide(parked.pending[0]?.approvalId ?? "", true);
  expect(await parked?.resume()).toMatchObject({ answer: "b again", provider: "b", model: "fake-2" });
});

test("[D11] [B5] a stop does not wait for a model that is being looked for", async () => {
  await using world = await bench(status(401));
  const never = new Promise<never>(() => undefined);
  const bot = world.agent({ ...FAST, fallback: [{ provider: "slow", model: "m" }], find: () => never } as object);
  const turn = bot.start("go");
  const stops: Promise<boolean>[] = [];
  for await (const event of turn) if (event.type === "model-failure") stops.push(turn.interrupt());
  expect(await Promise.all(stops)).toEqual([true]);
  expect((await turn).exit.reason).toMatch(/^interrupted/);
});

test("[I3] [D9] a run from plain data goes on with the same chain, and its own prompt", async () => {
  await using world = await bench(status(401));
  await using b = await server(say("b"));
  const bot = world.agent({ ...FAST, fallback: [at(b, "b")] });
  expect(await bot.runSpec({ prompt: "go", system: "A job." })).toMatchObject({ answer: "b", provider: "b" });
  expect(b.requests[0]?.body.messages[0]).toMatchObject({ content: "A job." });
});
