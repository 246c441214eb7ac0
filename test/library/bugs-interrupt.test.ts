import { expect, test } from "vitest";
import type { Fact } from "../../src/protocol/fact.ts";
import { type Bench, bench, tool } from "../support/agent-in-folder.ts";
import { callTools, PAUSE, replyFrames, say, stream } from "../support/wire-script.ts";

const call = (id: string, name: string): { id: string; name: string; arguments: object } => ({
  id,
  name,
  arguments: {},
});

test("[INT-01] a stop belongs to its turn: what the user says next is answered", async () => {
  await using on = await bench(callTools([call("c", "hang")]), say("X is done."));
  const begun = Promise.withResolvers<void>();
  const hang = tool("hang", (_input, { signal }) => {
    begun.resolve();
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
  });
  const bot = on.agent({ tools: [hang] });
  const first = bot.run("work", { sessionId: "s" });
  await begun.promise;
  const lane = await bot.sessions.lane("s");
  const stopped = lane.interrupt("user");
  const second = bot.run("do X", { sessionId: "s" });
  expect(await stopped).toBe(true);
  expect((await first).exit.reason).toBe("interrupted_by_user");
  expect(await second).toMatchObject({ answer: "X is done.", interrupted: false, exit: { reason: "text_response" } });
});

test("[INT-01] a turn that is stopped before its first model call says so", async () => {
  await using on = await bench();
  const bot = on.agent();
  const lane = await bot.sessions.lane("s");
  const turn = lane.run("work");
  await lane.interrupt("user");
  const result = await turn.result;
  expect(result).toMatchObject({ interrupted: true, answer: null, exit: { code: 130 } });
  expect(result.exit.explain).not.toBeNull();
});

test("[INT-02] [B15] a stop while nothing runs is taken by nobody and harms nothing", async () => {
  await using on = await bench(say("Hello."), say("Again."));
  const bot = on.agent();
  const lane = await bot.sessions.lane("s");
  expect(await lane.interrupt("user")).toBe(false);
  expect((await bot.run("hello", { sessionId: "s" })).answer).toBe("Hello.");
  expect(await lane.interrupt("user")).toBe(false);
  expect((await bot.run("hello again", { sessionId: "s" })).answer).toBe("Again.");
});

test("[INT-03] a tool that ignores its signal for ever is left behind, and what it returns later is not heard", async () => {
  await using on = await bench(callTools([call("c", "deaf")]), say("Next."));
  const begun = Promise.withResolvers<void>();
  const late = Promise.withResolvers<string>();
  const deaf = tool("deaf", () => {
    begun.resolve();
    return late.promise;
  });
  const bot = on.agent({ tools: [deaf] });
  const first = bot.run("work", { sessionId: "s" });
  await begun.promise;
  await (await bot.sessions.lane("s")).interrupt("user");
  expect((await first).exit.reason).toBe("interrupted_by_user");
  late.resolve("too late");
  expect((await bot.run("go on", { sessionId: "s" })).answer).toBe("Next.");
  const receipts = (bot.store.history("s") ?? []).filter((message) => message?.role === "tool");
  expect(receipts).toMatchObject([{ callId: "c", status: "interrupted" }]);
  const sent = on.provider.requests[1]?.body.messages.find(({ role }) => role === "tool");
  expect(String(sent?.content)).toMatch(/^Interrupted/);
  expect(JSON.stringify(bot.store.history("s"))).not.toContain("too late");
  expect(on.provider.requests[1]?.text).not.toContain("too late");
});

test("[INT-06] a steer while nothing runs is refused, so that its sender knows to send it as a message", async () => {
  await using on = await bench(say("Done."));
  const bot = on.agent();
  await bot.run("work", { sessionId: "s" });
  const lane = await bot.sessions.lane("s");
  expect(await lane.steer("do not change config yet")).toBe(false);
  expect(await lane.inject("nor anything else")).toBe(false);
});

/** Where an accepted steer went: into a request, or back to its sender as pending. */
async function steerAt(
  on: Bench,
  when: (fact: Fact) => boolean,
): Promise<{ taken: boolean; placed: number; pending: readonly string[] }> {
  const bot = on.agent({ tools: [tool("look", () => "seen")] });
  const lane = await bot.sessions.lane("s");
  const turn = lane.run("work");
  let taken: Promise<boolean> | undefined;
  for await (const event of turn)
    if (taken === undefined && "type" in event && when(event as Fact)) taken = lane.steer("STEER");
  const { pendingSteer } = await turn.result;
  // The request that goes out last has all that went before it.
  const placed = (on.provider.requests.at(-1)?.text.split("STEER").length ?? 1) - 1;
  return { taken: (await taken) ?? false, placed, pending: pendingSteer };
}

test.each(["turn-start", "attempt-start", "assistant-message", "segment-start", "receipt", "turn-end"] as const)(
  "[INT-07] [B8] [B9] a steer behind %s is placed, given back or refused, and never lost",
  async (type) => {
    const steps = [callTools([call("c", "look")]), say("Done.")];
    await using on = await bench(...steps);
    const { taken, placed, pending } = await steerAt(on, (fact) => fact.type === type);
    expect(placed + pending.filter((text) => text === "STEER").length).toBe(taken ? 1 : 0);
  },
);

test("[INT-08] a steer that rode on a receipt is there after a restart, and is sent again as it was", async () => {
  await using on = await bench(callTools([call("c", "look")]), say("Done."), say("Later."));
  const begun = Promise.withResolvers<void>();
  const go = Promise.withResolvers<string>();
  const look = tool("look", () => {
    begun.resolve();
    return go.promise;
  });
  const first = on.agent({ tools: [look] });
  const running = first.run("work", { sessionId: "s" });
  await begun.promise;
  expect(await (await first.sessions.lane("s")).steer("only the tests")).toBe(true);
  go.resolve("seen");
  await running;
  await first.close();
  const second = on.agent({ tools: [look] });
  const receipt = second.store.history("s")?.find((message) => message?.role === "tool");
  expect(receipt?.parts).toMatchObject([
    { type: "text", text: "seen" },
    { type: "steer", text: "only the tests" },
  ]);
  await second.run("and now?", { sessionId: "s" });
  const [, sent, again] = on.provider.requests;
  expect(sent?.text).toContain("only the tests");
  expect(again?.text.startsWith((sent?.text ?? "").slice(0, sent?.text.lastIndexOf("]")))).toBe(true);
});

test("[B15] [STRM-15] a stop in mid-stream works at once, keeps what was shown and marks it", async () => {
  await using on = await bench(
    stream([...replyFrames({ text: "half an", done: false, usage: null, finish: null }), PAUSE]),
    say("Next."),
  );
  const bot = on.agent();
  const shown = Promise.withResolvers<string>();
  const running = bot.run("work", { sessionId: "s", onText: shown.resolve });
  expect(await shown.promise).toBe("half an");
  const lane = await bot.sessions.lane("s");
  await lane.interrupt("user");
  expect(await running).toMatchObject({
    interrupted: true,
    exit: { reason: "interrupted_during_api_call", code: 130 },
  });
  expect(bot.store.history("s")?.at(-1)).toMatchObject({ role: "assistant", interrupted: true });
  expect((await bot.run("go on", { sessionId: "s" })).answer).toBe("Next.");
});
