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
