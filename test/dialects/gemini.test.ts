import { expect, test } from "vitest";
import { gemini } from "../../src/model/gemini/index.ts";
import { listModels } from "../../src/model/models.ts";
import { openEndpoint } from "../../src/model/endpoint.ts";
import type { TransportOptions } from "../../src/model/transport.ts";
import { type AssistantMessage, assistantText, type Message, userText } from "../../src/protocol/message.ts";
import type { ModelReply } from "../../src/protocol/ports.ts";
import { readSteers } from "../../src/protocol/steer-marker.ts";
import { connect, type WireClient } from "../support/wire-client.ts";
import { type Frame, stream } from "../support/wire-script.ts";
import { geminiWire } from "./gemini-wire.ts";
import { type Act, calls, raw, refuses, replies, type ReplyAct, says, thinks } from "./script.ts";
import { seal } from "./seal.ts";
import { type Json, objectsOf } from "./shape.ts";
import { fakeDialect } from "./wire.ts";

const MODEL = "gemini-3-fake";

const client = (baseUrl: string, options: Partial<TransportOptions> = {}): WireClient =>
  connect(baseUrl, { dialect: gemini, provider: "gemini", apiKey: "k-e-y", ...options });

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
  { usage: { input: 100, output: 30, cacheRead: 60, reasoning: 10 } },
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

/** The parts that a request sent, by its contents. */
const sent = (body: Json | undefined): readonly (readonly Json[])[] =>
  objectsOf(body?.["contents"]).map(({ parts }) => objectsOf(parts));

test("[C3] thoughts, text and calls come in order, with the tokens of each class", async () => {
  await using server = await fakeDialect(geminiWire, [FULL]);
  using model = client(server.baseUrl);
  const { reply, text, reasoning } = await model.call({ model: MODEL });
  expect(text).toBe("Grüße 𝄞!");
  expect(reasoning).toBe("Let me think.");
  expect(messageOf(reply).parts).toMatchObject([
    { type: "reasoning", text: "Let me think." },
    { type: "text", text: "Grüße 𝄞!" },
    {
      type: "tool-call",
      name: "ls",
      input: `{"path":"a"}`,
      opaque: { extra_content: { google: { thought_signature: seal("gemini", "ls") } } },
      provenance: { provider: "gemini", model: MODEL },
    },
    { type: "tool-call", name: "ls", input: "{}" },
  ]);
  expect(new Set(idsIn(messageOf(reply))).size).toBe(2);
  expect(reply).toMatchObject({
    finish: "tool_calls",
    usage: { input: 100, output: 30, cacheRead: 60, cacheWrite: 0, reasoning: 10 },
  });
  const [request] = server.requests;
  expect(request?.path).toBe(`/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`);
  expect(request?.headers["x-goog-api-key"]).toBe("k-e-y");
  expect(request?.headers.authorization).toBeUndefined();
});

test("[C3] a reply is the same however it is cut, in one piece, and as a list of events", async () => {
  const asList = raw({ frames: [], headers: { "content-type": "application/json" } });
  const listed: Act = {
    ...asList,
    step: {
      ...asList.step,
      frames: [JSON.stringify(geminiWire.events(FULL, { model: MODEL, streams: true }).map(({ data }) => data))],
    },
  };
  await using server = await fakeDialect(geminiWire, [
    FULL,
    { ...FULL, framing: { bytes: 1 } },
    { ...FULL, framing: { bytes: 7, lineEnd: "\r\n", bom: true, comments: true } },
    { ...FULL, strange: true },
    { ...FULL, whole: true },
    listed,
  ]);
  using model = client(server.baseUrl);
  const heard: ModelReply[] = [];
  for (let n = 0; n < 6; n++) heard.push((await model.call({ model: MODEL })).reply);
  for (const reply of heard) expect(reply).toEqual(heard[0]);
});

test("[C18] without streaming, generateContent is asked", async () => {
  await using server = await fakeDialect(geminiWire, [says("hi")]);
  using model = client(server.baseUrl);
  expect(messageOf((await model.call({ streaming: false, model: "google/gemini-2.5-flash" })).reply)).toEqual(
    assistantText("hi"),
  );
  expect(server.requests[0]?.path).toBe("/v1beta/models/gemini-2.5-flash:generateContent");
});

