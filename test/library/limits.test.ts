import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ModelChoice } from "../../src/index.ts";
import { bench, tool } from "../support/agent-in-folder.ts";
import { FakeProvider, type Script } from "../support/fake-provider.ts";
import { callTools, refuse, say, type Step } from "../support/wire-script.ts";

const FAST = { retry: { baseMs: 1, maxMs: 1, maxWaitMs: 1_000 } } as const;

const server = (...steps: readonly Script[]): Promise<FakeProvider> => new FakeProvider(steps).listen();
const at = ({ baseUrl }: FakeProvider, provider: string): ModelChoice => ({ provider, model: "fake-2", baseUrl });
const limited = (headers: Readonly<Record<string, string>> = {}): Step =>
  refuse(429, { error: { message: "slow down" } }, headers);
const usedUp = (): Step => limited({ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "600" });

test("[D12] a limit that one session met keeps the others from asking: nothing is sent, and the time is named", async () => {
  await using world = await bench(usedUp());
  const bot = world.agent(FAST);
  expect(await bot.run("one", { sessionId: "a" })).toMatchObject({ attempts: 1 });
  const second = await bot.run("two", { sessionId: "b" });
  expect(second).toMatchObject({ ok: false, attempts: 1, exit: { reason: "all_retries_exhausted_no_response" } });
  expect(second.error?.retryAfterMs).toBeGreaterThan(590_000);
  expect(second.error?.message).toMatch(/custom\/fake-1 is not asked before \d\d:\d\d:\d\d UTC/);
  expect(second.cost).toMatchObject({ usd: 0 });
  expect(world.provider.requests).toHaveLength(1);
});

test("[D12] [D11] also another process is spared that, and goes on with the next model of its chain", async () => {
  await using world = await bench(usedUp());
  await using b = await server(say("b"));
  const first = world.agent(FAST);
  await first.run("one");
  await first.close();
  const bot = world.agent({ ...FAST, fallback: [at(b, "b")] });
  expect(await bot.run("two")).toMatchObject({ answer: "b", provider: "b" });
  expect(world.provider.requests).toHaveLength(1);
});

test("[D12] a limit that is met by another session in the middle of a turn holds from the next request on", async () => {
  await using world = await bench(callTools([{ id: "a", name: "look", arguments: {} }]), usedUp());
  await using b = await server(say("beside"), say("b"));
  const look = tool("look", async () => (await bot.run("meanwhile", { sessionId: "beside" })).answer);
  const bot = world.agent({ ...FAST, tools: [look], fallback: [at(b, "b")] });
  expect(await bot.run("go")).toMatchObject({ answer: "b", attempts: 3 });
  expect(world.provider.requests).toHaveLength(2);
});

test("[D12] [FALL-02] a limit holds for the key and the server it was met with, and for no other", async () => {
  await using world = await bench(usedUp(), say("with another key"));
  const first = world.agent({ ...FAST, apiKey: "key-one" });
  await first.run("one");
  await first.close();
  expect(await world.agent({ ...FAST, apiKey: "key-two" }).run("two")).toMatchObject({ answer: "with another key" });
  await using other = await server(say("another server"));
  const elsewhere = world.agent({ ...FAST, apiKey: "key-one", baseUrl: other.baseUrl });
  expect(await elsewhere.run("three")).toMatchObject({ answer: "another server" });
});

test("[D12] a limit passes: once its time is over the model is asked again", async () => {
  await using world = await bench(limited({ "retry-after": "90" }), say("fine"));
  const bot = world.agent({ clock: "fake", retry: { baseMs: 1, maxMs: 1, maxWaitMs: 120_000 } });
  expect(await bot.run("go")).toMatchObject({ answer: "fine", attempts: 2, retries: 1 });
});

test("[D12] no longer than an hour is anybody kept from looking whether a limit still holds", async () => {
  await using world = await bench(limited({ "retry-after": "86400" }));
  const bot = world.agent(FAST);
  await bot.run("one");
  const { error } = await bot.run("two");
  expect(error?.retryAfterMs).toBeLessThanOrEqual(3_600_000);
});

test("[D12] what is only crowded, or over soon, is told to nobody", async () => {
  const soon = limited({ "retry-after": "30" });
  const healthy = limited({ "x-ratelimit-remaining-requests": "198", "x-ratelimit-reset-requests": "600" });
  await using world = await bench(soon, healthy, healthy, healthy, say("fine"));
  const bot = world.agent(FAST);
  expect(await bot.run("one")).toMatchObject({ ok: false });
  expect(await bot.run("two")).toMatchObject({ ok: false, attempts: 3 });
  expect(await bot.run("three")).toMatchObject({ answer: "fine" });
  expect(existsSync(join(world.folder, "limits.json"))).toBe(false);
});

test("[D12] the file of limits is the user's alone, holds no key, and is passed over where it is no such file", async () => {
  await using world = await bench(usedUp(), say("fine"));
  const path = join(world.folder, "limits.json");
  const first = world.agent({ ...FAST, apiKey: "sk-very-secret-0123456789" });
  await first.run("one");
  await first.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, "utf8")).not.toContain("secret");
  writeFileSync(path, '[{"provider": 1}, null, "x"');
  expect(await world.agent({ ...FAST, apiKey: "sk-very-secret-0123456789" }).run("two")).toMatchObject({
    answer: "fine",
  });
});

test("[A13] a model that was left for its limit is not tried first for a minute, also by a new process", async () => {
  await using world = await bench(limited());
  await using b = await server(say("b1"), say("b2"), say("b3"));
  const chain = { ...FAST, fallback: [at(b, "b")] };
  const bot = world.agent(chain);
  expect(await bot.run("one", { sessionId: "s" })).toMatchObject({ answer: "b1", attempts: 2 });
  expect(await bot.run("two", { sessionId: "s" })).toMatchObject({ answer: "b2", attempts: 1, provider: "b" });
  await bot.close();
  expect(await world.agent(chain).run("three")).toMatchObject({ answer: "b3", attempts: 1 });
  expect(world.facts().find(({ type }) => type === "model-switched")).toMatchObject({ because: "rate_limit" });
});

test("[A13] once it has cooled down the turn begins with its own model again", async () => {
  await using world = await bench(limited(), say("mine"));
  await using b = await server(say("b1"), limited({ "retry-after": "61" }), say("b2"));
  const retry = { baseMs: 1, maxMs: 1, maxWaitMs: 120_000 };
  const bot = world.agent({ clock: "fake", retry, fallback: [at(b, "b")] });
  expect(await bot.run("one")).toMatchObject({ answer: "b1" });
  expect(await bot.run("two")).toMatchObject({ answer: "b2", attempts: 2 });
  expect(await bot.run("three")).toMatchObject({ answer: "mine", attempts: 1 });
});

test("[A13] where nobody else can be asked a model that cools down is asked nevertheless", async () => {
  await using world = await bench(limited(), say("mine"));
  await using b = await server(limited(), limited(), limited());
  const bot = world.agent({ ...FAST, fallback: [at(b, "b")] });
  expect(await bot.run("one")).toMatchObject({ ok: false, attempts: 4 });
  expect(await bot.run("two")).toMatchObject({ answer: "mine", provider: "custom" });
});
