import { anthropicHead, inspectAnthropic } from "./anthropic-police.ts";
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
import { type Call, inTurns, placeOf, sseFrame, type Wire, type WireEvent } from "./wire.ts";

const MODE = "anthropic_messages";

/** The messages API: named server-sent events, blocks with a start, pieces and a stop. */
export const anthropicWire: Wire = {
  mode: MODE,
  base: "",
  contentType: "text/event-stream; charset=utf-8",
  keyOf: (headers) => {
    const key = headers["x-api-key"];
    return typeof key === "string" ? key : headers.authorization?.replace(/^Bearer /, "");
  },
  isCall: (route) => route === "POST /v1/messages",
  list: (route, models) => (route === "GET /v1/models" ? listOf(models) : undefined),
  callOf: (_asked, { model, stream }) => ({ model: String(model), streams: stream === true }),
  inspect: inspectAnthropic,
  events: streamOf,
  whole: (reply, call) => ({
    ...envelope(call),
    content: reply.parts.map((part, at) => wholeBlock(part, at)),
    ...ending(finishOf(reply)),
    usage: usageOf(reply.usage),
  }),
  idle: [named({ type: "ping" })],
  strange: [
    named({ type: "weather_report", sky: "clear" }),
    named({ type: "content_block_delta", index: 0, delta: { type: "scent_delta", scent: "pine" } }),
  ],
  refusal: (trouble, message) => {
    const [status, type, words] = TROUBLES[trouble];
    return { status, body: { type: "error", error: { type, message: message ?? words }, request_id: "req_fake" } };
  },
  brokenOff: (trouble) => {
    const [, type, message] = TROUBLES[trouble];
    return named({ type: "error", error: { type, message } });
  },
  frame: sseFrame,
  head: anthropicHead,
};

function named(data: { readonly type: string } & Readonly<Record<string, unknown>>, piece = false): WireEvent {
  return { name: data.type, data, ...(piece && { piece }) };
}

const listOf = (models: readonly string[]): unknown => ({
  data: models.map((id) => ({ type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" })),
  has_more: false,
  first_id: models[0] ?? null,
  last_id: models.at(-1) ?? null,
});

const envelope = ({ model }: Call): Readonly<Record<string, unknown>> => ({
  id: "msg_fake",
  type: "message",
  role: "assistant",
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
});

function streamOf(reply: ReplyAct, call: Call): readonly WireEvent[] {
  const finish = finishOf(reply);
  const usage = usageOf(reply.usage);
  const atStart = usage === undefined ? undefined : { ...usage, output_tokens: 1 };
  return [
    named({ type: "message_start", message: { ...envelope(call), usage: atStart } }),
    named({ type: "ping" }),
    ...inTurns(
      reply.parts.map((part, at) => blockEvents(part, at, placeOf(reply.parts, at))),
      reply.interleaved === true,
    ),
    ...(finish === null ? [] : [named({ type: "message_delta", delta: ending(finish), usage })]),
    ...(finish === null ? [] : [named({ type: "message_stop" })]),
  ];
}

function blockEvents(part: ScriptPart, at: number, index: number): WireEvent[] {
  const delta = (fields: object): WireEvent => named({ type: "content_block_delta", index, delta: fields }, true);
  const sealing = (signature: string): WireEvent =>
    named({ type: "content_block_delta", index, delta: { type: "signature_delta", signature } });
  return [
    named({ type: "content_block_start", index, content_block: emptyBlock(part, at) }),
    ...deltasOf(part, delta, sealing),
    named({ type: "content_block_stop", index }),
  ];
}

function deltasOf(
  part: ScriptPart,
  delta: (fields: object) => WireEvent,
  sealing: (signature: string) => WireEvent,
): WireEvent[] {
  switch (part.type) {
    case "text":
      return piecesOf(part.text).map((text) => delta({ type: "text_delta", text }));
    case "reasoning":
      if (part.hidden) return [];
      return [
        ...piecesOf(part.text).map((thinking) => delta({ type: "thinking_delta", thinking })),
        sealing(seal(MODE, textOfPieces(part.text))),
      ];
    case "call":
      return inputPieces(part.input).map((partial_json) => delta({ type: "input_json_delta", partial_json }));
  }
}

function emptyBlock(part: ScriptPart, at: number): object {
  switch (part.type) {
    case "text":
      return { type: "text", text: "" };
    case "reasoning":
      return part.hidden ? wholeBlock(part, at) : { type: "thinking", thinking: "", signature: "" };
    case "call":
      return { ...callBlock(part, at), input: {} };
  }
}

function wholeBlock(part: ScriptPart, at: number): object {
  switch (part.type) {
    case "text":
      return { type: "text", text: textOfPieces(part.text) };
    case "reasoning": {
      const text = textOfPieces(part.text);
      return part.hidden
        ? { type: "redacted_thinking", data: seal(MODE, text) }
        : { type: "thinking", thinking: text, signature: seal(MODE, text) };
    }
    case "call":
      return { ...callBlock(part, at), input: JSON.parse(inputText(part.input)) as unknown };
  }
}

const callBlock = ({ id, name }: Extract<ScriptPart, { type: "call" }>, at: number): object => ({
  type: "tool_use",
  ...(id !== null && { id: id ?? `toolu_fake${at}` }),
  name,
});

function wordOf(finish: ScriptFinish | null): string | null {
  if (finish === null) return null;
  return typeof finish === "object" ? finish.word : WORDS[finish];
}

const ending = (finish: ScriptFinish | null): object => ({
  stop_reason: wordOf(finish),
  stop_sequence: null,
  ...(wordOf(finish) === "refusal" && { stop_details: { type: "refusal", category: "bio", explanation: null } }),
});

const WORDS = {
  stop: "end_turn",
  calls: "tool_use",
  length: "max_tokens",
  refusal: "refusal",
  filter: "refusal",
} as const;

/** `input_tokens` counts what was neither read from nor written to the cache. */
function usageOf(usage: ScriptUsage | null = DEFAULT_USAGE): Readonly<Record<string, unknown>> | undefined {
  if (usage === null) return undefined;
  const { input, output, cacheRead = 0, cacheWrite = 0, cacheWriteHour = 0, reasoning = 0 } = usage;
  return {
    input_tokens: input - cacheRead - cacheWrite,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWrite - cacheWriteHour,
      ephemeral_1h_input_tokens: cacheWriteHour,
    },
    output_tokens: output,
    ...(reasoning > 0 && { output_tokens_details: { thinking_tokens: reasoning } }),
    service_tier: "standard",
  };
}

const TROUBLES: Readonly<Record<Trouble, readonly [status: number, type: string, message: string]>> = {
  bad_request: [400, "invalid_request_error", "messages: the request is malformed"],
  bad_key: [401, "authentication_error", "invalid x-api-key"],
  billing: [400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."],
  forbidden: [403, "permission_error", "Your API key does not have permission to use the specified resource."],
  not_found: [404, "not_found_error", "model: fake-2"],
  context_too_long: [400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"],
  rate_limit: [429, "rate_limit_error", "This request would exceed your organization's rate limit."],
  server_error: [500, "api_error", "Internal server error"],
  overloaded: [529, "overloaded_error", "Overloaded"],
};
