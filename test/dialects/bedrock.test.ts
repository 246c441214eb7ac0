import { BedrockRuntimeClient, ConverseCommand } from "@aws-sdk/client-bedrock-runtime";
import { expect, test } from "vitest";
import { bedrockConverse } from "../../src/model/bedrock_converse/index.ts";
import { openEndpoint } from "../../src/model/endpoint.ts";
import { listModels } from "../../src/model/models.ts";
import { signedHeaders } from "../../src/model/bedrock_converse/sign.ts";
import type { TransportOptions } from "../../src/model/transport.ts";
import { type AssistantMessage, assistantText, type Message, userText } from "../../src/protocol/message.ts";
import type { ModelReply } from "../../src/protocol/ports.ts";
import { connect, type WireClient } from "../support/wire-client.ts";
import { bedrockWire } from "./bedrock-wire.ts";
import { eventStreamFrame } from "./event-stream.ts";
import { calls, raw, refuses, replies, type ReplyAct, says, thinks } from "./script.ts";
import { seal } from "./seal.ts";
import { type Json, objectsOf } from "./shape.ts";
import { AWS_KEYS } from "./signature-police.ts";
import { fakeDialect } from "./wire.ts";

const MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

const client = (baseUrl: string, options: Partial<TransportOptions> = {}): WireClient =>
  connect(baseUrl, { dialect: bedrockConverse, provider: "bedrock", apiKey: "bearer-token", ...options });

const messageOf = (reply: ModelReply): AssistantMessage => {
  if (reply.type !== "message") throw new Error(`It is ${JSON.stringify(reply)}`);
  return reply.message;
};

const FULL: ReplyAct = replies(
  [
    thinks(["Let me ", "think."]),
    { type: "text", text: ["Grüße ", "𝄞!"] },
    calls("ls", { path: "a" }),
    calls("ls", {}),
  ],
  { usage: { input: 100, output: 30, cacheRead: 60, cacheWrite: 20, cacheWriteHour: 5 } },
);

const receipt = (callId: string, text: string, more: Partial<Extract<Message, { role: "tool" }>> = {}): Message => ({
  role: "tool",
  callId,
  status: "ok",
  parts: [{ type: "text", text }],
  ...more,
});

const asks = userText("hello");
const idsIn = (message: AssistantMessage): string[] =>
  message.parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));

const messagesIn = (body: Json | undefined): readonly Json[] => objectsOf(body?.["messages"]);

const NEW = { newHead: true } as const;

test("[C2] thoughts, text and calls come in order, with the tokens of each class, for a bearer token", async () => {
  await using server = await fakeDialect(bedrockWire, [FULL]);
  using model = client(server.baseUrl);
  const { reply, text, reasoning } = await model.call({ model: MODEL });
  expect([text, reasoning]).toEqual(["Grüße 𝄞!", "Let me think."]);
  expect(messageOf(reply).parts).toMatchObject([
    {
      type: "reasoning",
      text: "Let me think.",
      opaque: { signature: seal("bedrock_converse", "Let me think.") },
      provenance: { provider: "bedrock", model: MODEL },
    },
    { type: "text", text: "Grüße 𝄞!" },
    { type: "tool-call", callId: "tooluse_fake2", name: "ls", input: `{"path":"a"}` },
    { type: "tool-call", callId: "tooluse_fake3", name: "ls", input: "{}" },
  ]);
  expect(reply).toMatchObject({
    finish: "tool_calls",
    usage: { input: 100, output: 30, cacheRead: 60, cacheWrite: 20, cacheWrite1h: 5, reasoning: 0 },
  });
  expect(server.requests[0]?.path).toBe(`/model/${encodeURIComponent(MODEL)}/converse-stream`);
  expect(server.requests[0]?.headers.authorization).toBe("Bearer bearer-token");
});

test("[C2] a reply is the same however its frames are cut, in one piece, and between events of later versions", async () => {
  await using server = await fakeDialect(bedrockWire, [
    FULL,
    { ...FULL, framing: { bytes: 1 } },
    { ...FULL, framing: { bytes: 7 } },
    { ...FULL, framing: { bytes: 1_000_000 } },
    { ...FULL, strange: true },
    { ...FULL, interleaved: true },
    { ...FULL, whole: true },
  ]);
  using model = client(server.baseUrl);
  const heard: ModelReply[] = [];
  for (let n = 0; n < 7; n++) heard.push((await model.call({ model: MODEL })).reply);
  for (const reply of heard) expect(reply).toEqual(heard[0]);
});