test("[C3] [C13] a turn with tools: signatures stand where they came, answers in one content, and the head only grows", async () => {
  await using server = await fakeDialect(geminiWire, [
    FULL,
    replies([thinks("More."), calls("ls", { path: "c" }, { id: "theirs" })]),
    replies([thinks("Done."), { type: "text", text: "It is ready." }]),
    says("You are welcome."),
  ]);
  using model = client(server.baseUrl);
  const history: Message[] = [asks];
  const next = async (...more: readonly Message[]): Promise<AssistantMessage> => {
    history.push(...more);
    const message = messageOf((await model.call({ model: MODEL, history })).reply);
    history.push(message);
    return message;
  };
  const [one = "", two = ""] = idsIn(await next());
  const again = await next(receipt(one, `{"b":1,"a":[2]}`), receipt(two, "two", { status: "error" }));
  await next(
    receipt(idsIn(again)[0] ?? "", "3", {
      parts: [
        { type: "text", text: "3" },
        { type: "steer", steerId: "s", text: "faster" },
      ],
    }),
  );
  await next(userText("Thanks"));
  const bodies = server.requests.map(({ body }) => sent(body));
  expect(bodies[1]?.slice(1)).toEqual([
    [
      { text: "Grüße 𝄞!" },
      {
        functionCall: { id: one, name: "ls", args: { path: "a" } },
        thoughtSignature: seal("gemini", "ls"),
      },
      { functionCall: { name: "ls", args: {} } },
    ],
    [
      { functionResponse: { id: one, name: "ls", response: { a: [2], b: 1 } } },
      { functionResponse: { name: "ls", response: { error: "two" } } },
    ],
  ]);
  expect(bodies[2]?.at(-2)).toMatchObject([{ functionCall: { id: "theirs" }, thoughtSignature: seal("gemini", "ls") }]);
  const steered = JSON.stringify(bodies[2]?.at(-1));
  expect(bodies[2]?.at(-1)).toMatchObject([{ functionResponse: { id: "theirs", name: "ls" } }]);
  expect(readSteers(JSON.parse(steered)[0].functionResponse.response.output, "0a1b")).toMatchObject({
    steers: ["faster"],
  });
  expect(bodies[3]?.at(-2)).toEqual([{ text: "It is ready." }, { text: "", thoughtSignature: seal("gemini", "text") }]);
  for (const [at, { text }] of server.requests.entries()) {
    const before = server.requests[at - 1]?.text ?? "";
    expect(text.startsWith(before.slice(0, before.lastIndexOf("]}]")))).toBe(true);
  }
});

const answer = (parts: readonly Json[], finishReason = "STOP"): Frame =>
  `data: ${JSON.stringify({ candidates: [{ content: { role: "model", parts }, finishReason, index: 0 }] })}\n\n`;

test("[C3] a signature on a text goes back on it, and on a thought with it", async () => {
  const signature = seal("gemini", "text");
  const parts = [
    { text: "Hm.", thought: true, thoughtSignature: signature },
    { text: "One.", thoughtSignature: signature },
    { text: "Two." },
  ];
  await using server = await fakeDialect(geminiWire, [raw(stream([answer(parts)])), says("bye")]);
  using model = client(server.baseUrl);
  const said = messageOf((await model.call({ model: MODEL })).reply);
  await model.call({ model: MODEL, history: [asks, said, userText("more")] });
  expect(sent(server.requests[1]?.body)[1]).toEqual(parts);
});

/** These requests are of conversations that have nothing to do with each other. */
const NEW = { newHead: true } as const;

test("[C5] signatures go to the provider that made them alone, and calls of others to Gemini 3 under its own word", async () => {
  const call = (provider: string, model: string): Message => ({
    role: "assistant",
    parts: [
      {
        type: "reasoning",
        text: "Hm.",
        opaque: { thoughtSignature: seal("gemini", "text") },
        provenance: { provider, model },
      },
      {
        type: "tool-call",
        callId: "c1",
        name: "7 zip!",
        input: "not JSON",
        opaque: { extra_content: { google: { thought_signature: seal("gemini", "_7_zip_") } } },
        provenance: { provider, model },
      },
    ],
  });
  await using server = await fakeDialect(geminiWire, [says("a"), says("b", NEW), says("c", NEW)]);
  using model = client(server.baseUrl);
  const ask = (model_: string, message: Message): Promise<unknown> =>
    model.call({ model: model_, history: [asks, message, receipt("c1", "")] });
  await ask(MODEL, call("gemini", "gemini-2.5-pro"));
  await ask(MODEL, call("openrouter", "google/gemini-2.5-pro"));
  await ask("gemini-2.5-flash", call("anthropic", "claude"));
  const name = "_7_zip_";
  const args = { malformed: "not JSON" };
  const [kin, foreign, older] = server.requests.map(({ body }) => sent(body).slice(1));
  const response = { name, response: { output: "(no output)" } };
  expect(kin).toEqual([
    [
      { text: "Hm.", thought: true, thoughtSignature: seal("gemini", "text") },
      { functionCall: { id: "c1", name, args }, thoughtSignature: seal("gemini", name) },
    ],
    [{ functionResponse: { id: "c1", ...response } }],
  ]);
  expect(foreign).toEqual([
    [{ functionCall: { name, args }, thoughtSignature: "skip_thought_signature_validator" }],
    [{ functionResponse: response }],
  ]);
  expect(older).toEqual([[{ functionCall: { name, args } }], [{ functionResponse: response }]]);
});

