import Anthropic from "@anthropic-ai/sdk";
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  type ContentBlock,
  type Message,
} from "@aws-sdk/client-bedrock-runtime";
import { GoogleGenAI } from "@google/genai";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { bedrockWire } from "./bedrock-wire.ts";
import { chatWire } from "./chat-wire.ts";
import { responsesWire } from "./responses-wire.ts";
import { AWS_KEYS } from "./signature-police.ts";
import { anthropicWire } from "./anthropic-wire.ts";
import { geminiWire } from "./gemini-wire.ts";
import { DONE } from "../support/wire-script.ts";
import { calls, raw, refuses, replies, type ReplyAct, says, thinks } from "./script.ts";
import { fakeDialect, scripted } from "./wire.ts";

/** Reasoning, text and two calls, each in pieces, with all token classes. */
const FULL: ReplyAct = replies(
  [
    thinks(["Let me ", "think."]),
    { type: "text", text: ["Grüße ", "𝄞!"] },
    calls("ls", { path: "a" }),
    calls("ls", { path: "b" }),
  ],
  { usage: { input: 100, output: 30, cacheRead: 60, cacheWrite: 20, cacheWriteHour: 5, reasoning: 10 } },
);

const TOOL = { name: "ls", description: "Lists a folder." };
const SCHEMA = { type: "object" as const, properties: { path: { type: "string" } } };

test("[C2] the official client reads the fake of the messages API", async () => {
  await using server = await fakeDialect(anthropicWire, [FULL, FULL, says("plain")]);
  const client = new Anthropic({ baseURL: server.baseUrl, apiKey: "k", maxRetries: 0 });
  const ask = {
    model: "claude-fake",
    max_tokens: 4000,
    messages: [{ role: "user" as const, content: "hi" }],
    tools: [{ ...TOOL, input_schema: SCHEMA }],
  };
  const streamed = await client.messages.stream(ask).finalMessage();
  const whole = await client.messages.create(ask);
  expect(streamed.content.map(({ type }) => type)).toEqual(["thinking", "text", "tool_use", "tool_use"]);
  expect(streamed.content).toEqual(whole.content);
  expect([streamed.stop_reason, whole.stop_reason]).toEqual(["tool_use", "tool_use"]);
  expect(streamed.usage).toMatchObject({ input_tokens: 20, cache_read_input_tokens: 60, output_tokens: 30 });
  expect(whole.usage).toMatchObject({ input_tokens: 20, cache_creation: { ephemeral_1h_input_tokens: 5 } });
  const { content } = streamed;
  const results = content.flatMap((block) =>
    block.type === "tool_use" ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "x" }] : [],
  );
  await client.messages.create({
    ...ask,
    messages: [...ask.messages, { role: "assistant", content }, { role: "user", content: results }],
  });
});

test("[C3] the official client reads the fake of generateContent", async () => {
  await using server = await fakeDialect(geminiWire, [FULL, FULL, says("plain")]);
  const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: server.origin } });
  const ask = {
    model: "gemini-3-fake",
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
    config: { tools: [{ functionDeclarations: [{ ...TOOL, parametersJsonSchema: SCHEMA }] }] },
  };
  const parts = [];
  let usage;
  for await (const chunk of await client.models.generateContentStream(ask)) {
    parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    usage = chunk.usageMetadata;
  }
  const whole = await client.models.generateContent(ask);
  expect(parts).toEqual(whole.candidates?.[0]?.content?.parts);
  expect(usage).toMatchObject({ promptTokenCount: 100, thoughtsTokenCount: 10, cachedContentTokenCount: 60 });
  expect(whole.functionCalls?.map(({ args }) => args)).toEqual([{ path: "a" }, { path: "b" }]);
  const answers = parts.flatMap(({ functionCall }) =>
    functionCall ? [{ functionResponse: { name: "ls", response: { output: "x" } } }] : [],
  );
  await client.models.generateContent({
    ...ask,
    contents: [...ask.contents, { role: "model", parts }, { role: "user", parts: answers }],
  });
});

test("[C6] the official client sees refusals, errors in mid-stream and cuts of the messages API as what they are", async () => {
  const half = ["half", " an answer"];
  await using server = await fakeDialect(anthropicWire, [
    refuses("rate_limit", { "retry-after": "7" }),
    says(half, { broken: { after: 1, by: "overloaded" } }),
    says(half, { broken: { after: 1, by: "cut" } }),
  ]);
  server.script(scripted(anthropicWire, raw({ frames: [DONE] })));
  const client = new Anthropic({ baseURL: server.baseUrl, apiKey: "k", maxRetries: 0 });
  const ask = (): Promise<unknown> =>
    client.messages
      .stream({ model: "claude-fake", max_tokens: 9, messages: [{ role: "user", content: "hi" }] })
      .finalMessage();
  await expect(ask()).rejects.toMatchObject({ status: 429, type: "rate_limit_error" });
  await expect(ask()).rejects.toThrow(/overloaded/i);
  await expect(ask()).rejects.toThrow(/terminated|premature|closed|abort/i);
  await expect(ask()).rejects.toThrow(/without/i);
});

const bedrockClient = (endpoint: string): BedrockRuntimeClient =>
  new BedrockRuntimeClient({
    endpoint,
    region: "us-east-1",
    credentials: AWS_KEYS,
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler(),
  });

