import { expect, test } from "vitest";
import { agent } from "../../src/index.ts";
import { expectTurn, fail, say, script } from "../../src/testing.ts";
import { echo } from "../support/tools.ts";
import { tool } from "../support/agent-in-folder.ts";

test("[D4][X2][X12] a scripted refusal climbs the real ladder, and its wait takes no time", async () => {
  const model = script([say.tool("echo", { text: "hi" }), fail.rateLimit({ retryAfter: 30 }), say.text("Done.")]);
  await using bot = agent({ model, tools: [echo], clock: "fake", maxTimeMs: 600_000 });
  const result = await bot.run("go");
  expectTurn(result).toExit("text_response").toHaveIterations(2).toHaveRetries(1).toHaveRefunds(0);
  expect(result).toMatchObject({ model: "scripted", provider: "scripted", answer: "Done." });
  expect(result.durationMs).toBeGreaterThanOrEqual(30_000);
  expect(model.requests.map(({ tools }) => tools)).toEqual([["echo"], ["echo"], ["echo"]]);
  expect(model.requests[2]?.messages.at(-1)).toMatchObject({ role: "tool", content: "echo: hi" });
});

test("[X2] every step is one reply: pieces, thoughts, several calls, tokens", async () => {
  const calls = say.tools([
    ["echo", { text: "a" }],
    ["echo", '{"text":"b"}'],
  ]);
  const answer = say.text(["Two ", "echoes."], { reasoning: "hm", usage: { input: 20, output: 5, cacheRead: 10 } });
  await using bot = agent({ model: script([calls, answer]), tools: [echo] });
  const pieces: string[] = [];
  const result = await bot.run("go", { onText: (text) => pieces.push(text) });
  expect(pieces.join("")).toBe("Two echoes.");
  expect(result.toolEvents.map(({ detail }) => detail)).toEqual(["echo: a", "echo: b"]);
  expect(result).toMatchObject({ lastReasoning: "hm", usage: { input: 20, output: 5, cacheRead: 10 } });
});

test("[D4][D9] failures are those of the wire: overload, a refused key, any status, a lost connection", async () => {
  const ends = async (...steps: Parameters<typeof script>[0]): Promise<string> => {
    await using bot = agent({ model: script(steps), clock: "fake" });
    const { exit, retries } = await bot.run("go");
    return `${exit.reason} ${exit.code} ${retries}`;
  };
  expect(await ends(fail.overloaded(), fail.overloaded(), fail.overloaded())).toBe(
    "all_retries_exhausted_no_response 75 2",
  );
  expect(await ends(fail.auth())).toBe("request_rejected 77 0");
  expect(await ends(fail.status(400, "no such field"))).toMatch(/^request_rejected 76/u);
  expect(await ends(fail.cut(), say.text("Fine."))).toBe("text_response 0 1");
  expect(await ends(say.cutOff("The first half, "), say.text("and the second."))).toMatch(/^text_response 0/u);
});

test("[C6][C12][X12] a server that falls silent runs into the real watchdog, in no time; what was shown is continued", async () => {
  const model = script([fail.stall("Half of "), say.text("it.")]);
  await using bot = agent({ model, clock: "fake" });
  const result = await bot.run("go");
  expectTurn(result).toExit("text_response").toHaveRetries(1);
  expect(result.answer).toBe("Half of it.");
  expect(result.durationMs).toBeGreaterThanOrEqual(180_000);
});

test("[B2] virtual time reaches the limit of a turn before the end of a longer wait", async () => {
  const model = script([fail.rateLimit({ retryAfter: 20 })]);
  await using bot = agent({ model, clock: "fake", maxTimeMs: 10_000 });
  const result = await bot.run("go");
  expectTurn(result).toExit("time_limit");
  expect(result.durationMs).toBe(10_000);
});

test("[X2] virtual time stands still while a tool works", async () => {
  const slow = tool("slow", async () => {
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setTimeout(resolve, 5));
    return "done";
  });
  await using bot = agent({
    model: script([say.tool("slow", {}), say.text("Fine.")]),
    tools: [slow],
    clock: "fake",
    maxTimeMs: 1_000,
  });
  expect(await bot.run("go")).toMatchObject({ ok: true, durationMs: 0 });
});

test("[X2] a request without a step is thrown, with what was asked", async () => {
  const model = script([say.tool("echo", { text: "once" })]);
  const bot = agent({ model, tools: [echo] });
  await expect(bot.run("go")).rejects.toThrow(
    /^The script has 1 step, and the model was asked 2 times\. .*echo: once/u,
  );
  await expect(bot.close()).rejects.toThrow("The script has 1 step");
});

test("[X2] a step without a request is thrown when the agent is closed", async () => {
  const bot = agent({ model: script([say.text("One."), say.text("Two."), fail.auth()]) });
  expect((await bot.run("go")).ok).toBe(true);
  await expect(bot.close()).rejects.toThrow(
    /^The script was not played to its end: 2 of 3 steps were never asked for\. Next: .*"Two\."/u,
  );
});

test("[X2] an expectation that fails says how the turn ended, and why", async () => {
  await using bot = agent({ model: script([fail.auth()]) });
  const result = await bot.run("go");
  expect(() => expectTurn(result).toExit("text_response")).toThrow(
    /exit reason text_response; it has request_rejected and ended as request_rejected\. .*Incorrect API key/u,
  );
  for (const fails of [
    () => expectTurn(result).toHaveIterations(7),
    () => expectTurn(result).toHaveRetries(7),
    () => expectTurn(result).toHaveRefunds(7),
  ])
    expect(fails).toThrow(expect.objectContaining({ code: "ERR_ASSERTION", expected: 7 }));
});

test("[X2] a stop reaches a scripted model that is silent, and its agent can be closed", async () => {
  await using bot = agent({ model: script([fail.stall("Hm")]) });
  const turn = bot.start("go");
  for await (const event of turn) if (event.type === "text-delta") await turn.interrupt();
  expect((await turn).exit.reason).toBe("interrupted_during_api_call");
});

test("[I3][X2] a run from plain data is held to its script, too", async () => {
  const bot = agent({ model: script([say.text("One.")]) });
  expect((await bot.runSpec({ prompt: "go" })).answer).toBe("One.");
  await expect(bot.runSpec({ prompt: "again" })).rejects.toThrow("The script has 1 step");
  await expect(bot.close()).rejects.toThrow("The script has 1 step");
});
