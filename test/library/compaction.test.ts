import { expect, test } from "vitest";
import { bench, tool } from "../support/agent-in-folder.ts";
import { inspectRequest } from "../support/protocol-police.ts";
import { callTools, refuse, say, type Step } from "../support/wire-script.ts";

const OVERFLOW = refuse(400, { error: { message: "prompt is too long", code: "context_length_exceeded" } });
const shorter = (step: Step): Step => ({ ...step, newHead: true });
const call = (id: string): Step => callTools([{ id, name: "read", arguments: { path: id } }]);
const read = tool("read", ({ path }) => Promise.resolve(`${String(path)} holds:\n${"a line of a file\n".repeat(200)}`));
const ids = (count: number): string[] => Array.from({ length: count }, (_, at) => `c${at}`);

test("[D14 B3] a request that is too large is sent again with less of the history, in the same iteration", async () => {
  await using world = await bench(...ids(15).map(call), OVERFLOW, shorter(say("Fifteen files.")));
  const bot = world.agent({ tools: [read], summary: false });
  const result = await bot.run("read them all", { sessionId: "s" });
  expect(result).toMatchObject({ ok: true, answer: "Fifteen files.", attempts: 17, iterations: { used: 16 } });
  const [before, after] = world.provider.requests.slice(-2).map(({ text }) => text);
  expect(after?.length).toBeLessThanOrEqual((before?.length ?? 0) * 0.75);
  expect(after).toContain("characters of old output were left out; they began: c0 holds:");
  // What is kept is whole.
  const kept = JSON.stringify(bot.store.history("s"));
  expect(kept.match(/a line of a file/gu)).toHaveLength(15 * 200);
});

test("[D14 F1] what was left out stays out in the next turn and in the next process: the same head, byte for byte", async () => {
  await using world = await bench(
    call("a"),
    call("b"),
    say("Read."),
    refuse(413, "too large"),
    shorter(say("Once more.")),
    say("And again."),
  );
  const first = world.agent({ tools: [read], summary: false });
  await first.run("read", { sessionId: "s" });
  await first.run("again", { sessionId: "s" });
  await first.close();
  const second = world.agent({ tools: [read], summary: false });
  await second.run("and again", { sessionId: "s" });
  const [shortened = "", next = ""] = world.provider.requests.slice(-2).map(({ text }) => text);
  expect(next.startsWith(shortened.slice(0, shortened.lastIndexOf("]")))).toBe(true);
  expect([...second.store.requests("last")].map(({ body }) => body)).toEqual([next]);
});

test("[D14] three times it is sent with less, then the turn ends and says how large the smallest was", async () => {
  const steps = [OVERFLOW, shorter(OVERFLOW), shorter(OVERFLOW), shorter(OVERFLOW)];
  await using world = await bench(...ids(40).map(call), ...steps);
  const bot = world.agent({ tools: [read], summary: false });
  const result = await bot.run("read them all", { sessionId: "s" });
  const sizes = world.provider.requests.slice(-4).map(({ text }) => Buffer.byteLength(text));
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  expect(new Set(sizes).size).toBe(4);
  const last = world.provider.requests.at(-1);
  // The system prompt is no message.
  const [messages, bytes] = [(last?.body.messages.length ?? 0) - 1, sizes.at(-1)];
  expect(result.exit).toMatchObject({
    reason: "context_overflow",
    code: 24,
    detail: { compactions: 3, messages, bytes },
  });
  const size = `${messages} messages in ${bytes?.toLocaleString("en-US")} bytes`;
  expect(result.error?.message).toContain(`The smallest request still had ${size}.`);
  expect(result.exit.next.map(({ text }) => text).join(" ")).toMatch(/shorten the message.*larger window/u);
  expect(inspectRequest(Buffer.from(last?.text ?? "")).violations).toEqual([]);
});

test("[D14] a message that is too large by itself ends the turn at once: there is nothing to leave out", async () => {
  await using world = await bench(refuse(413, "Request Entity Too Large"));
  const result = await world.agent().run("x".repeat(50_000), { sessionId: "s" });
  expect(result).toMatchObject({
    attempts: 1,
    retries: 0,
    exit: { reason: "context_overflow", detail: { messages: 1 } },
  });
});

test("[CACHE-03] [D14] old results are shortened in one step: what is sent of them stays the same for many requests", async () => {
  const more = Array.from({ length: 20 }, (_, at) => call(`d${at}`));
  await using world = await bench(...ids(15).map(call), OVERFLOW, shorter(call("c15")), ...more, say("Done."));
  const result = await world.agent({ tools: [read], summary: false }).run("read them all", { sessionId: "s" });
  expect(result).toMatchObject({ ok: true, answer: "Done." });
  const heads = world.provider.requests.map(({ text }) => text.slice(0, text.lastIndexOf("]")));
  const anew = heads.flatMap((head, at) => (at > 0 && !head.startsWith(heads[at - 1] ?? "") ? [at] : []));
  expect(anew).toEqual([16]);
  const cut = heads.map((head) => head.split("characters of old output were left out").length - 1);
  expect(cut.slice(0, 16)).toEqual(Array.from({ length: 16 }, () => 0));
  expect(new Set(cut.slice(16)).size).toBe(1);
  expect(cut.at(-1)).toBeGreaterThan(0);
});

test("[COMP-06] a compaction that fails leaves the history as it was, says so, and is not tried again", async () => {
  await using world = await bench(OVERFLOW, say("Hello."));
  const bot = world.agent({ summary: false });
  const { turnId } = await bot.run("hello", { sessionId: "s" });
  const facts = bot.store.turn(turnId ?? "")?.facts.map(({ fact }) => fact.type);
  expect(facts?.filter((type) => type === "compaction-failed")).toHaveLength(1);
  expect(await bot.run("once more", { sessionId: "s" })).toMatchObject({ ok: true });
});
