import { inspectRequest } from "../support/protocol-police.ts";
import {
  type CallScript,
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
import { type Json, objectsOf } from "./shape.ts";
import { type Call, inTurns, placeOf, sseFrame, type Wire, type WireEvent } from "./wire.ts";

/** Chat completions as compatible servers speak them: nameless chunks with deltas, reasoning in a field of its own. */
export const chatWire: Wire = {
  mode: "chat_completions",
  base: "/v1",
  contentType: "text/event-stream",
  keyOf: ({ authorization }) => authorization?.replace(/^Bearer /, ""),
  isCall: (route) => route === "POST /v1/chat/completions",
  list: (route, models) =>
    route === "GET /v1/models" ? { object: "list", data: models.map((id) => ({ id, object: "model" })) } : undefined,
  callOf: (_asked, { model, stream }) => ({ model: String(model), streams: stream === true }),
  inspect: (_body, { bytes }) => inspectRequest(bytes).violations,
  events: streamOf,
  whole: (reply, call) => ({
    ...envelope(call, "chat.completion"),
    choices: [{ index: 0, message: messageOf(reply), finish_reason: wordOf(finishOf(reply)) }],
    usage: usageOf(reply.usage),
  }),
  idle: [],
  strange: [{ data: { object: "chat.weather", sky: "clear" } }],
  refusal: (trouble, message) => ({ status: TROUBLES[trouble][0], body: { error: errorOf(trouble, message) } }),
  brokenOff: (trouble) => ({ data: { error: errorOf(trouble) } }),
  frame: sseFrame,
  head: ({ model, tools, messages }) => {
    const isSystem = ({ role }: Json): boolean => role === "system" || role === "developer";
    const all = objectsOf(messages);
    return {
      opening: [model, tools, ...all.filter(isSystem)].map((each) => JSON.stringify(each ?? null)),
      said: all
        .filter((message) => !isSystem(message))
        .map((message) => ({
          role: message["role"] === "tool" ? "result" : message["role"] === "assistant" ? "assistant" : "user",
          text: JSON.stringify(message),
          isText: message["tool_calls"] === undefined,
        })),
    };
  },
};

const envelope = ({ model }: Call, object: string): Json => ({
  id: "chatcmpl-fake",
  object,
  created: 1_700_000_000,
  model,
});

function streamOf(reply: ReplyAct, call: Call): readonly WireEvent[] {
  const { parts } = reply;
  const finish = finishOf(reply);
  const usage = usageOf(reply.usage);
  const chunk = (choices: readonly Json[], more: Json = {}): Json => ({
    ...envelope(call, "chat.completion.chunk"),
    choices,
    ...more,
  });
  const choice = (delta: Json, word: string | null = null): Json => chunk([{ index: 0, delta, finish_reason: word }]);
  const piece = (delta: Json): WireEvent => ({ data: choice(delta), piece: true });
  const numbers = parts.map((_, at) => callNumber(parts, placeOf(parts, at)));
  return [
    { data: choice({ role: "assistant", content: "" }) },
    ...inTurns(
      parts.map((part, at) => deltasOf(part, numbers[at] ?? 0, finish === "refusal").map(piece)),
      reply.interleaved === true,
    ),
    ...(finish === null ? [] : [{ data: choice({}, wordOf(finish)) }]),
    ...(usage === undefined ? [] : [{ data: chunk([], { usage }) }]),
    ...(finish === null ? [] : [{ data: "[DONE]" }]),
  ];
}

/** Calls are counted among themselves. */
const callNumber = (parts: readonly ScriptPart[], at: number): number =>
  parts.slice(0, at).filter(({ type }) => type === "call").length;

function deltasOf(part: ScriptPart, index: number, refuses: boolean): readonly Json[] {
  switch (part.type) {
    case "text":
      return piecesOf(part.text).map((text) => (refuses ? { refusal: text } : { content: text }));
    case "reasoning":
      return part.hidden ? [] : piecesOf(part.text).map((text) => ({ reasoning_content: text }));
    case "call":
      return inputPieces(part.input).map((piece, nth) => ({
        tool_calls: [nth === 0 ? { index, ...callOf(part, index, piece) } : { index, function: { arguments: piece } }],
      }));
  }
}

const callOf = ({ id, name }: CallScript, at: number, input: string): Json => ({
  ...(id !== null && { id: id ?? `call_fake${at}` }),
  type: "function",
  function: { name, arguments: input },
});

function messageOf(reply: ReplyAct): Json {
  const joined = (type: "text" | "reasoning"): string =>
    reply.parts.map((part) => (part.type === type ? textOfPieces(part.text) : "")).join("");
  const calls = reply.parts.flatMap((part) => (part.type === "call" ? [part] : []));
  const text = joined("text");
  return {
    role: "assistant",
    content: finishOf(reply) === "refusal" || text === "" ? null : text,
    ...(finishOf(reply) === "refusal" && { refusal: text }),
    ...(joined("reasoning") !== "" && { reasoning_content: joined("reasoning") }),
    ...(calls.length > 0 && { tool_calls: calls.map((call, at) => callOf(call, at, inputText(call.input))) }),
  };
}

function wordOf(finish: ScriptFinish | null): string | null {
  if (finish === null) return null;
  return typeof finish === "object" ? finish.word : WORDS[finish];
}

const WORDS = {
  stop: "stop",
  calls: "tool_calls",
  length: "length",
  refusal: "stop",
  filter: "content_filter",
} as const;

function usageOf(usage: ScriptUsage | null = DEFAULT_USAGE): Json | undefined {
  if (usage === null) return undefined;
  const { input, output, cacheRead = 0, reasoning = 0 } = usage;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

function errorOf(trouble: Trouble, words?: string): Json {
  const [, type, code, message] = TROUBLES[trouble];
  return { message: words ?? message, type, param: null, code };
}

type Told = readonly [status: number, type: string, code: string | null, message: string];

const TROUBLES: Readonly<Record<Trouble, Told>> = {
  bad_request: [400, "invalid_request_error", "invalid_value", "The request is malformed."],
  bad_key: [401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided."],
  billing: [429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota, check your billing."],
  forbidden: [403, "invalid_request_error", "model_not_available", "Your project does not have access to the model."],
  not_found: [404, "invalid_request_error", "model_not_found", "The model `fake-2` does not exist."],
  context_too_long: [
    400,
    "invalid_request_error",
    "context_length_exceeded",
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  ],
  rate_limit: [429, "requests", "rate_limit_exceeded", "Rate limit reached for fake-1. Please try again in 7s."],
  server_error: [500, "server_error", null, "The server had an error while processing your request."],
  overloaded: [503, "server_error", null, "The server is overloaded or not ready yet."],
};