test("[C2] the official client reads the fake of Converse, and its signature is taken", async () => {
  await using server = await fakeDialect(bedrockWire, [
    FULL,
    FULL,
    says("plain"),
    says(["a", "b"], { broken: { after: 1, by: "rate_limit" } }),
    refuses("overloaded"),
  ]);
  const client = bedrockClient(server.origin);
  const ask = {
    modelId: "us.anthropic.claude-fake-v1:0",
    messages: [{ role: "user", content: [{ text: "hi" }] }] satisfies Message[],
    toolConfig: { tools: [{ toolSpec: { ...TOOL, inputSchema: { json: SCHEMA } } }] },
  };
  const events = [];
  const { stream = [] } = await client.send(new ConverseStreamCommand(ask));
  for await (const event of stream) events.push(event);
  const texts = events.map(({ contentBlockDelta }) => contentBlockDelta?.delta?.text ?? "").join("");
  const input = events.map(({ contentBlockDelta }) => contentBlockDelta?.delta?.toolUse?.input ?? "").join("");
  expect([texts, input]).toEqual(["Grüße 𝄞!", '{"path":"a"}{"path":"b"}']);
  expect(events.at(-2)).toEqual({ messageStop: { stopReason: "tool_use" } });
  expect(events.at(-1)?.metadata?.usage).toMatchObject({ inputTokens: 20, cacheReadInputTokens: 60, totalTokens: 130 });
  const { output, stopReason } = await client.send(new ConverseCommand(ask));
  const content: ContentBlock[] = output?.message?.content ?? [];
  expect([stopReason, content.length, content[1]?.text]).toEqual(["tool_use", 4, "Grüße 𝄞!"]);
  const results = content.flatMap(({ toolUse }) =>
    toolUse ? [{ toolResult: { toolUseId: toolUse.toolUseId, content: [{ text: "x" }] } }] : [],
  );
  const messages: Message[] = [...ask.messages, { role: "assistant", content }, { role: "user", content: results }];
  await client.send(new ConverseCommand({ ...ask, messages }));
  const reading = async (): Promise<void> => {
    const { stream: broken = [] } = await client.send(new ConverseStreamCommand(ask));
    for await (const event of broken) expect(event.$unknown).toBeUndefined();
  };
  await expect(reading()).rejects.toMatchObject({ name: "ThrottlingException" });
  await expect(reading()).rejects.toMatchObject({ name: "ServiceUnavailableException" });
});

test("[C2] the official client reads the fake of the responses API", async () => {
  await using server = await fakeDialect(responsesWire, [
    FULL,
    FULL,
    says("plain"),
    says("No.", { finish: "length" }),
    says("I will not.", { finish: "refusal" }),
    says(["a", "b"], { broken: { after: 1, by: "rate_limit" } }),
  ]);
  const client = new OpenAI({ baseURL: server.baseUrl, apiKey: "k", maxRetries: 0 });
  const ask = {
    model: "gpt-fake",
    store: false,
    include: ["reasoning.encrypted_content" as const],
    input: [{ role: "user" as const, content: "hi" }],
    tools: [{ type: "function" as const, ...TOOL, parameters: SCHEMA, strict: false }],
  };
  const read = async (more: object = {}): Promise<OpenAI.Responses.Response> =>
    client.responses.stream({ ...ask, ...more }).finalResponse();
  const streamed = await read();
  const whole = await client.responses.create(ask);
  expect(streamed.output.map(({ type }) => type)).toEqual(["reasoning", "message", "function_call", "function_call"]);
  expect(streamed.output).toMatchObject(whole.output);
  expect([streamed.output_text, streamed.usage?.input_tokens_details.cached_tokens]).toEqual(["Grüße 𝄞!", 60]);
  const outputs = whole.output.flatMap((item) =>
    item.type === "function_call"
      ? [{ type: "function_call_output" as const, call_id: item.call_id, output: "x" }]
      : [],
  );
  await read({ input: [...ask.input, ...whole.output, ...outputs] });
  expect(await read()).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
  expect((await read()).output[0]).toMatchObject({ content: [{ type: "refusal", refusal: "I will not." }] });
  const failed: string[] = [];
  for await (const event of await client.responses.create({ ...ask, stream: true }))
    if (event.type === "response.failed") failed.push(event.response.error?.code ?? "");
  expect(failed).toEqual(["rate_limit_exceeded"]);
});

test("[C2] the official client reads the neutral script from the fake of chat completions", async () => {
  await using server = await fakeDialect(chatWire, [FULL, FULL]);
  const client = new OpenAI({ baseURL: server.baseUrl, apiKey: "k", maxRetries: 0 });
  const ask = { model: "fake-1", messages: [{ role: "user" as const, content: "hi" }] };
  const streamed = await client.chat.completions.stream(ask).finalChatCompletion();
  const { choices, usage } = await client.chat.completions.create(ask);
  const [message] = choices.map((choice) => choice.message);
  expect(streamed.choices[0]?.message.content).toBe("Grüße 𝄞!");
  expect(message?.tool_calls).toHaveLength(2);
  expect(streamed.choices[0]?.message.tool_calls).toMatchObject(message?.tool_calls ?? []);
  expect([streamed.choices[0]?.finish_reason, usage?.prompt_tokens_details?.cached_tokens]).toEqual(["tool_calls", 60]);
});
