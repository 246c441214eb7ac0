import { expect, test } from "vitest";
import { codexResponses } from "../../src/model/codex_responses/index.ts";
import type { TransportOptions } from "../../src/model/transport.ts";
import { type AssistantMessage, assistantText, type Message, userText } from "../../src/protocol/message.ts";
import type { ModelReply } from "../../src/protocol/ports.ts";
import { connect, type Heard, type WireClient } from "../support/wire-client.ts";
import { responsesWire } from "./responses-wire.ts";
import { calls, raw, refuses, replies, type ReplyAct, says, thinks } from "./script.ts";
import { type DialectServer, fakeDialect, sseFrame } from "./wire.ts";

const MODEL = "gpt-5.4";

const responses = (baseUrl: string, options: Partial<TransportOptions> = {}): WireClient =>
  connect(baseUrl, { dialect: codexResponses, provider: "openai", ...options });

const FULL: ReplyAct = replies(
  [
    thinks(["Let me ", "think."]),
    { type: "text", text: ["Grüße ", "𝄞!"] },
    calls("ls", { path: "a" }),
    { type: "reasoning", text: "secret", hidden: true },
    calls("ls", { path: "b" }),
  ],
  { usage: { input: 100, output: 30, cacheRead: 60, cacheWrite: 20, reasoning: 10 } },
);

function messageOf({ reply }: Heard): Extract<ModelReply, { type: "message" }> {
  if (reply.type !== "message") throw new Error(JSON.stringify(reply));
  return reply;
}

const receiptsOf = (message: AssistantMessage): Message[] =>
  message.parts.flatMap((part): Message[] =>
    part.type === "tool-call" ? [{ role: "tool", callId: part.callId, status: "ok", parts: [] }] : [],
  );

const inputOf = (server: DialectServer): Readonly<Record<string, unknown>>[] =>
  server.requests.at(-1)?.body["input"] as Readonly<Record<string, unknown>>[];

test("[C2] a reply keeps the order of its thoughts, texts and calls, however its bytes are cut, and goes back as it came", async () => {
  const framings = [{}, { lineEnd: "\r\n" }, { lineEnd: "\r", bom: true, comments: true }, { bytes: 1 }] as const;
  const acts: ReplyAct[] = [
    ...framings.map((framing) => ({ ...FULL, framing })),
    { ...FULL, whole: true },
    { ...FULL, strange: true },
    { ...FULL, interleaved: true },
    says("done"),
  ];
  await using server = await fakeDialect(responsesWire, acts);
  using client = responses(server.baseUrl);
  const heard: Heard[] = [];
  for (const _ of acts.slice(1)) heard.push(await client.call({ model: MODEL }));
  const { message, ...first } = messageOf(heard[0] ?? (await client.call()));
  expect(message.parts.map(({ type }) => type)).toEqual(["reasoning", "text", "tool-call", "reasoning", "tool-call"]);
  expect(first).toMatchObject({
    finish: "tool_calls",
    usage: { input: 100, output: 30, cacheRead: 60, cacheWrite: 20, reasoning: 10 },
  });
  for (const one of heard) {
    expect(messageOf(one)).toEqual({ ...first, message });
    expect([one.text, one.reasoning]).toEqual(["Grüße 𝄞!", "Let me think."]);
  }
  const history = [userText("hello"), message, ...receiptsOf(message)];
  expect((await client.call({ model: MODEL, history })).text).toBe("done");
  expect(inputOf(server).map(({ type, role }) => type ?? role)).toEqual([
    "user",
    "reasoning",
    "assistant",
    "function_call",
    "reasoning",
    "function_call",
    "function_call_output",
    "function_call_output",
  ]);
});

test("[C2] reasoning goes to the provider and the model that made it, and to nobody else", async () => {
  await using server = await fakeDialect(responsesWire, [
    FULL,
    says("a"),
    says("b", { newHead: true }),
    says("c", { newHead: true }),
  ]);
  using client = responses(server.baseUrl);
  const { message } = messageOf(await client.call({ model: MODEL }));
  const history = [userText("hello"), message, ...receiptsOf(message)];
  const sent = async (asked: WireClient, model: string): Promise<unknown[]> => {
    await asked.call({ model, history });
    return inputOf(server).map(({ type, role, id }) => [type ?? role, id]);
  };
  const bare = [
    ["user", undefined],
    ["assistant", undefined],
    ["function_call", undefined],
    ["function_call", undefined],
    ["function_call_output", undefined],
    ["function_call_output", undefined],
  ];
  expect(await sent(client, MODEL)).toContainEqual(["reasoning", undefined]);
  expect(await sent(client, "gpt-5.1")).toEqual(bare);
  using elsewhere = responses(server.baseUrl, { provider: "azure" });
  expect(await sent(elsewhere, MODEL)).toEqual(bare);
});

