import { bedrockHead, inspectBedrock } from "./bedrock-police.ts";
import { eventStreamFrame } from "./event-stream.ts";
import {
  DEFAULT_USAGE,
  finishOf,
  inputPieces,
  inputText,
  piecesOf,
  type ReplyAct,
  type ScriptFinish,
  type ScriptPart,
  type ScriptUsage,
  textOfPieces,
  type Trouble,
} from "./script.ts";
import { seal } from "./seal.ts";
import type { Json } from "./shape.ts";
import { inTurns, placeOf, type Wire, type WireEvent } from "./wire.ts";

const MODE = "bedrock_converse";

/** Converse and ConverseStream: the model stands in the path, the stream is one of binary frames with checksums. */
export const bedrockWire: Wire = {
  mode: MODE,
  base: "",
  contentType: "application/vnd.amazon.eventstream",
  keyOf: ({ authorization = "" }) =>
    /^Bearer (.*)$/.exec(authorization)?.[1] ?? /Credential=([^/,]+)/.exec(authorization)?.[1],
  isCall: (route) => CALL.test(route),
  list: (route, models) =>
    route === "GET /foundation-models" ? { modelSummaries: models.map((modelId) => ({ modelId })) } : undefined,
  callOf: ({ path }) => {
    const [, model = "", verb] = CALL.exec(`POST ${path}`) ?? [];
    return { model: decodeURIComponent(model), streams: verb === "converse-stream" };
  },
  inspect: inspectBedrock,
  events: streamOf,
  whole: (reply) => ({
    output: { message: { role: "assistant", content: reply.parts.map(wholeBlock) } },
    stopReason: wordOf(finishOf(reply)),
    usage: usageOf(reply.usage),
    metrics: { latencyMs: 12 },
  }),
  idle: [],
  strange: [
    { name: "weatherReport", data: { sky: "clear" } },
    { name: "contentBlockDelta", data: { contentBlockIndex: 0, delta: { scent: { of: "pine" } } } },
  ],
  refusal: (trouble, message) => {
    const [status, type, words] = TROUBLES[trouble];
    return { status, headers: { "x-amzn-errortype": type }, body: { message: message ?? words } };
  },
  brokenOff: (trouble) => {
    const [, type, message] = TROUBLES[trouble];
    return { name: `${type.charAt(0).toLowerCase()}${type.slice(1)}`, data: { message }, exception: true };
  },
  frame: ({ name = "", data, exception }) => {
    const kind = exception ? "exception" : "event";
    const headers = { [`:${kind}-type`]: name, ":content-type": "application/json", ":message-type": kind };
    return eventStreamFrame(headers, typeof data === "string" ? data : JSON.stringify(data));
  },
  head: bedrockHead,
};

const CALL = /^POST \/model\/([^/]+)\/(converse|converse-stream)$/;

/** Real payloads end with padding, so that lengths tell nothing. */
const event = (name: string, data: Json, piece = false): WireEvent => ({
  name,
  data: { ...data, p: "abcdefgh" },
  ...(piece && { piece }),
});

function streamOf(reply: ReplyAct): readonly WireEvent[] {
  const finish = finishOf(reply);
  const usage = usageOf(reply.usage);
  return [
    event("messageStart", { role: "assistant" }),
    ...inTurns(
      reply.parts.map((part, at) => blockEvents(part, at, placeOf(reply.parts, at))),
      reply.interleaved === true,
    ),
    ...(finish === null ? [] : [event("messageStop", { stopReason: wordOf(finish) })]),
    ...(usage === undefined || finish === null ? [] : [event("metadata", { usage, metrics: { latencyMs: 12 } })]),
  ];
}

/** Only calls have a start of their own. */
function blockEvents(part: ScriptPart, at: number, contentBlockIndex: number): WireEvent[] {
  const start =
    part.type === "call" ? [event("contentBlockStart", { contentBlockIndex, start: { toolUse: head(part, at) } })] : [];
  return [
    ...start,
    ...deltasOf(part).map(({ delta, piece }) => event("contentBlockDelta", { contentBlockIndex, delta }, piece)),
    event("contentBlockStop", { contentBlockIndex }),
  ];
}

