import { expect, test } from "vitest";
import { anthropicMessages } from "../../src/model/anthropic_messages/index.ts";
import type { TransportOptions } from "../../src/model/transport.ts";
import { type Message, userText } from "../../src/protocol/message.ts";
import type { ModelReply } from "../../src/protocol/ports.ts";
import { connect, type WireClient } from "../support/wire-client.ts";
import { anthropicWire } from "./anthropic-wire.ts";
import { calls, raw, refuses, replies, type ReplyAct, says, thinks } from "./script.ts";
import { fakeDialect } from "./wire.ts";

const MODEL = "claude-opus-4-6";

const anthropic = (baseUrl: string, options: Partial<TransportOptions> = {}): WireClient =>
  connect(baseUrl, { dialect: anthropicMessages, provider: "anthropic", ...options });

const FULL: ReplyAct = replies(
  [
    thinks(["Let me ", "think."]),
    { type: "text", text: ["Grüße ", "𝄞!"] },
    calls("ls", { path: "a" }),
    { type: "reasoning", text: "secret", hidden: true },
    calls("ls", { path: "b" }),
  ],
  { usage: { input: 100, output: 30, cacheRead: 60, cacheWrite: 20, cacheWriteHour: 5 } },
);

function messageOf(reply: ModelReply): Extract<ModelReply, { type: "message" }> {
  if (reply.type !== "message") throw new Error(JSON.stringify(reply));
  return reply;
}

test("[C2] a reply keeps the order of its thoughts, texts and calls, however its bytes are cut, and goes back as it came", async () => {
  const framings = [{}, { lineEnd: "\r\n" }, { lineEnd: "\r", bom: true, comments: true }, { bytes: 1 }] as const;
  const acts: ReplyAct[] = [
    ...framings.map((framing) => ({ ...FULL, framing })),
    { ...FULL, whole: true },
    { ...FULL, strange: true },
    { ...FULL, interleaved: true },
    says("done"),
  ];
  await using server = await fakeDialect(anthropicWire, acts);
  using client = anthropic(server.baseUrl);
  const heard = [];
  for (const _ of acts.slice(1)) heard.push(await client.call({ model: MODEL }));
  const [first] = heard.map(({ reply }) => messageOf(reply));
  expect(first?.message.parts.map(({ type }) => type)).toEqual([
    "reasoning",
    "text",
    "tool-call",
    "reasoning",
    "tool-call",
  ]);
  expect(first).toMatchObject({
    finish: "tool_calls",
    usage: { input: 100, output: 30, cacheRead: 60, cacheWrite: 20, cacheWrite1h: 5, reasoning: 0 },
  });
  for (const { reply, text, reasoning } of heard) {
    expect(messageOf(reply)).toEqual(first);
    expect([text, reasoning]).toEqual(["Grüße 𝄞!", "Let me think."]);
  }
  const message = first?.message ?? userText("no reply");
  const receipts = message.parts.flatMap((part): Message[] =>
    part.type === "tool-call" ? [{ role: "tool", callId: part.callId, status: "ok", parts: [] }] : [],
  );
  const history = [userText("hello"), message, ...receipts];
  expect((await client.call({ model: MODEL, history })).text).toBe("done");
  const body = server.requests.at(-1)?.body["messages"] as { content: { type: string }[] }[];
  expect(body[1]?.content.map(({ type }) => type)).toEqual([
    "thinking",
    "text",
    "tool_use",
    "redacted_thinking",
    "tool_use",
  ]);
});

test("[C4] why a reply ended is read by table; a word that is not in it is an end", async () => {
  const words = [
    "end_turn",
    "stop_sequence",
    "pause_turn",
    "max_tokens",
    "model_context_window_exceeded",
    "refusal",
    "new",
  ];
  await using server = await fakeDialect(
    anthropicWire,
    words.map((word) => says("so far", { finish: { word } })),
  );
  using client = anthropic(server.baseUrl);
  const ends = [];
  const unknown = [];
  for (const _ of words) {
    const { reply } = await client.call({ model: MODEL });
    if (reply.type === "message") unknown.push(reply.unknownFinish);
    ends.push(reply.type === "failure" ? reply.failure.reason : reply.type === "message" ? reply.finish : reply.type);
  }
  expect(ends).toEqual(["stop", "stop", "stop", "cut", "cut", "content_policy_blocked", "stop"]);
  expect(unknown).toEqual([undefined, undefined, undefined, "new"]);
});

test("[C4] a refusal says why, where the API does", async () => {
  const stop = { stop_reason: "refusal", stop_details: { type: "refusal", category: "bio", explanation: "No germs." } };
  const whole = {
    type: "message",
    role: "assistant",
    content: [],
    usage: { input_tokens: 3, output_tokens: 1 },
    ...stop,
  };
  await using server = await fakeDialect(anthropicWire, [
    raw({ headers: { "content-type": "application/json" }, frames: [JSON.stringify(whole)] }),
  ]);
  using client = anthropic(server.baseUrl);
  expect((await client.call({ model: MODEL })).reply).toMatchObject({
    type: "failure",
    failure: { reason: "content_policy_blocked", message: "The model refused: No germs.", retryable: false },
    usage: { input: 3, output: 1 },
  });
});