test("[C18] without streaming, Converse is asked", async () => {
  await using server = await fakeDialect(bedrockWire, [says("hi")]);
  using model = client(server.baseUrl);
  expect(messageOf((await model.call({ streaming: false, model: "amazon.nova" })).reply)).toEqual(assistantText("hi"));
  expect(server.requests[0]?.path).toBe("/model/amazon.nova/converse");
});

test("[C2] [C14] a turn with tools: thoughts go back sealed, results in one message, cache points stand aside", async () => {
  await using server = await fakeDialect(bedrockWire, [FULL, says("Done."), says("Bye.")]);
  using model = client(server.baseUrl);
  const said = messageOf((await model.call({ model: MODEL })).reply);
  const [one = "", two = ""] = idsIn(said);
  const steer = { type: "steer", steerId: "s", text: "faster" } as const;
  const results: Message[] = [
    receipt(one, "1"),
    receipt(two, "no", { status: "error", parts: [{ type: "text", text: "no" }, steer] }),
  ];
  const history: Message[] = [asks, said, ...results];
  const done = messageOf((await model.call({ model: MODEL, history })).reply);
  await model.call({ model: MODEL, history: [...history, done, userText("Thanks")], maxOutput: 9 });
  const point = { cachePoint: { type: "default" } };
  const [first, second, third] = server.requests.map(({ body }) => body);
  expect(first).toMatchObject({
    toolConfig: { tools: [{ toolSpec: { name: "ls" } }, point] },
    system: [{ text: expect.stringContaining("You help.") as unknown }, point],
    messages: [{ role: "user", content: [{ text: "hello" }, point] }],
  });
  expect(messagesIn(second).slice(1)).toEqual([
    {
      role: "assistant",
      content: [
        {
          reasoningContent: {
            reasoningText: { text: "Let me think.", signature: seal("bedrock_converse", "Let me think.") },
          },
        },
        { text: "Grüße 𝄞!" },
        { toolUse: { toolUseId: one, name: "ls", input: { path: "a" } } },
        { toolUse: { toolUseId: two, name: "ls", input: {} } },
      ],
    },
    {
      role: "user",
      content: [
        { toolResult: { toolUseId: one, content: [{ text: "1" }] } },
        {
          toolResult: {
            toolUseId: two,
            content: [{ text: expect.stringContaining("faster") as unknown }],
            status: "error",
          },
        },
        point,
      ],
    },
  ]);
  expect(messagesIn(third).map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
  expect(third?.["inferenceConfig"]).toEqual({ maxTokens: 9 });
});

test("[C2] a history with calls tells of tools where there are none, and keeps ids and names legal", async () => {
  const odd = "call:with|odd letters and of a length that the API would refuse, whoever made it";
  const call: Message = {
    role: "assistant",
    parts: [
      { type: "reasoning", text: "Hm.", opaque: { signature: "x" }, provenance: { provider: "anthropic", model: "c" } },
      { type: "tool-call", callId: odd, name: "look up!", input: "no JSON" },
      { type: "reasoning", text: "So." },
    ],
  };
  await using server = await fakeDialect(bedrockWire, [says("ok")]);
  using model = connect(server.baseUrl, { dialect: bedrockConverse, provider: "bedrock", apiKey: "t" }, []);
  await model.call({ model: "meta.llama3", history: [asks, call, receipt(odd, " ", { status: "error" })] });
  const [, assistant, user] = messagesIn(server.requests[0]?.body);
  expect(assistant?.["content"]).toEqual([
    { toolUse: { toolUseId: expect.any(String) as unknown, name: "look_up_", input: { malformed: "no JSON" } } },
  ]);
  expect(user?.["content"]).toEqual([
    { toolResult: { toolUseId: expect.any(String) as unknown, content: [{ text: "(no output)" }] } },
  ]);
  expect(server.requests[0]?.body["toolConfig"]).toMatchObject({ tools: [{ toolSpec: { name: "look_up_" } }] });
});

test("[B4] where no tool may be called, none is told of but those of the past", async () => {
  await using server = await fakeDialect(bedrockWire, [FULL, says("Enough.", NEW), says("Bye.", NEW)]);
  using model = client(server.baseUrl);
  const said = messageOf((await model.call()).reply);
  const history = [asks, said, ...idsIn(said).map((id) => receipt(id, "ok"))];
  await model.call({ history, noTools: true });
  await model.call({ noTools: true });
  const [, called, fresh] = server.requests.map(({ body }) => body["toolConfig"]);
  expect(called).toMatchObject({ tools: [{ toolSpec: { name: "ls", description: "It cannot be called now." } }] });
  expect(fresh).toBeUndefined();
});

test("[C5] pictures go as bytes; an address is told", async () => {
  const shows = (url: string): Message => ({ role: "user", parts: [{ type: "image", url }] });
  await using server = await fakeDialect(bedrockWire, [says("a"), says("b", NEW)]);
  using model = client(server.baseUrl);
  await model.call({ history: [shows("data:image/png;base64,aGk=")] });
  await model.call({ history: [shows("https://example.test/cat.png")] });
  expect(server.requests.map(({ body }) => messagesIn(body)[0]?.["content"])).toEqual([
    [{ image: { format: "png", source: { bytes: "aGk=" } } }],
    [{ text: "[image: https://example.test/cat.png]" }],
  ]);
});

test.each([
  ["end_turn", { type: "message", finish: "stop" }],
  ["stop_sequence", { type: "message", finish: "stop" }],
  ["max_tokens", { type: "cut", partial: { text: "some text" } }],
  ["model_context_window_exceeded", { type: "cut" }],
  ["guardrail_intervened", { type: "failure", failure: { reason: "content_policy_blocked" } }],
  ["content_filtered", { type: "failure", failure: { reason: "content_policy_blocked" } }],
  ["malformed_tool_use", { type: "failure", failure: { reason: "server_error", retryable: true } }],
  ["something_new", { type: "message", finish: "stop" }],
])("[C4] the stop reason %s", async (word, expected) => {
  await using server = await fakeDialect(bedrockWire, [says("some text", { finish: { word } })]);
  using model = client(server.baseUrl);
  expect((await model.call()).reply).toMatchObject(expected);
});

test("[C6] exceptions, broken frames and cuts in the middle of a stream are what they are", async () => {
  const half = ["half", " a reply"];
  const delta = eventStreamFrame(
    { ":event-type": "contentBlockDelta", ":message-type": "event" },
    JSON.stringify({ contentBlockIndex: 0, delta: { text: "half" } }),
  );
  const flipped = Buffer.from(delta);
  flipped[flipped.length - 10] = 0;
  const huge = Buffer.alloc(16, 0x7f);
  await using server = await fakeDialect(bedrockWire, [
    says(half, { broken: { after: 1, by: "overloaded" } }),
    says(half, { broken: { after: 1, by: "cut" } }),
    says("half", { finish: null }),
    raw({ frames: [delta, flipped] }),
    raw({ frames: [delta, huge] }),
    raw({ frames: [delta, delta.subarray(0, 30)] }),
  ]);
  using model = client(server.baseUrl);
  const expected = [
    { reason: "overloaded" },
    { retryable: true },
    { retryable: true },
    { reason: "server_error", message: expect.stringContaining("cannot be read") as unknown },
    { reason: "server_error", message: expect.stringContaining("cannot be read") as unknown },
    { retryable: true },
  ];
  for (const failure of expected)
    expect((await model.call()).reply).toMatchObject({ type: "failure", failure, partial: { text: "half" } });
});

test.each([
  ["bad_request", { reason: "format_error", retryable: false }],
  ["bad_key", { reason: "auth", retryable: false }],
  ["billing", { reason: "billing" }],
  ["forbidden", { reason: "auth" }],
  ["not_found", { reason: "model_not_found" }],
  ["context_too_long", { reason: "context_overflow" }],
  ["rate_limit", { reason: "rate_limit", retryable: true }],
  ["server_error", { reason: "server_error" }],
  ["overloaded", { reason: "overloaded" }],
] as const)("[C7] %s is read from the kind of the exception", async (trouble, expected) => {
  await using server = await fakeDialect(bedrockWire, [refuses(trouble)]);
  using model = client(server.baseUrl);
  expect((await model.call()).reply).toMatchObject({ type: "failure", failure: expected });
});

test("[C2] requests are signed with the keys of AWS, which are nowhere shown", async () => {
  const { accessKeyId, secretAccessKey } = AWS_KEYS;
  await using server = await fakeDialect(bedrockWire, [says("a"), refuses("bad_key"), says("b", NEW)]);
  const key = `${accessKeyId}:${secretAccessKey}`;
  using model = client(`${server.baseUrl}/`, { apiKey: key });
  expect((await model.call({ model: MODEL })).reply).toMatchObject({ type: "message" });
  expect((await model.call({ model: MODEL })).reply).toMatchObject({ failure: { reason: "auth" } });
  using session = client(server.baseUrl, { apiKey: `${key}:session-token` });
  await session.call({ model: MODEL });
  const [first, , third] = server.requests.map(({ headers }) => headers);
  expect(first?.authorization).toContain("SignedHeaders=host;x-amz-content-sha256;x-amz-date,");
  expect(third).toMatchObject({ "x-amz-security-token": "session-token" });
  expect(third?.authorization).toContain("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,");
  expect(JSON.stringify([first, third])).not.toContain(secretAccessKey);
});

const KEYS = { ...AWS_KEYS, sessionToken: "a/session+token=" };

interface Caught {
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
  readonly hostname: string;
  readonly body: Uint8Array;
}

/** Takes away what tells of the client itself. */
const bare =
  <Args extends object, Out>(next: (args: Args) => Promise<Out>) =>
  (args: Args): Promise<Out> => {
    const { headers } = (args as { request: { headers: Record<string, string> } }).request;
    for (const name of Object.keys(headers)) if (/^(?:content|amz-sdk|x-amz-user)-/.test(name)) delete headers[name];
    return next(args);
  };

/** What the official client would send, caught before it leaves. */
async function sentByAws(modelId: string): Promise<Caught> {
  const { promise, resolve } = Promise.withResolvers<Caught>();
  const aws = new BedrockRuntimeClient({
    region: "eu-central-1",
    credentials: KEYS,
    maxAttempts: 1,
    requestHandler: {
      handle: (request: Caught) => {
        resolve(request);
        return Promise.reject(new Error("caught"));
      },
      metadata: { handlerProtocol: "http/1.1" },
    },
  });
  const where = { relation: "before", toMiddleware: "httpSigningMiddleware", name: "bare" } as const;
  aws.middlewareStack.addRelativeTo(bare, where);
  const asked = new ConverseCommand({ modelId, messages: [{ role: "user", content: [{ text: "Gruss" }] }] });
  await expect(aws.send(asked)).rejects.toThrow("caught");
  aws.destroy();
  return promise;
}

test.each([MODEL, "arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.llama", "amazon.nova-pro-v1:0"])(
  "[C2] the signature is the one that the official client makes: %s",
  async (modelId) => {
    const { headers, path, hostname, body } = await sentByAws(modelId);
    expect(path).toBe(bedrockConverse.route({ model: modelId, streaming: false }).path);
    const url = `https://${hostname}${path}`;
    const ours = await signedHeaders(KEYS, { method: "POST", url, body: Uint8Array.from(body) }, headers["x-amz-date"]);
    expect(ours).toEqual({
      authorization: headers["authorization"],
      "x-amz-content-sha256": headers["x-amz-content-sha256"],
      "x-amz-date": headers["x-amz-date"],
      "x-amz-security-token": KEYS.sessionToken,
    });
  },
);

test("[C2] models are listed by the server beside the one that runs them, for a signature too", async () => {
  await using server = await fakeDialect(bedrockWire, [], { models: ["amazon.nova-pro-v1:0"], apiKey: "AKIDFAKE" });
  const endpoint = openEndpoint(server.baseUrl);
  const listed = { type: "listed", models: ["amazon.nova-pro-v1:0"] };
  expect(await listModels(endpoint, bedrockConverse, "AKIDFAKE:fake-secret")).toEqual(listed);
  expect(await listModels(endpoint, bedrockConverse, "AKIDFAKE")).toEqual(listed);
  endpoint.close();
  expect(bedrockConverse.listedAt?.("https://bedrock-runtime.eu-west-1.amazonaws.com")).toBe(
    "https://bedrock.eu-west-1.amazonaws.com",
  );
  expect(bedrockConverse.listed?.({ data: [] })).toBeUndefined();
});
