import { expect, test } from "vitest";
import type { DailyDream } from "../../src/agent/daily-dream.ts";
import { agentOn } from "../../src/agent/agent.ts";
import type { Agent, Diagnostic } from "../../src/index.ts";
import type { DreamEnd } from "../../src/protocol/dream.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { PAUSE, refuse, replyFrames, say, type Step } from "../support/wire-script.ts";

const asked = { system: "Tidy.", prompt: "The notes.", purpose: "dream" } as const;
const differences = [{ file: "user", removed: ["a", "b"], added: ["c"] }] as const;

/** Asks a model once, and says of what came of it what a dream would. */
const dreaming =
  (end: (run: Parameters<DailyDream["dream"]>[0], signal?: AbortSignal) => Promise<DreamEnd>): DailyDream["dream"] =>
  (run, { daily, signal }) => {
    expect(daily).toBe(true);
    return end(run, signal);
  };

interface World {
  readonly bot: Agent;
  readonly lines: string[];
}

async function withAgent(
  steps: readonly Step[],
  dream: DailyDream["dream"],
  use: (world: World, provider: Awaited<ReturnType<typeof fakeProvider>>) => Promise<void>,
): Promise<void> {
  await using provider = await fakeProvider(steps);
  const lines: string[] = [];
  const onDiagnostic = ({ level, line, fields }: Diagnostic): void => {
    if (fields["event"] === "dream") lines.push(`${level} ${line}`);
  };
  const options = { baseUrl: provider.baseUrl, model: "fake-1", onDiagnostic, dream: { dream } };
  await using bot = agentOn(memoryStore(), options);
  await use({ bot, lines }, provider);
}

const dreams = ({ store }: Agent): unknown[] =>
  [...(store.record("s")?.facts ?? [])].flatMap(({ fact }) => (fact.type === "auxiliary-run" ? [fact] : []));

test("[F5] the dream of the day is dreamt after an answer, by the model of the conversation, on the bill of its turn, and once", async () => {
  const dream = dreaming(async ({ run, of }, signal) => {
    const result = await run({ ...asked, ...of }, signal);
    return { type: "done", differences, entries: 5, passedOver: 0, run: result };
  });
  const steps = [say("Hi."), say("{}", { newHead: true }), say("Yes.")];
  await withAgent(steps, dream, async ({ bot, lines }, provider) => {
    const { turnId } = await bot.run("hello", { sessionId: "s" });
    await expect.poll(() => lines).toHaveLength(1);
    expect(lines).toEqual(["info dream: 2 notes gone and 1 written; evander memory dream --log tells which"]);
    expect(dreams(bot)).toMatchObject([{ purpose: "dream", turnId, model: "fake-1", attempts: 1 }]);
    await bot.run("sure?", { sessionId: "s" });
    expect(provider.requests.map(({ body }) => body.messages.length)).toEqual([2, 2, 4]);
  });
});

test("[F5] a dream that fails is told in the log, with no turn behind it that failed", async () => {
  const dream = dreaming(async ({ run, of }, signal) => {
    const result = await run({ ...asked, ...of }, signal);
    return { type: "failed", reason: result.exit.reason, sentence: "It failed.", run: result };
  });
  const refused = { ...refuse(401, { error: { message: "Invalid API key" } }), newHead: true } as const;
  await withAgent([refused, say("Hi."), refused], dream, async ({ bot, lines }) => {
    expect((await bot.run("hello", { sessionId: "s" })).ok).toBe(false);
    expect((await bot.run("hello again", { sessionId: "s" })).ok).toBe(true);
    await expect.poll(() => lines).toEqual(["warn dream: It failed."]);
  });
});

test("[F5] closing the agent ends a dream; what it took until then is on the bill", async () => {
  let signalled = false;
  const dream = dreaming(async ({ run, of }, signal) => {
    const result = await run({ ...asked, ...of }, signal);
    signalled = signal?.aborted === true;
    return { type: "failed", reason: result.exit.reason, sentence: "Stopped.", run: result };
  });
  const slow: Step = { frames: [...replyFrames({ text: "{}" }).slice(0, 1), PAUSE], newHead: true };
  await withAgent([say("Hi."), slow], dream, async ({ bot, lines }, provider) => {
    await bot.run("hello", { sessionId: "s" });
    await provider.paused();
    await bot.close();
    expect([signalled, lines]).toEqual([true, ["warn dream: Stopped."]]);
  });
});
