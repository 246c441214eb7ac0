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
  history: [],
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
  expect(port.inspect(call("echo", { text: "a" }))).toEqual({
    claim: { mode: "shared" },
    effect: "pure",
    signature: expect.any(String),
  });
  expect(await port.run(call("echo", { text: "a", times: "3" }), context())).toMatchObject({ text: "aaa" });
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
  expect(refusal("echo", "[1]")).toContain("echo was not run: the arguments are not a JSON object");
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

test("[E3] a tool is ready before it is looked at and before it runs; one that cannot get ready asks a person", async () => {
  let loaded: string | undefined;
  const late = echo({
    ready: () => Promise.resolve().then(() => void (loaded = "It is loud.")),
    ask: () => {
      if (loaded === undefined) throw new Error("not loaded");
      return loaded;
    },
  });
  const { port } = createToolbox([late]);
  expect(port.inspect(call("echo", { text: "a" })).ask).toContain("not loaded");
  await port.ready?.();
  expect(port.inspect(call("echo", { text: "a" })).ask).toBe("It is loud.");

  loaded = undefined;
  const { port: resumed } = createToolbox([late]);
  const approved = { ...context(), approved: "It is loud." };
  expect(await resumed.run(call("echo", { text: "a" }), approved)).toMatchObject({ text: "a" });

  loaded = undefined;
  const broken = createToolbox([{ ...late, ready: () => Promise.reject(new Error("no file")) }]).port;
  await broken.ready?.();
  expect(broken.inspect(call("echo", { text: "a" })).ask).toContain("not loaded");
  await expect(broken.run(call("echo", { text: "a" }), approved)).rejects.toThrow("no file");
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
  expect(await port.run(part, { ...context(), approved: "It leaves the folder." })).toMatchObject({ text: "a" });
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

test.each([
  ["objects", `{"path":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}`],
  ["lists", `{"path":"a","more":${"[".repeat(200)}${"]".repeat(200)}}`],
  ["what was repaired", `{"path":"a\n","more":${"[".repeat(200)}${"]".repeat(200)}}`],
])("[C11] arguments that nest too deeply are refused, and can be told: %s", (_, input) => {
  const { port } = createToolbox([echo({ parameters: { type: "object" } })]);
  const { refuse = "" } = port.inspect(call("echo", input));
  expect(refuse).toMatch(/^echo was not run: the arguments nest too deeply/);
});

test("[C11] a refusal does not give back all of what was written", () => {
  const { port } = createToolbox([echo()]);
  const { refuse = "" } = port.inspect(call("echo", `{"${"k".repeat(100_000)}":1}`));
  expect(refuse.length).toBeLessThan(1_100);
});

test("[E1] a judge that throws does not take the result of a call away", async () => {
  const judge = (): never => {
    throw new Error("no judge");
  };
  const { port } = createToolbox([echo({ judge })]);
  const asked = call("echo", { text: "done" });
  port.inspect(asked);
  expect(await port.run(asked, context())).toMatchObject({ text: "done" });
});

test("[A4] what a tool throws is text every provider takes", async () => {
  const run = (): never => {
    throw new Error("bad \uD800 \0");
  };
  const { port } = createToolbox([echo({ run })]);
  const asked = call("echo", { text: "x" });
  port.inspect(asked);
  await expect(port.run(asked, context())).rejects.toThrow("bad \uFFFD \uFFFD");
});

test("[E3] of a claim only what a claim is counts", () => {
  const claim = (): never => ({ mode: "paths", reads: ["/a"], writes: [], toJSON: () => "x" }) as never;
  const { port } = createToolbox([echo({ concurrency: "paths", claim })]);
  expect(port.inspect(call("echo", { text: "x" })).claim).toStrictEqual({ mode: "paths", reads: ["/a"], writes: [] });
});

test("[E1] an argument named __proto__ stays data", () => {
  const result = readArguments('{"__proto__":{"text":"x"}}', { type: "object", properties: {} });
  expect(result.type).toBe("ok");
  expect(Object.getPrototypeOf(result.type === "ok" ? result.input : undefined)).toBe(Object.prototype);
});

test("[C11] what is surely meant is run and the receipt says how it was read; the question and the record name the tool", async () => {
  const { port } = createToolbox([echo({ effect: "effect", ask: () => "It is loud." })]);
  const part = call("functions.Echo", '{"text":"a",}');
  const inspection = port.inspect(part);
  expect(inspection).toMatchObject({ name: "echo", effect: "effect" });
  expect(inspection.ask).toMatch(
    /^It is loud\. "functions\.Echo" was read as echo\. Its arguments were not valid JSON/,
  );
  const { text } = await port.run(part, { ...context(), approved: inspection.ask ?? "" });
  expect(text).toMatch(/^a\n\n\["functions\.Echo" was read as echo\. Its arguments .*\{"text":"a"\}\.\]$/);
  expect(part).toEqual(call("functions.Echo", '{"text":"a",}'));
});

test("[C11] a guess is only run where it changes nothing", async () => {
  const tools = [echo({ name: "show_file" }), echo({ name: "drop_table", effect: "effect" })];
  const { port } = createToolbox(tools);
  expect(port.inspect(call("shwo_file", { text: "a" }))).toMatchObject({ name: "show_file" });
  expect(port.inspect(call("drop_tabel", { text: "a" })).refuse).toBe(
    'There is no tool named "drop_tabel". Did you mean drop_table? The tools are: drop_table, show_file.',
  );
});

test("[C11] [ARG-04] arguments that may have been cut off are completed only where nothing is changed", async () => {
  const cut = '{"text":"a"';
  const { text } = await createToolbox([echo()]).port.run(call("echo", cut), context());
  expect(text).toMatch(/^a\n\n\[Its arguments/);
  const refused = createToolbox([echo({ effect: "idempotent" })]).port.inspect(call("echo", cut)).refuse;
  expect(refused).toContain('stop in the middle: {"text":"a"; expected is');
});

test("[C11] an error of a repaired call says how the call was read, too", async () => {
  const fail = (): never => {
    throw new Error("no such text");
  };
  const { port } = createToolbox([echo({ run: fail })]);
  await expect(port.run(call("Echo", { text: "a" }), context())).rejects.toThrow(
    'no such text\n\n["Echo" was read as echo.]',
  );
});

test("[E3] the items of a list are read as the schema wants them", () => {
  const schema = { type: "object", properties: { tags: { type: "array", items: { type: "integer" } } } };
  expect(readArguments('{"tags":["1",2]}', schema)).toEqual({ type: "ok", input: { tags: [1, 2] } });
  expect(readArguments('{"tags":[1,"x"]}', schema)).toMatchObject({
    type: "bad",
    why: 'item 2 of the argument "tags" must be integer, not string',
  });
  expect(readArguments('{"arguments":{"tags":["3"]}}', schema)).toEqual({ type: "ok", input: { tags: [3] } });
});

test("[E1] lengths are held to; what lies deeper in an argument is read as its schema says, and left to the tool where it cannot be", () => {
  const items = {
    type: "array",
    maxItems: 2,
    items: {
      type: "object",
      properties: {
        at: { type: "integer" },
        done: { type: "boolean" },
        to: { type: "array", items: { type: "number" } },
      },
    },
  };
  const schema = { type: "object", properties: { items, name: { type: "string", minLength: 2, maxLength: 3 } } };
  const read = (input: unknown) => readArguments(JSON.stringify(input), schema);
  expect(read({ items: [{ at: "5", done: "yes", to: ["1", 2] }, '{"at":"x","more":"1"}'], name: "ab" })).toEqual({
    type: "ok",
    input: {
      items: [
        { at: 5, done: true, to: [1, 2] },
        { at: "x", more: "1" },
      ],
      name: "ab",
    },
  });
  expect(read({ name: "a" })).toEqual({ type: "bad", why: 'the argument "name" must have at least 2 characters' });
  expect(read({ name: "👍👍👍" })).toMatchObject({ type: "ok" });
  expect(read({ name: "abcd" })).toMatchObject({ why: 'the argument "name" must have at most 3 characters' });
  expect(read({ items: [{}, {}, {}] })).toMatchObject({ why: 'the argument "items" must have at most 2 items' });
  expect(readArguments('{"items":[{"__proto__":{"at":"1"},"at":"1"}]}', schema)).toMatchObject({ type: "ok" });
});

test.each([
  ["", "(echo completed with no output)"],
  [" \n", "(echo completed with no output)"],
  [undefined, "(echo completed with no output)"],
  [null, "(echo completed with no output)"],
  [[], "(echo completed with no output)"],
  [[{ type: "text", text: "" }], "(echo completed with no output)"],
  [
    [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ],
    "a\nb",
  ],
  [{ a: 1 }, '{"a":1}'],
  [0, "0"],
])("[E1] a tool that returns %j tells the model %j", async (result, text) => {
  const { port } = createToolbox([echo({ run: () => result })]);
  expect(await port.run(call("echo", { text: "a" }), context())).toMatchObject({ text });
});

test("[E7] the same call has the same signature, however it is written; its values are not in it", () => {
  const { port } = createToolbox([echo({ cosmetic: ["label"], parameters: { type: "object" } })]);
  const signature = (input: unknown): string | undefined => port.inspect(call("echo", input)).signature;
  const first = signature({ text: "secret", n: { a: 1, b: [2] } });
  expect(first).toMatch(/^[\w-]{43}$/u);
  expect(signature('{ "n": {"b":[2],"a":1},\n"text":"secret" }')).toBe(first);
  expect(signature({ text: "secret", n: { a: 1, b: [2] }, label: "step 2" })).toBe(first);
  expect(signature({ text: "Secret", n: { a: 1, b: [2] } })).not.toBe(first);
  expect(signature("[1]")).toBe(signature(" [1] "));
  const deep = 50_000;
  expect(signature(`{"a":${"[".repeat(deep)}${"]".repeat(deep)}}`)).toMatch(/^[\w-]{43}$/u);
});

test("[E7] a result tells by itself that it failed, or by the tool that made it", async () => {
  const run = (text: string, more: Partial<Tool> = {}): Promise<unknown> =>
    createToolbox([echo(more)]).port.run(call("echo", { text }), context());
  expect(await run('{"error":"boom"}')).toMatchObject({ failed: true });
  for (const text of ["Error: in a log", '{"error":null}', '["error"]', '{"errors":["a"]}'])
    expect(await run(text)).not.toHaveProperty("failed");
  const judge = (text: string): { failed: boolean; substance: string } => ({
    failed: true,
    substance: text.slice(0, 1),
  });
  expect(await run("a1", { judge })).toEqual({ ...((await run("a2", { judge })) as object), text: "a1" });
});

test("[G4] a result and an error of any length become a receipt of bounded length that says what is missing", async () => {
  const long = `first${"x".repeat(5_000_000)}last`;
  const { port } = createToolbox([echo(), echo({ name: "fails", run: () => Promise.reject(new Error(long)) })]);
  const texts = [
    (await port.run(call("echo", { text: long }), context())).text,
    await port.run(call("fails", { text: "x" }), context()).then(String, (error: Error) => error.message),
  ];
  for (const text of texts) {
    expect(text.length).toBeLessThan(110_000);
    expect(text).toMatch(/^first.*\n\[… 4900009 characters left out …\]\n.*last$/su);
  }
  const whole = "x".repeat(110_000);
  expect((await port.run(call("echo", { text: whole }), context())).text).toBe(whole);
});
