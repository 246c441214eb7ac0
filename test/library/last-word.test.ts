import { expect, test } from "vitest";
import { failureOfStatus } from "../../src/model/failure/refusal.ts";
import { bench, tool } from "../support/agent-in-folder.ts";
import { callTools, refuse, say, type Step } from "../support/wire-script.ts";

const look = (): Step => callTools([{ id: `l${counter++}`, name: "look", arguments: {} }]);
let counter = 0;
const NEW = { newHead: true } as const;
const again = { ...look(), ...NEW };

test("[B4] a server that cannot be told not to call is asked for its last word without tools, for the rest of the session", async () => {
  const no = refuse(400, { error: { message: "Unknown parameter: 'tool_choice'." } });
  await using on = await bench(look(), no, say("One.", NEW), again, say("Two.", NEW));
  const bot = on.agent({ maxIterations: 1, tools: [tool("look", () => "x")] });
  const first = await bot.run("go", { sessionId: "s" });
  expect(first).toMatchObject({ answer: "One.", exit: { reason: "max_iterations_reached", code: 20 } });
  expect((await bot.run("more", { sessionId: "s" })).answer).toBe("Two.");
  const sentTools = on.provider.requests.map(({ body }) => [body.tools?.length ?? 0, body["tool_choice"]]);
  expect(sentTools).toEqual([
    [1, undefined],
    [1, "none"],
    [0, undefined],
    [1, undefined],
    [0, undefined],
  ]);
});

test.each([
  ["Unsupported parameter: tool_choice", true],
  ["tool_choice is not supported with this model", true],
  ["Extra inputs are not permitted: tool_choice", true],
  ["Unrecognized request argument supplied: tool_choice", true],
  ["Invalid value for 'tool_choice'", true],
  ["This model does not support tools", false],
  ["Unsupported parameter: temperature", false],
])("[B4] %s: that calls cannot be forbidden there is %s", (message, refuses) => {
  const body = JSON.stringify({ error: { message } });
  const failure = failureOfStatus({ status: 400, headers: {}, body, where: "h:1", nowMs: 0 });
  expect(failure.refusesToolChoice === true).toBe(refuses);
});

test("[LOOP-05] [C9] where nothing is said of work that was done, the work is told, in the user's language", async () => {
  const nothing = Array.from({ length: 5 }, () => say(""));
  const work = callTools([
    { id: "a", name: "read", arguments: {} },
    { id: "b", name: "read", arguments: { path: "b" } },
    { id: "c", name: "write", arguments: {} },
  ]);
  const tools = [tool("read", () => "x"), tool("write", () => Promise.reject(new Error("disk full")))];
  const told = {
    en: "The model answered with nothing, several times. Before that these ran: read 2 times, write 1 time (1 failed); what they did stands.",
    zh: "模型多次返回空的回复。在此之前运行了：read 2 次，write 1 次（1 次失败）；其结果仍然有效。",
  };
  for (const language of ["en", "zh"] as const) {
    await using on = await bench(work, ...nothing);
    const result = await on.agent({ tools, language }).run("go");
    expect(result).toMatchObject({ answer: null, ok: false, shown: told[language] });
    expect(result.exit).toMatchObject({ reason: "empty_response_exhausted", explain: told[language] });
  }
});