test("[C4] why a response ended is read by table; what is not in it is a limit", async () => {
  const words = ["completed", "max_output_tokens", "content_filter", "something_new", "failed", "cancelled"];
  await using server = await fakeDialect(
    responsesWire,
    words.flatMap((word) => [says("so far", { finish: { word } }), says("so far", { finish: { word }, whole: true })]),
  );
  using client = responses(server.baseUrl);
  const ends = [];
  for (const _ of words.flatMap((word) => [word, word])) {
    const { reply } = await client.call({ model: MODEL });
    ends.push(reply.type === "failure" ? reply.failure.reason : reply.type === "message" ? reply.finish : reply.type);
  }
  expect(ends).toEqual(
    ["stop", "cut", "content_policy_blocked", "cut", "server_error", "server_error"].flatMap((end) => [end, end]),
  );
});

test("[C4] a refusal is the model's, whether it comes in pieces or whole", async () => {
  await using server = await fakeDialect(responsesWire, [
    says("I will not.", { finish: "refusal" }),
    says("I will not.", { finish: "refusal", whole: true }),
  ]);
  using client = responses(server.baseUrl);
  for (const _ of [1, 2]) {
    const { reply } = await client.call({ model: MODEL });
    expect(reply).toMatchObject({
      type: "failure",
      failure: { reason: "content_policy_blocked", message: "The model refused: I will not." },
    });
  }
});

test("[C8] a limit in the middle of a call runs no call, and counts what was spent", async () => {
  await using server = await fakeDialect(responsesWire, [
    replies([{ type: "text", text: "Wait." }, calls("ls", ['{"path":', '"a'])], {
      finish: "length",
      usage: { input: 3, output: 2 },
    }),
  ]);
  using client = responses(server.baseUrl);
  expect((await client.call({ model: MODEL })).reply).toMatchObject({
    type: "cut",
    partial: { text: "Wait.", droppedTools: ["ls"] },
    usage: { input: 3, output: 2 },
  });
});

test("[C11] careless servers: no call id, arguments that come whole, all in the last event", async () => {
  const item = { type: "function_call", id: "fc_1", name: "ls", arguments: '{"path":"a"}', status: "completed" };
  const frame = (data: Readonly<Record<string, unknown>>): Buffer => sseFrame({ data }, {});
  const ended = (output: readonly unknown[]): Buffer =>
    frame({ type: "response.completed", response: { status: "completed", output } });
  await using server = await fakeDialect(responsesWire, [
    replies([calls("ls", { path: "a" }, { id: null })]),
    raw({ frames: [frame({ type: "response.output_item.done", output_index: 0, item }), ended([item])] }),
    raw({ frames: [ended([{ ...item, call_id: "call_1" }])] }),
    raw({ frames: [ended([{ ...item, status: "in_progress", arguments: "" }, SAID])] }),
    raw({
      frames: [
        frame({ type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } }),
        frame({ type: "response.function_call_arguments.delta", output_index: 0, delta: '{"path"' }),
        frame({ type: "response.function_call_arguments.done", output_index: 0, arguments: '{"path":"a"}' }),
        ended([]),
      ],
    }),
  ]);
  using client = responses(server.baseUrl);
  const called = [];
  for (let n = 0; n < 5; n++) {
    const { parts } = messageOf(await client.call({ model: MODEL })).message;
    called.push(parts.map((part) => (part.type === "tool-call" ? [part.callId, part.input] : part.text)));
  }
  const input = '{"path":"a"}';
  expect(called).toEqual([
    [["fc_fake0", input]],
    [["fc_1", input]],
    [["call_1", input]],
    ["Hello."],
    [["fc_1", input]],
  ]);
});

const SAID = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello." }] };

