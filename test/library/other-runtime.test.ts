import { expect, test } from "vitest";
import { agent, type OtherRuntime, type RuntimeReply } from "../../src/index.ts";

type Answer = OtherRuntime["answer"];
const runtime = (answer: Answer): OtherRuntime => ({ name: "other", answer });
const withRuntime = (answer: Answer): ReturnType<typeof agent> =>
  agent({ baseUrl: "http://127.0.0.1:9/v1", model: "m", runtime: runtime(answer), clock: "fake" });

test("[B12] a turn is handed to another runtime whole: no model is asked, the result has the same shape", async () => {
  const heard: string[] = [];
  await using bot = withRuntime((history, show) => {
    heard.push(JSON.stringify(history.at(-1)));
    show("Four ");
    show("files.");
    return Promise.resolve({ type: "answer", text: "Four files.", usage: { ...NOTHING, output: 3 } });
  });
  const shown: string[] = [];
  const result = await bot.run("how many?", { sessionId: "s", onText: (text) => shown.push(text) });
  expect(result).toMatchObject({ ok: true, answer: "Four files.", attempts: 1, usage: { output: 3 }, retries: 0 });
  expect(shown.join("")).toBe("Four files.");
  expect(heard[0]).toContain("how many?");
  await bot.run("and now?", { sessionId: "s" });
  expect(bot.exportMessages("s")).toHaveLength(4);
});

test("[B12] an answer that was not shown is shown, one that was only shown is kept, none at all says so", async () => {
  const answers: Answer[] = [
    () => Promise.resolve({ type: "answer", text: "Whole." }),
    (_, show) => (show("Streamed."), Promise.resolve({ type: "answer", text: "" })),
    () => Promise.resolve({ type: "answer", text: " " }),
  ];
  await using bot = withRuntime((...asked) => (answers.shift() as Answer)(...asked));
  const shown: string[] = [];
  const onText = (text: string): number => shown.push(text);
  expect((await bot.run("1", { onText })).answer).toBe("Whole.");
  expect((await bot.run("2", { onText })).answer).toBe("Streamed.");
  expect((await bot.run("3", { onText })).exit.reason).toBe("empty_response_exhausted");
  expect(shown).toEqual(["Whole.", "Streamed."]);
});

test("[B12] a runtime that throws ends the turn with its words and is not asked again", async () => {
  let asked = 0;
  await using bot = withRuntime(() => {
    asked++;
    throw new Error("the app-server has gone");
  });
  const result = await bot.run("go");
  expect(result).toMatchObject({ ok: false, exit: { reason: "request_rejected" } });
  expect(JSON.stringify(result.error)).toContain("the app-server has gone");
  expect(asked).toBe(1);
});

test("[B12] what is neither an answer nor a failure is a failure, and says so", async () => {
  for (const reply of [undefined, null, "text", {}, { type: "answer" }, { type: "failure" }]) {
    await using bot = withRuntime(() => Promise.resolve(reply as unknown as RuntimeReply));
    const result = await bot.run("go");
    expect(result).toMatchObject({ ok: false, exit: { reason: "request_rejected" } });
    expect(JSON.stringify(result.error)).toContain("the runtime other returned neither an answer nor a failure");
  }
});

test("[B12 B15] a stop reaches the runtime, also one that does not listen; what it has shown is kept", async () => {
  await using bot = withRuntime(async (_, show) => {
    show("Half");
    return new Promise(() => undefined);
  });
  const turn = bot.start("go", { sessionId: "s" });
  for await (const event of turn) if (event.type === "text-delta") await turn.interrupt();
  const result = await turn.result;
  expect(result).toMatchObject({ interrupted: true, answer: "Half" });
});

test("[B12 B10] what is injected meanwhile is answered by the runtime, in the same turn", async () => {
  const seen: number[] = [];
  const { promise: injected, resolve } = Promise.withResolvers<undefined>();
  await using bot = withRuntime(async (history) => {
    seen.push(history.length);
    await injected;
    return { type: "answer", text: `answer ${seen.length}` };
  });
  const turn = bot.start("go");
  for await (const event of turn)
    if (event.type === "attempt-start") resolve((await turn.inject("also this"), undefined));
  expect((await turn.result).answer).toBe("answer 2");
  expect(seen).toEqual([1, 3]);
});

const NOTHING = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };
