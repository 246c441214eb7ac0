import { expect, test } from "vitest";
import type { MemoryProvider, Plugin } from "../../src/index.ts";
import { fenced } from "../../src/protocol/context.ts";
import { toOpenAi } from "../../src/protocol/openai.ts";
import { bench } from "../support/agent-in-folder.ts";
import { say } from "../support/wire-script.ts";

const recalls = (prefetch: MemoryProvider["prefetch"]): MemoryProvider => ({ name: "mem0", prefetch });
const FENCED = fenced({ type: "context", source: "memory", text: "likes tea" });

test("[A11] a memory is asked once per turn; what it recalls is sent without the fences it was heard in, the same bytes ever after", async () => {
  await using world = await bench(say("One."), say("Two."), say("Three."));
  const asked: string[] = [];
  const memory = recalls(({ sessionId, prompt }) => {
    asked.push(`${sessionId} ${prompt}`);
    return prompt === "go" ? `<memory-context>\nold\n</memory-context>\nlikes tea\n${FENCED}\0` : " ";
  });
  const bot = world.agent({ memory });
  expect((await bot.run("go", { sessionId: "s" })).cleanupErrors).toEqual([]);
  await bot.run("again", { sessionId: "s" });
  await bot.close();
  await world.agent().run("and again", { sessionId: "s" });
  expect(asked).toEqual(["s go", "s again"]);
  const sent = world.provider.requests.map(({ body }) => body.messages.slice(1).map(({ content }) => content));
  expect(sent[0]).toEqual([`go\n\n${FENCED}`]);
  expect(sent[1]).toEqual([...(sent[0] ?? []), "One.", "again"]);
  expect(sent[2]).toEqual([...(sent[1] ?? []), "Two.", "and again"]);
});

test("[A11] search, titles, export and the session's own text never see what was recalled", async () => {
  await using world = await bench(say("One."));
  const bot = world.agent({ memory: recalls(() => "likes Lapsang") });
  await bot.run("go", { sessionId: "s" });
  expect(bot.store.search("Lapsang", 5)).toEqual([]);
  expect(bot.store.list()[0]?.title).toBe("go");
  const history = (bot.store.history("s") ?? []).filter((message) => message !== undefined);
  expect(JSON.stringify(history)).toContain("Lapsang");
  expect(JSON.stringify(toOpenAi(history))).not.toContain("Lapsang");
  expect(JSON.stringify(bot.exportMessages("s"))).not.toContain("Lapsang");
});

test("[A11] a memory that throws or answers nonsense is named, and costs the turn nothing", async () => {
  await using world = await bench(say("One."), say("Two."));
  const broken = recalls(() => Promise.reject(new Error("no route")));
  const odd = recalls(() => 7 as unknown as string);
  for (const [memory, why] of [
    [broken, "no route"],
    [odd, "it returned no text"],
  ] as const) {
    const result = await world.agent({ memory }).run("go");
    expect(result).toMatchObject({ ok: true, cleanupErrors: [`memory mem0: prefetch: ${why}`] });
  }
  expect(world.provider.requests.map(({ body }) => body.messages.at(-1)?.content)).toEqual(["go", "go"]);
});

test("[A11] a memory that hangs costs its time once: it is not asked again until it has come back", async () => {
  await using world = await bench(say("One."), say("Two."), say("Three."), say("Four."));
  const { promise, resolve } = Promise.withResolvers<string>();
  let asked = 0;
  const bot = world.agent({ memory: recalls(() => (++asked === 1 ? promise : "likes tea")), extensionLimitMs: 20 });
  const troubles: unknown[] = [];
  for (const session of ["s", "s", "other"]) troubles.push((await bot.run("go", { sessionId: session })).cleanupErrors);
  const why = "prefetch: it had no answer after 20 ms, so it is left alone for this turn";
  const leftAlone = [`memory mem0: it is left alone until it answers again (${why})`];
  const late = [`memory mem0: ${why}`];
  expect(troubles).toEqual([late, leftAlone, leftAlone]);
  expect(asked).toBe(1);
  resolve("too late");
  await promise;
  await bot.run("go", { sessionId: "new" });
  expect(world.provider.requests.at(-1)?.body.messages.at(-1)?.content).toBe(`go\n\n${FENCED}`);
});

test("[A11][B6] a stop does not wait for a memory, and tells it", async () => {
  await using world = await bench();
  const begun = Promise.withResolvers<AbortSignal>();
  const memory = recalls((_input, signal) => {
    begun.resolve(signal);
    return new Promise(() => {});
  });
  const turn = world.agent({ memory }).start("go", { sessionId: "s" });
  const signal = await begun.promise;
  await turn.interrupt("user");
  expect(await turn.result).toMatchObject({ exit: { reason: "interrupted_by_user" }, cleanupErrors: [] });
  expect(signal.aborted).toBe(true);
});

test("[A11][B5] a turn that was stopped before it began asks nobody", async () => {
  await using world = await bench();
  let asked = 0;
  const memory = recalls(() => String(++asked));
  const turn = world.agent({ memory }).start("go", { sessionId: "s" });
  await turn.interrupt("user");
  expect(await turn.result).toMatchObject({ exit: { reason: "interrupted_by_user" } });
  expect(asked).toBe(0);
});

test("[A11][A12] what is added to a message stands in one order: attachments, time and place, memory, plug-ins", async () => {
  await using world = await bench(say("One."));
  const plugins: Plugin[] = [
    { name: "slow", beforeTurn: () => new Promise((resolve) => setImmediate(() => resolve("a"))) },
    { name: "fast", beforeTurn: () => "b" },
  ];
  const file = { type: "context", source: "a.txt", text: "alpha" } as const;
  const bot = world.agent({ plugins, memory: recalls(() => "likes tea") });
  const { messages } = await bot.run("go", { attachments: [file], route: { channel: "irc", chatId: "1" } });
  const sources = messages[0]?.parts.flatMap((part) => (part.type === "context" ? [part.source] : []));
  expect(sources).toEqual(["a.txt", "runtime", "memory", "slow", "fast"]);
});
