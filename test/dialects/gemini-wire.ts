import { geminiHead, inspectGemini } from "./gemini-police.ts";
import {
  type CallScript,
  DEFAULT_USAGE,
  finishOf,
  inputText,
  piecesOf,
  type ReplyAct,
  type ScriptFinish,
  type ScriptPart,
  type ScriptUsage,
  type Trouble,
} from "./script.ts";
import { seal } from "./seal.ts";
import type { Json } from "./shape.ts";
import { type Call, sseFrame, type Wire, type WireEvent } from "./wire.ts";

const MODE = "gemini";

/** generateContent and streamGenerateContent: nameless events, each a part of the response; calls come whole. */
export const geminiWire: Wire = {
  mode: MODE,
  base: "/v1beta",
  contentType: "text/event-stream",
  keyOf: (headers) => {
    const key = headers["x-goog-api-key"];
    return typeof key === "string" ? key : headers.authorization?.replace(/^Bearer /, "");
  },
  isCall: (route) => CALL.test(route),
  list: (route, models) => (/^GET \/v1(?:beta)?\/models$/.test(route) ? { models: models.map(described) } : undefined),
  callOf: ({ path }) => {
    const [, model = "", verb] = CALL.exec(`POST ${path.split("?")[0]}`) ?? [];
    return { model: decodeURIComponent(model), streams: verb === "streamGenerateContent" };
  },
  inspect: inspectGemini,
  events: streamOf,
  whole: (reply, call) =>
    response(
      reply,
      call,
      partsOf(reply).map(({ part }) => part),
      true,
    ),
  idle: [],
  strange: [
    { data: { weatherReport: { sky: "clear" } } },
    { data: { candidates: [{ index: 0, content: { role: "model", parts: [{ scent: { of: "pine" } }] } }] } },
  ],
  refusal: (trouble, message) => ({ status: TROUBLES[trouble][0], body: errorOf(trouble, message) }),
  brokenOff: (trouble) => ({ data: errorOf(trouble) }),
  frame: sseFrame,
  head: geminiHead,
};

const CALL = /^POST \/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

const described = (id: string): object => ({
  name: `models/${id}`,
  displayName: id,
  inputTokenLimit: 1_048_576,
  outputTokenLimit: 65_536,
  supportedGenerationMethods: ["generateContent", "countTokens"],
});

interface WirePart {
  readonly part: Json;
  readonly piece: boolean;
}

function streamOf(reply: ReplyAct, call: Call): readonly WireEvent[] {
  const parts = partsOf(reply);
  const events = parts.map(({ part, piece }): WireEvent => ({
    data: response(reply, call, [part], false),
    ...(piece && { piece }),
  }));
  return finishOf(reply) === null && !isBlocked(reply)
    ? events
    : [...events, { data: response(reply, call, [], true) }];
}

/** A prompt that was refused has no candidate at all. */
const isBlocked = ({ finish, parts }: ReplyAct): boolean => finish === "filter" && parts.length === 0;

function response(reply: ReplyAct, { model }: Call, parts: readonly Json[], last: boolean): Json {
  const finish = finishOf(reply);
  const usage = usageOf(reply.usage);
  const common = { ...(usage !== undefined && { usageMetadata: usage }), modelVersion: model, responseId: "fake" };
  if (isBlocked(reply)) return { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, ...common };
  const candidate = {
    ...((parts.length > 0 || !last) && { content: { parts, role: "model" } }),
    ...(last && finish !== null && { finishReason: wordOf(finish, reply) }),
    index: 0,
  };
  return { candidates: [candidate], ...common };
}

/** The seal of a reply's reasoning stands on its first call, or behind its text when it calls nothing. */
function partsOf(reply: ReplyAct): readonly WirePart[] {
  const thinks = reply.parts.some(({ type }) => type === "reasoning");
  const first = reply.parts.find(({ type }) => type === "call");
  const parts = reply.parts.flatMap((part) => wireParts(part, thinks && part === first));
  const sealsEnd = thinks && first === undefined;
  return sealsEnd ? [...parts, { part: { text: "", thoughtSignature: seal(MODE, "text") }, piece: false }] : parts;
}

function wireParts(part: ScriptPart, sealed: boolean): readonly WirePart[] {
  switch (part.type) {
    case "text":
      return piecesOf(part.text).map((text) => ({ part: { text }, piece: true }));
    case "reasoning":
      return part.hidden ? [] : piecesOf(part.text).map((text) => ({ part: { text, thought: true }, piece: true }));
    case "call": {
      if (!isWhole(part)) return [];
      const functionCall = {
        ...(typeof part.id === "string" && { id: part.id }),
        name: part.name,
        args: argsOf(part.input),
      };
      return [{ part: { functionCall, ...(sealed && { thoughtSignature: seal(MODE, part.name) }) }, piece: true }];
    }
  }
}

/** Calls come whole, as values: one that was cut off is not there at all. */
const argsOf = (input: unknown): unknown => JSON.parse(inputText(input)) as unknown;

function isWhole({ input }: CallScript): boolean {
  try {
    argsOf(input);
    return true;
  } catch {
    return false;
  }
}

function wordOf(finish: ScriptFinish, { parts }: ReplyAct): string {
  if (typeof finish === "object") return finish.word;
  const isBroken = parts.some((part) => part.type === "call" && !isWhole(part));
  return isBroken ? "MALFORMED_FUNCTION_CALL" : WORDS[finish];
}

const WORDS = {
  stop: "STOP",
  calls: "STOP",
  length: "MAX_TOKENS",
  refusal: "SAFETY",
  filter: "PROHIBITED_CONTENT",
} as const;

function usageOf(usage: ScriptUsage | null = DEFAULT_USAGE): Json | undefined {
  if (usage === null) return undefined;
  const { input, output, cacheRead = 0, reasoning = 0 } = usage;
  return {
    promptTokenCount: input,
    candidatesTokenCount: output - reasoning,
    totalTokenCount: input + output,
    ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
    ...(cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
    promptTokensDetails: [{ modality: "TEXT", tokenCount: input }],
  };
}

function errorOf(trouble: Trouble, words?: string): Json {
  const [code, status, message] = TROUBLES[trouble];
  const details =
    trouble === "rate_limit"
      ? { details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" }] }
      : trouble === "bad_key"
        ? { details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }] }
        : {};
  return { error: { code, message: words ?? message, status, ...details } };
}

const TROUBLES: Readonly<Record<Trouble, readonly [status: number, word: string, message: string]>> = {
  bad_request: [400, "INVALID_ARGUMENT", "Request contains an invalid argument."],
  bad_key: [400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."],
  billing: [403, "PERMISSION_DENIED", "This API method requires billing to be enabled."],
  forbidden: [403, "PERMISSION_DENIED", "The caller does not have permission"],
  not_found: [404, "NOT_FOUND", "models/fake-2 is not found for API version v1beta"],
  context_too_long: [
    400,
    "INVALID_ARGUMENT",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  ],
  rate_limit: [429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan."],
  server_error: [500, "INTERNAL", "An internal error has occurred."],
  overloaded: [503, "UNAVAILABLE", "The model is overloaded. Please try again later."],
};