test("[C2] a reply in one piece says its text beside an empty output, or is still being made", async () => {
  const json = (body: Readonly<Record<string, unknown>>): ReturnType<typeof raw> =>
    raw({ headers: { "content-type": "application/json" }, frames: [JSON.stringify(body)] });
  await using server = await fakeDialect(responsesWire, [
    json({ object: "response", status: "completed", output: [], output_text: "Hello." }),
    json({ object: "response", status: "failed", output: [], error: { code: "server_error", message: "Broke." } }),
    json({ object: "response", status: "cancelled", output: [], error: null }),
    json({ object: "response", status: "completed", output: [] }),
  ]);
  using client = responses(server.baseUrl);
  const call = async (): Promise<ModelReply> => (await client.call({ model: MODEL })).reply;
  expect(await call()).toMatchObject({ type: "message", message: assistantText("Hello.") });
  expect(await call()).toMatchObject({
    failure: { reason: "server_error", message: expect.stringContaining("Broke.") },
  });
  expect(await call()).toMatchObject({ failure: { reason: "server_error", message: /cancelled its reply/ } });
  expect(await call()).toEqual({ type: "empty" });
});

test("[C4] what was only said on the way to an answer is gone on with", async () => {
  const said = (phase: string): unknown => ({ ...SAID, id: "msg_1", phase });
  const whole = (...output: unknown[]): ReturnType<typeof raw> =>
    raw({
      frames: [sseFrame({ data: { type: "response.completed", response: { status: "completed", output } } }, {})],
    });
  await using server = await fakeDialect(responsesWire, [
    whole(said("commentary")),
    whole(said("commentary"), said("final_answer")),
    says("done"),
  ]);
  using client = responses(server.baseUrl);
  expect((await client.call({ model: MODEL })).reply).toMatchObject({ type: "cut", partial: { text: "Hello." } });
  const { message, finish } = messageOf(await client.call({ model: MODEL }));
  expect(finish).toBe("stop");
  await client.call({ model: MODEL, history: [userText("hello"), message, userText("go on")] });
  expect(inputOf(server).map(({ phase }) => phase)).toEqual([undefined, "commentary", "final_answer", undefined]);
});

test("[C6] a response that fails on the way says why in this API's words", async () => {
  const troubles = ["server_error", "overloaded", "rate_limit", "context_too_long", "billing"] as const;
  await using server = await fakeDialect(responsesWire, [
    ...troubles.map((by) => says(["so ", "far"], { broken: { after: 1, by } })),
    ...troubles.map((trouble) => refuses(trouble)),
  ]);
  using client = responses(server.baseUrl);
  const reasons = [];
  for (const _ of [...troubles, ...troubles]) {
    const { reply } = await client.call({ model: MODEL });
    reasons.push(reply.type === "failure" ? reply.failure.reason : reply.type);
  }
  const expected = ["server_error", "overloaded", "rate_limit", "context_overflow", "billing"];
  expect(reasons).toEqual([...expected, ...expected]);
});

test("[C10] a reply that is cut keeps what was shown", async () => {
  await using server = await fakeDialect(responsesWire, [says(["so ", "far"], { broken: { after: 1, by: "cut" } })]);
  using client = responses(server.baseUrl);
  expect((await client.call({ model: MODEL })).reply).toMatchObject({ type: "failure", partial: { text: "so " } });
});

test("[C14] a conversation keeps its head, and its key of the cache", async () => {
  await using server = await fakeDialect(responsesWire, [says("a"), says("b"), says("c")]);
  using client = responses(server.baseUrl);
  const history: Message[] = [userText("one")];
  for (const next of ["two", "three"]) {
    const { message } = messageOf(await client.call({ model: MODEL, history: [...history] }));
    history.push(message, userText(next));
  }
  await client.call({ model: MODEL, history, noTools: true, maxOutput: 7 });
  const bodies = server.requests.map(({ body }) => body);
  expect(new Set(bodies.map(({ prompt_cache_key: key }) => key)).size).toBe(1);
  expect(JSON.stringify(bodies[0]?.["prompt_cache_key"])).not.toContain("0a1b");
  expect(bodies[2]).toMatchObject({ tool_choice: "none", max_output_tokens: 16, store: false });
});

test("[C18] an account that may not have a stream is answered in one piece", async () => {
  const error = { code: "unsupported_value", message: "Your organization must be verified to stream this model." };
  await using server = await fakeDialect(responsesWire, [
    raw({ status: 400, headers: { "content-type": "application/json" }, frames: [JSON.stringify({ error })] }),
    says("done", { newHead: true }),
  ]);
  using client = responses(server.baseUrl);
  expect((await client.call({ model: MODEL })).reply).toMatchObject({ failure: { refusesStreaming: true } });
  expect((await client.call({ model: MODEL, streaming: false })).text).toBe("done");
  expect(server.requests.map(({ body }) => body["stream"])).toEqual([true, false]);
});
