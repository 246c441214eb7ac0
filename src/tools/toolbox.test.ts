import { expect, test } from "vitest";
import fc from "fast-check";
import type { ToolCallPart } from "../protocol/message.ts";
import type { Tool, ToolContext } from "../protocol/tool.ts";
import { readArguments } from "./arguments.ts";
import { createToolbox } from "./toolbox.ts";

const call = (name: string, input: unknown): ToolCallPart => ({
  type: "tool-call",
  callId: "c1",
  name,
  input: typeof input === "string" ? input : JSON.stringify(input),
});

const context = (signal = new AbortController().signal): ToolContext => ({
  callId: "c1",
  sessionId: "s1",
  signal,
  output: () => {},
});

const echo = (over: Partial<Tool> = {}): Tool => ({
  name: "echo",
  description: "Says it again.",
  parameters: {
    type: "object",
    properties: { text: { type: "string" }, times: { type: "integer", minimum: 1, maximum: 3 } },
    required: ["text"],
    additionalProperties: false,
  },
  effect: "pure",
  concurrency: "shared",
  run: (input) => String(input["text"]).repeat(Number(input["times"] ?? 1)),
  ...over,
});

test("[E1] a tool registers its name, description and schema, and runs with its arguments parsed", async () => {
  const { specs, port } = createToolbox([echo()]);
  expect(specs).toEqual([{ name: "echo", description: "Says it again.", parameters: echo().parameters }]);
  expect(port.inspect(call("echo", { text: "a" }))).toEqual({ claim: { mode: "shared" }, effect: "pure" });
  expect(await port.run(call("echo", { text: "a", times: "3" }), context())).toBe("aaa");
});

test("[E1] two tools of one name and names no provider accepts are refused", () => {
  expect(() => createToolbox([echo(), echo()])).toThrow('Two tools are named "echo"');
  for (const name of ["", "a b", "é", "x".repeat(65)]) {
    expect(() => createToolbox([echo({ name })])).toThrow("cannot be a tool name");
  }
});

test("[E3] what cannot be understood gets the careful claim and a refusal that says what was wrong", async () => {
  const { port } = createToolbox([echo()]);
  const refusal = (name: string, input: unknown): string | undefined => port.inspect(call(name, input)).refuse;
  expect(refusal("nope", {})).toBe('There is no tool named "nope". The tools are: echo.');
  expect(refusal("echo", "[1]")).toBe("echo was not run: the arguments are not a JSON object.");
  expect(refusal("echo", '{"text":')).toContain("not a JSON object");
  expect(refusal("echo", {})).toContain('the argument "text" is missing');
  expect(refusal("echo", { text: {} })).toContain('the argument "text" must be string, not object');
  expect(refusal("echo", { text: "a", times: 4 })).toContain('the argument "times" must be at most 3');
  expect(port.inspect(call("nope", {}))).toMatchObject({ claim: { mode: "exclusive" }, effect: "pure" });
  await expect(port.run(call("nope", {}), context())).rejects.toThrow("There is no tool");
});

test("[SEC-06] an argument the tool does not have cannot carry an approval", () => {
  const { port } = createToolbox([echo({ ask: () => "It is loud." })]);
  expect(port.inspect(call("echo", { text: "a" })).ask).toBe("It is loud.");
  expect(port.inspect(call("echo", { text: "a", force: true })).refuse).toContain('there is no argument "force"');
});

test("[E3] a claim or a question that throws is the careful choice", () => {
  const fail = (): never => {
    throw new Error("broken");
  };
  const { port } = createToolbox([echo({ concurrency: "paths", claim: fail, ask: fail })]);
  const inspection = port.inspect(call("echo", { text: "a" }));
  expect(inspection.claim).toEqual({ mode: "exclusive" });
  expect(inspection.ask).toContain("broken");
});

test("[E10] a call whose question changed between look and run is not run", async () => {
  const world: { ask?: string } = {};
  const { port } = createToolbox([echo({ ask: () => world.ask })]);
  const part = call("echo", { text: "a" });
  port.inspect(part);
  world.ask = "It leaves the folder.";
  await expect(port.run(part, context())).rejects.toThrow("changed after it was looked at");
  expect(await port.run(part, { ...context(), approved: "It leaves the folder." })).toBe("a");
  const elsewhere = createToolbox([echo({ ask: () => world.ask })]).port;
  await expect(elsewhere.run(part, context())).rejects.toThrow("changed after it was looked at");
  await expect(elsewhere.run(part, { ...context(), approved: "It is loud." })).rejects.toThrow("changed after");
});

test("[E5] an interrupt between dispatch and start is not lost", async () => {
  let ran = false;
  const { port } = createToolbox([
    echo({
      run: () => {
        ran = true;
        return "x";
      },
    }),
  ]);
  await expect(port.run(call("echo", { text: "a" }), context(AbortSignal.abort()))).rejects.toThrow("aborted");
  expect(ran).toBe(false);
});

test("[E1] inspecting never throws, whatever a model sends", () => {
  const { port } = createToolbox([echo()]);
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), fc.constant('{"__proto__":{"text":1}}')), (input) => {
      const inspection = port.inspect(call("echo", input));
      expect(inspection.effect).toBe("pure");
    }),
  );
});

test("[E1] an argument named __proto__ stays data", () => {
  const result = readArguments('{"__proto__":{"text":"x"}}', { type: "object", properties: {} });
  expect(result.type).toBe("ok");
  expect(Object.getPrototypeOf(result.type === "ok" ? result.input : undefined)).toBe(Object.prototype);
});