test("[C8] private messages, no tools, the longest reply and the effort stand in the tail", async () => {
  await using server = await fakeDialect(geminiWire, [says("a"), says("b"), says("c")]);
  using model = client(server.baseUrl, { effort: "high" });
  await model.call({ model: MODEL, tail: [assistantText("half"), userText("go on")], noTools: true, maxOutput: 77 });
  await model.call({ model: "gemini-2.5-flash" });
  await model.call({ model: "gemini-2.0-flash" });
  const [first, second, third] = server.requests.map(({ body }) => body);
  expect(sent(first)).toEqual([[{ text: "hello" }], [{ text: "half" }], [{ text: "go on" }]]);
  expect(first).toMatchObject({
    systemInstruction: { parts: [{ text: expect.stringContaining("You help.") }] },
    toolConfig: { functionCallingConfig: { mode: "NONE" } },
    generationConfig: { maxOutputTokens: 77, thinkingConfig: { includeThoughts: true, thinkingLevel: "high" } },
  });
  expect(second?.["generationConfig"]).toEqual({ thinkingConfig: { includeThoughts: true, thinkingBudget: 16_384 } });
  expect(third?.["generationConfig"]).toBeUndefined();
  const thinking = { low: "LOW", medium: "MEDIUM" };
  await using other = await fakeDialect(geminiWire, [says("a")]);
  using known = client(other.baseUrl, { effort: "max", thinking });
  await known.call({ model: MODEL });
  expect(other.requests[0]?.body["generationConfig"]).toMatchObject({ thinkingConfig: { thinkingLevel: "MEDIUM" } });
});

test("[C5] pictures go as bytes or as addresses, and contexts behind the words they belong to", async () => {
  await using server = await fakeDialect(geminiWire, [says("a"), says("b")]);
  using model = client(server.baseUrl);
  const shows = (url: string): Message => ({
    role: "user",
    parts: [
      { type: "text", text: " Look: " },
      { type: "image", url },
      { type: "context", source: "memory", text: "likes cats" },
    ],
  });
  await model.call({ history: [shows("data:image/png;base64,aGk=")] });
  await model.call({ history: [shows("https://example.test/cat.JPG?size=2")] });
  const [bytes, address] = server.requests.map(({ body }) => sent(body)[0]);
  expect(bytes?.[0]).toEqual({ text: "Look:" });
  expect(bytes?.[1]).toEqual({ inlineData: { mimeType: "image/png", data: "aGk=" } });
  expect(bytes?.[2]).toEqual({ text: expect.stringContaining("likes cats") });
  expect(address?.[1]).toEqual({
    fileData: { mimeType: "image/jpeg", fileUri: "https://example.test/cat.JPG?size=2" },
  });
});

test("[C5] pictures of a receipt stand behind it", async () => {
  const call = { type: "tool-call", callId: "c", name: "ls", input: "{}" } as const;
  const image = { type: "image", url: "data:image/png;base64,aGk=" } as const;
  await using server = await fakeDialect(geminiWire, [says("a")]);
  using model = client(server.baseUrl);
  await model.call({ history: [asks, { role: "assistant", parts: [call] }, receipt("c", "", { parts: [image] })] });
  expect(sent(server.requests[0]?.body).at(-1)).toEqual([
    { functionResponse: { name: "ls", response: { output: "(no output)" } } },
    { inlineData: { mimeType: "image/png", data: "aGk=" } },
  ]);
});

test.each([
  ["STOP", { type: "message", finish: "stop" }],
  ["MAX_TOKENS", { type: "cut", partial: { text: "some text" } }],
  ["SAFETY", { type: "failure", failure: { reason: "content_policy_blocked" } }],
  ["RECITATION", { type: "failure", failure: { reason: "content_policy_blocked" } }],
  ["PROHIBITED_CONTENT", { type: "failure", failure: { reason: "content_policy_blocked" } }],
  ["MALFORMED_FUNCTION_CALL", { type: "failure", failure: { reason: "server_error", retryable: true } }],
  ["UNEXPECTED_TOOL_CALL", { type: "failure", failure: { reason: "server_error" } }],
  ["MISSING_THOUGHT_SIGNATURE", { type: "failure", failure: { reason: "thinking_signature" } }],
  ["OTHER", { type: "message", finish: "stop" }],
  ["SOMETHING_NEW", { type: "message", finish: "stop" }],
])("[C4] the finish reason %s", async (word, expected) => {
  await using server = await fakeDialect(geminiWire, [says("some text", { finish: { word } })]);
  using model = client(server.baseUrl);
  const { reply } = await model.call();
  expect(reply).toMatchObject(expected);
});

