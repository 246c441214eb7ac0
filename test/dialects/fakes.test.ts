import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { expect, test } from "vitest";
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