const head = ({ id, name }: Extract<ScriptPart, { type: "call" }>, at: number): Json => ({
  ...(id !== null && { toolUseId: id ?? `tooluse_fake${at}` }),
  name,
});

interface BlockDelta {
  readonly delta: Json;
  readonly piece: boolean;
}

function deltasOf(part: ScriptPart): readonly BlockDelta[] {
  switch (part.type) {
    case "text":
      return piecesOf(part.text).map((text) => ({ delta: { text }, piece: true }));
    case "reasoning": {
      const signature = seal(MODE, textOfPieces(part.text));
      if (part.hidden) return [{ delta: { reasoningContent: { redactedContent: signature } }, piece: false }];
      const texts = piecesOf(part.text).map((text) => ({ delta: { reasoningContent: { text } }, piece: true }));
      return [...texts, { delta: { reasoningContent: { signature } }, piece: false }];
    }
    case "call":
      return inputPieces(part.input).map((input) => ({ delta: { toolUse: { input } }, piece: true }));
  }
}

function wholeBlock(part: ScriptPart, at: number): Json {
  switch (part.type) {
    case "text":
      return { text: textOfPieces(part.text) };
    case "reasoning": {
      const text = textOfPieces(part.text);
      const signature = seal(MODE, text);
      return {
        reasoningContent: part.hidden ? { redactedContent: signature } : { reasoningText: { text, signature } },
      };
    }
    case "call":
      return { toolUse: { ...head(part, at), input: JSON.parse(inputText(part.input)) as unknown } };
  }
}

function wordOf(finish: ScriptFinish | null): string | null {
  if (finish === null) return null;
  return typeof finish === "object" ? finish.word : WORDS[finish];
}

const WORDS = {
  stop: "end_turn",
  calls: "tool_use",
  length: "max_tokens",
  refusal: "content_filtered",
  filter: "guardrail_intervened",
} as const;

/** `inputTokens` counts what was neither read from nor written to the cache. */
function usageOf(usage: ScriptUsage | null = DEFAULT_USAGE): Json | undefined {
  if (usage === null) return undefined;
  const { input, output, cacheRead = 0, cacheWrite = 0, cacheWriteHour = 0 } = usage;
  const cached = { cacheReadInputTokens: cacheRead, cacheWriteInputTokens: cacheWrite };
  const details = [
    { ttl: "5m", inputTokens: cacheWrite - cacheWriteHour },
    { ttl: "1h", inputTokens: cacheWriteHour },
  ].filter(({ inputTokens }) => inputTokens > 0);
  return {
    inputTokens: input - cacheRead - cacheWrite,
    outputTokens: output,
    totalTokens: input + output,
    ...(cacheRead + cacheWrite > 0 && cached),
    ...(details.length > 0 && { cacheDetails: details }),
  };
}

const TROUBLES: Readonly<Record<Trouble, readonly [status: number, type: string, message: string]>> = {
  bad_request: [400, "ValidationException", "Malformed input request, please reformat your input and try again."],
  bad_key: [403, "UnrecognizedClientException", "The security token included in the request is invalid."],
  billing: [403, "AccessDeniedException", "Model access is denied due to INVALID_PAYMENT_INSTRUMENT."],
  forbidden: [403, "AccessDeniedException", "You don't have access to the model with the specified model ID."],
  not_found: [404, "ResourceNotFoundException", "The model with the specified model ID is not there."],
  context_too_long: [400, "ValidationException", "Input is too long for requested model."],
  rate_limit: [429, "ThrottlingException", "Too many requests, please wait before trying again."],
  server_error: [500, "InternalServerException", "The system encountered an unexpected error."],
  overloaded: [503, "ServiceUnavailableException", "Bedrock is unable to process your request."],
};