test("[C4] a prompt that is blocked is refused with the reason, and a stream without a finish reason is broken off", async () => {
  await using server = await fakeDialect(geminiWire, [
    replies([], { finish: "filter" }),
    says("half", { finish: null }),
    says(["half", " a reply"], { broken: { after: 1, by: "cut" } }),
    says(["half", " a reply"], { broken: { after: 1, by: "overloaded" } }),
  ]);
  using model = client(server.baseUrl);
  expect((await model.call()).reply).toMatchObject({
    failure: { reason: "content_policy_blocked", message: expect.stringContaining("PROHIBITED_CONTENT") },
    usage: { input: 20 },
  });
  for (let n = 0; n < 2; n++)
    expect((await model.call()).reply).toMatchObject({ type: "failure", partial: { text: "half" } });
  expect((await model.call()).reply).toMatchObject({
    failure: { reason: "overloaded" },
    partial: { text: "half" },
  });
});

test.each([
  ["bad_request", { reason: "format_error", retryable: false }],
  ["bad_key", { reason: "auth", retryable: false }],
  ["billing", { reason: "billing" }],
  ["forbidden", { reason: "auth" }],
  ["not_found", { reason: "model_not_found" }],
  ["context_too_long", { reason: "context_overflow" }],
  ["rate_limit", { reason: "rate_limit", retryAfterMs: 7_000 }],
  ["server_error", { reason: "server_error" }],
  ["overloaded", { reason: "overloaded" }],
] as const)("[C7] %s is read from the words of the API", async (trouble, expected) => {
  await using server = await fakeDialect(geminiWire, [refuses(trouble)]);
  using model = client(server.baseUrl);
  expect((await model.call()).reply).toMatchObject({ type: "failure", failure: expected });
});

const quota = (quotaId: string, message: string): Act =>
  raw({
    status: 429,
    headers: { "content-type": "application/json" },
    frames: [
      JSON.stringify([
        {
          error: {
            code: 429,
            status: "RESOURCE_EXHAUSTED",
            message,
            details: [{ "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ quotaId }] }],
          },
        },
      ]),
    ],
  });

test("[C3] a quota of the free tier comes with advice; that of a day is not waited for, and one of nothing is a bill", async () => {
  const words = "Quota exceeded for metric: generate_content_free_tier_requests";
  await using server = await fakeDialect(geminiWire, [
    quota("GenerateRequestsPerMinute-FreeTier", `${words}, limit: 10`),
    quota("GenerateRequestsPerDayPerProject-FreeTier", `${words}, limit: 250`),
    quota("GenerateRequestsPerMinute", `${words}, limit: 0`),
    quota("GenerateRequestsPerMinute", "Quota exceeded, limit: 2000"),
  ]);
  using model = client(server.baseUrl);
  const advice = expect.stringMatching(/free tier.*billing/) as unknown;
  const failures = [];
  for (let n = 0; n < 4; n++) failures.push((await model.call()).reply);
  expect(failures).toMatchObject([
    { failure: { reason: "rate_limit", retryable: true, message: advice } },
    { failure: { reason: "rate_limit", retryable: false, shouldFallback: true, message: advice } },
    { failure: { reason: "billing", message: advice } },
    { failure: { reason: "rate_limit", message: expect.not.stringContaining("free tier") } },
  ]);
});

test("[C3] the models that generate are listed, under the names they are asked by", async () => {
  await using server = await fakeDialect(geminiWire, [], { models: ["gemini-3-pro", "gemini-2.5-flash"], apiKey: "k" });
  for (const base of [server.origin, `${server.origin}/v1beta/`]) {
    const endpoint = openEndpoint(base);
    expect(await listModels(endpoint, gemini, "k")).toEqual({
      type: "listed",
      models: ["gemini-3-pro", "gemini-2.5-flash"],
    });
    endpoint.close();
  }
  expect(gemini.listed?.({ models: [{ name: "models/embed", supportedGenerationMethods: ["embedContent"] }] })).toEqual(
    [],
  );
  expect(gemini.listed?.({ data: [] })).toBeUndefined();
});