test("[COST-01] [C16] counts that grow while a reply comes are not added up: the last of each is what it cost", async () => {
  const frame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
  const known = { input_tokens: 27, cache_read_input_tokens: 1_000 };
  const usages = [{ ...known, output_tokens: 20 }, { output_tokens: 47 }];
  const frames = [
    frame({
      type: "message_start",
      message: { role: "assistant", content: [], usage: { ...known, output_tokens: 1 } },
    }),
    frame({ type: "content_block_start", index: 0, content_block: { type: "text", text: "Yes." } }),
    frame({ type: "content_block_stop", index: 0 }),
    ...usages.map((usage) => frame({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage })),
    frame({ type: "message_stop" }),
  ];
  await using server = await fakeDialect(anthropicWire, [raw({ frames })]);
  using client = anthropic(server.baseUrl);
  const { usage } = messageOf((await client.call({ model: MODEL })).reply);
  expect(usage).toMatchObject({ input: 1_027, cacheRead: 1_000, output: 47 });
});

test("[C11] careless servers: two calls under one index, a call without an id, a whole input at the start", async () => {
  const frame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
  const start = (index: number, block: object): string =>
    frame({ type: "content_block_start", index, content_block: block });
  const use = { type: "tool_use", id: "t", name: "ls", input: { path: "z" } };
  const end = [frame({ type: "message_delta", delta: { stop_reason: "tool_use" } }), frame({ type: "message_stop" })];
  await using server = await fakeDialect(anthropicWire, [
    replies([calls("ls", { path: "a" }), calls("ls", { path: "b" }, { sameIndex: true })]),
    replies([calls("ls", { path: "c" }, { id: null })]),
    raw({ frames: [start(0, use), frame({ type: "content_block_stop", index: 0 }), ...end] }),
  ]);
  using client = anthropic(server.baseUrl);
  const inputs = [];
  for (let n = 0; n < 3; n++) {
    const { message } = messageOf((await client.call({ model: MODEL })).reply);
    inputs.push(message.parts.map((part) => (part.type === "tool-call" ? part.input : "")));
  }
  expect(inputs).toEqual([['{"path":"a"}', '{"path":"b"}'], ['{"path":"c"}'], ['{"path":"z"}']]);
});

test("[C10] [C12] what breaks a reply off is a failure with what came, and nothing that a ping brings is a reply", async () => {
  const half = ["half", " an answer"];
  await using server = await fakeDialect(anthropicWire, [
    says(half, { broken: { after: 1, by: "overloaded" } }),
    says(half, { broken: { after: 1, by: "cut" } }),
    raw({ frames: ['event: ping\ndata: {"type":"ping"}\n\n'] }),
    says("ok", { usage: null }),
  ]);
  using client = anthropic(server.baseUrl);
  const next = async (): Promise<ModelReply> => (await client.call({ model: MODEL })).reply;
  expect(await next()).toMatchObject({ failure: { reason: "overloaded", retryable: true }, partial: { text: "half" } });
  expect(await next()).toMatchObject({ failure: { reason: "timeout" }, partial: { text: "half" } });
  expect(await next()).toMatchObject({ type: "failure", failure: { reason: "server_error" } });
  expect(await next()).toEqual({
    type: "message",
    message: { role: "assistant", parts: [{ type: "text", text: "ok" }] },
    finish: "stop",
  });
});

test("[C6] refusals of the API are told apart", async () => {
  const troubles = ["bad_key", "billing", "not_found", "context_too_long", "rate_limit", "overloaded"] as const;
  await using server = await fakeDialect(
    anthropicWire,
    troubles.map((trouble) => refuses(trouble)),
  );
  using client = anthropic(server.baseUrl);
  const reasons = [];
  for (const _ of troubles) {
    const { reply } = await client.call({ model: MODEL });
    reasons.push(reply.type === "failure" && reply.failure.reason);
  }
  expect(reasons).toEqual(["auth", "billing", "model_not_found", "context_overflow", "rate_limit", "overloaded"]);
});

test("[C1] a key has its own header, a token of a sign-in bears itself, and the base URL may end in the version", async () => {
  await using server = await fakeDialect(anthropicWire, [says("a"), says("b")]);
  using key = anthropic(server.baseUrl, { apiKey: "sk-ant-api03-k" });
  using token = anthropic(`${server.baseUrl}/v1/`, { apiKey: "sk-ant-oat01-t" });
  for (const client of [key, token]) await client.call({ model: MODEL });
  const [first, second] = server.requests.map(({ headers }) => headers);
  expect(first).toMatchObject({ "x-api-key": "sk-ant-api03-k", "anthropic-version": "2023-06-01" });
  expect(first).not.toHaveProperty("authorization");
  expect(second).toMatchObject({
    authorization: "Bearer sk-ant-oat01-t",
    "anthropic-beta": expect.stringContaining("oauth-2025-04-20") as string,
  });
  expect(second).not.toHaveProperty("x-api-key");
});
