import { expect, test } from "vitest";
import { openStore } from "../../src/agent/agent.ts";
import type { Fact } from "../../src/protocol/fact.ts";
import type { Failure } from "../../src/protocol/failure.ts";
import { bot, NEW, refusal, repairsOf, sealsSent } from "../dialects/refusing.ts";
import { calls, type Mode, replies, says, thinks } from "../dialects/script.ts";
import { sideOf } from "../dialects/subjects.ts";
import { fakeDialect } from "../dialects/wire.ts";
import { type Bench, bench } from "../support/agent-in-folder.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { save, turnStart } from "../support/store-world.ts";
import { guarded } from "../support/tools.ts";
import { refuse, say, type Step, wholeJson } from "../support/wire-script.ts";

const NO_STREAM = refuse(400, { error: { message: "Streaming is not supported for this model" } });
const whole = (content: string): Step => ({
  ...wholeJson({ choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }] }),
  newHead: true,
});
const streamed = ({ provider }: Pick<Bench, "provider">): unknown[] => provider.requests.map(({ body }) => body.stream);

test("[C18] a process that opens a session does not stream where one before it was refused that", async () => {
  await using on = await bench(NO_STREAM, whole("One."), whole("Two."), NO_STREAM, whole("Three."));
  const first = on.agent();
  expect(await first.run("go", { sessionId: "s" })).toMatchObject({ answer: "One.", attempts: 2 });
  await first.close();
  expect(await on.agent().run("more", { sessionId: "s" })).toMatchObject({ answer: "Two.", attempts: 1 });
  // It is known of the session alone.
  expect(await on.agent().run("go", { sessionId: "t" })).toMatchObject({ answer: "Three.", attempts: 2 });
  expect(streamed(on)).toEqual([true, false, false, true, false]);
});

test("[C18] what a server refused says nothing of another model, and nothing of another server of the same name", async () => {
  await using other = await fakeProvider([say("Three.")]);
  await using on = await bench(NO_STREAM, whole("One."), say("Two.", { newHead: true }), whole("Four."));
  const ask = async (options: object): Promise<unknown> => {
    await using bot = on.agent(options);
    return (await bot.run("go", { sessionId: "s" })).answer;
  };
  expect(await ask({})).toBe("One.");
  expect(await ask({ model: "fake-2" })).toBe("Two.");
  expect(await ask({ baseUrl: other.baseUrl })).toBe("Three.");
  expect(await ask({})).toBe("Four.");
  expect(streamed(on)).toEqual([true, false, true, false]);
  expect(streamed({ provider: other })).toEqual([true]);
});

const refused: Failure = {
  reason: "format_error",
  retryable: false,
  shouldCompress: false,
  shouldRotateCredential: false,
  shouldFallback: true,
  refusesStreaming: true,
  message: "Streaming is not supported for this model",
};

test("[C18] [G3] a turn that a process of an older version left behind a refusal goes on without streaming", async () => {
  await using on = await bench(whole("One."), whole("Two."));
  // The record is written by hand, with a refusal whose request nobody sent.
  on.replays = false;
  const store = openStore(on.folder);
  await save(
    (await store.open("s")).writer(() => undefined),
    { ...turnStart("t", 0, "go"), provider: "custom", model: "fake-1" } as Fact,
    { type: "attempt-start", attempt: 1, iteration: 1, model: "fake-1" },
    { type: "model-failure", failure: refused },
    { type: "request-adjusted", adjustment: { streaming: false } },
  );
  store.close();
  const bot = on.agent();
  const turn = await bot.open("t");
  expect(await turn?.resume()).toMatchObject({ answer: "One.", retries: 0 });
  expect((await bot.run("on", { sessionId: "s" })).answer).toBe("Two.");
  expect(streamed(on)).toEqual([false, false]);
});

test("[C18] [G3] a turn that is resumed under another model has learnt nothing of it from the first one", async () => {
  const call = { id: "g", type: "function", function: { name: "guarded", arguments: '{"text":"x"}' } };
  const choices = [{ message: { role: "assistant", content: null, tool_calls: [call] }, finish_reason: "tool_calls" }];
  const asks: Step = { ...wholeJson({ choices }), newHead: true };
  await using on = await bench(NO_STREAM, asks, say("Two.", { newHead: true }), say("Three."), whole("Four."));
  const options = { tools: [guarded()], approvals: "park" } as const;
  const first = on.agent(options);
  const { turnId } = await first.run("go", { sessionId: "s" });
  await first.close();
  const second = on.agent({ ...options, model: "fake-2" });
  const parked = await second.open(turnId ?? "");
  await parked?.decide(parked.pending[0]?.approvalId ?? "", true);
  expect(await parked?.resume()).toMatchObject({ answer: "Two.", model: "fake-2" });
  expect((await second.run("on", { sessionId: "s" })).answer).toBe("Three.");
  await second.close();
  expect((await on.agent(options).run("on", { sessionId: "s" })).answer).toBe("Four.");
  expect(streamed(on)).toEqual([true, false, true, true, false]);
});

const sealed = replies([thinks("Let me think."), { type: "text", text: "hi" }, calls("ls", {})]);
const SEAL = "messages.3.content.0: Invalid `signature` in `thinking` block";
const EMPTY = "messages: text content blocks must be non-empty";
const anthropicError = (message: string): object => ({
  type: "error",
  error: { type: "invalid_request_error", message },
});

test.each<readonly [Mode, object, object]>([
  ["anthropic_messages", anthropicError(SEAL), { opaque: { from: 3 } }],
  [
    "codex_responses",
    {
      error: {
        type: "invalid_request_error",
        code: "invalid_encrypted_content",
        message: "The encrypted content could not be verified.",
      },
    },
    { opaque: false },
  ],
  ["anthropic_messages", anthropicError(EMPTY), { strict: true }],
])(
  "[C5] [C17] %s: what a refused conversation is sent without, it is sent without by the next process: %j",
  async (mode, body, repair) => {
    await using place = await bench();
    await using server = await fakeDialect(sideOf(mode).wire, [
      sealed,
      refusal(400, body),
      says("done", NEW),
      says("more"),
    ]);
    const first = bot(mode, server, { store: place.folder });
    expect(await first.run("go", { sessionId: "s" })).toMatchObject({ answer: "done" });
    expect(repairsOf(first)).toEqual([repair]);
    await first.close();
    await using second = bot(mode, server, { store: place.folder });
    expect(await second.run("and?", { sessionId: "s" })).toMatchObject({ answer: "more", attempts: 1 });
    expect(sealsSent(server)).toEqual([false, true, false, false]);
  },
);
