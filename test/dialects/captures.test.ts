import Anthropic from "@anthropic-ai/sdk";
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime";
import { GoogleGenAI } from "@google/genai";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { anthropicWire } from "./anthropic-wire.ts";
import { bedrockWire } from "./bedrock-wire.ts";
import { ANTHROPIC } from "./captures/anthropic.ts";
import { BEDROCK } from "./captures/bedrock.ts";
import { CHAT } from "./captures/chat.ts";
import { GEMINI } from "./captures/gemini.ts";
import { RESPONSES } from "./captures/responses.ts";
import { chatWire } from "./chat-wire.ts";
import { type Allowed, compareBodies } from "./compare-bodies.ts";
import { ourBody, theirBody } from "./drive.ts";
import { geminiWire } from "./gemini-wire.ts";
import { responsesWire } from "./responses-wire.ts";
import { type Mode, says } from "./script.ts";
import { isObject } from "./shape.ts";
import { AWS_KEYS } from "./signature-police.ts";
import { sideOf } from "./subjects.ts";
import { TALK_NAMES, type TalkName, TALKS } from "./talks.ts";
import type { Wire } from "./wire.ts";

/** Sends the hand-written body of a talk through the official client. */
type Send = (name: TalkName, origin: string) => Promise<unknown>;

const sendChat: Send = (name, origin) =>
  new OpenAI({ baseURL: `${origin}/v1`, apiKey: "key", maxRetries: 0 }).chat.completions
    .create(CHAT[name])
    .asResponse();

const sendResponses: Send = (name, origin) =>
  new OpenAI({ baseURL: `${origin}/v1`, apiKey: "key", maxRetries: 0 }).responses.create(RESPONSES[name]).asResponse();

const sendAnthropic: Send = (name, origin) =>
  new Anthropic({ baseURL: origin, apiKey: "key", maxRetries: 0 }).messages.create(ANTHROPIC[name]).asResponse();

const sendGemini: Send = (name, origin) => {
  const { models } = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: origin } });
  return name === "no stream" ? models.generateContent(GEMINI[name]) : models.generateContentStream(GEMINI[name]);
};

const sendBedrock: Send = (name, endpoint) => {
  const requestHandler = new NodeHttpHandler();
  const region = "us-east-1";
  const client = new BedrockRuntimeClient({ endpoint, region, credentials: AWS_KEYS, maxAttempts: 1, requestHandler });
  return name === "no stream"
    ? client.send(new ConverseCommand(BEDROCK[name]))
    : client.send(new ConverseStreamCommand(BEDROCK[name]));
};

const OFFICIAL: readonly (readonly [wire: Wire, send: Send])[] = [
  [chatWire, sendChat],
  [anthropicWire, sendAnthropic],
  [bedrockWire, sendBedrock],
  [responsesWire, sendResponses],
  [geminiWire, sendGemini],
];

for (const [wire, send] of OFFICIAL)
  test.for(TALK_NAMES)(`[C2] ${wire.mode}: the police lets the official client say: %s`, async (name) => {
    const body = await theirBody(wire, says("The end."), (origin) => send(name, origin));
    expect(Object.keys(body)).not.toEqual([]);
  });

/** What differs between our bodies and those of the official clients, and may. */
const ALLOWED: Readonly<Record<Mode, readonly Allowed[]>> = {
  chat_completions: [],
  anthropic_messages: [
    { place: /\.cache_control$/, why: "markers are ours to place; the police counts them" },
    { place: /^max_tokens$/, why: "a request must name a limit, and ours is the model's own" },
  ],
  bedrock_converse: [
    {
      place: /^(?:system|toolConfig\.tools|messages\[\d+\]\.content)\[\d+\]$/,
      why: "cache points are ours to place, behind all else; the police counts them",
      if: (ours, theirs) => isObject(ours) && ours["cachePoint"] !== undefined && theirs === undefined,
    },
    {
      place: /\.toolResult\.status$/,
      why: "success is what the API takes a result for that says nothing",
      if: (ours, theirs) => ours === undefined && theirs === "success",
    },
  ],
  codex_responses: [
    { place: /^prompt_cache_key$/, why: "ours names the session, so that its requests meet one cache" },
    {
      place: /^input\[\d+\]\.id$/,
      why: "the client's types ask for ids of reasoning; under store: false they name nothing",
      if: (ours) => ours === undefined,
    },
    {
      place: /\.detail$/,
      why: "the client's types ask for it; auto is what the API takes by default",
      if: (ours, theirs) => ours === undefined && theirs === "auto",
    },
  ],
  gemini: [
    { place: /^systemInstruction\.role$/, why: "the API does not read it" },
    { place: /^generationConfig$/, why: "the client writes it when it is empty", if: (ours) => ours === undefined },
    {
      place: /\.parameters(?:\.\w+)*\.type$/,
      why: "the API takes the names of types in either case",
      if: (ours, theirs) => String(ours).toUpperCase() === theirs,
    },
  ],
};

for (const [wire, send] of OFFICIAL)
  test.for(TALK_NAMES)(`[C1] ${wire.mode}: ours is the official client's body: %s`, async (name) => {
    const theirs = theirBody(wire, says("The end."), (origin) => send(name, origin));
    const ours = ourBody(sideOf(wire.mode), TALKS[name]);
    expect(compareBodies(await ours, await theirs, ALLOWED[wire.mode])).toEqual([]);
  });

test("[C1] a difference between two bodies is found wherever it is, and allowed where it has a reason", () => {
  const ours = { a: [1, { b: "x" }], c: null };
  const theirs = { a: [1, { b: "y" }, 2], d: true };
  const places = (allowed: readonly Allowed[]): string[] =>
    compareBodies(ours, theirs, allowed).map(({ place }) => place);
  expect(places([])).toEqual(["a[1].b", "a[2]", "c", "d"]);
  expect(places([{ place: /^a\[/, why: "a reason" }])).toEqual(["c", "d"]);
  const either = [{ place: /./, why: "a reason", if: (a: unknown, b: unknown) => a === "x" && b === "y" }];
  expect(places(either)).toEqual(["a[2]", "c", "d"]);
  expect(compareBodies({ a: -0 }, { a: 0 }, [])).toHaveLength(1);
  expect(compareBodies(ours, structuredClone(ours), [])).toEqual([]);
});
