import { inspectResponses, responsesHead } from "./responses-police.ts";
import {
  type CallScript,
  DEFAULT_USAGE,
  finishOf,
  inputPieces,
  inputText,
  piecesOf,
  type ReasoningScript,
  type ReplyAct,
  type ScriptPart,
  type ScriptUsage,
  type TextScript,
  textOfPieces,
  type Trouble,
} from "./script.ts";
import { seal } from "./seal.ts";
import type { Json } from "./shape.ts";
import { type Call, inTurns, placeOf, sseFrame, type Wire, type WireEvent } from "./wire.ts";

const MODE = "codex_responses";

/** The responses API: named events about items of an output, and the whole response at the end. */
export const responsesWire: Wire = {
  mode: MODE,
  base: "/v1",
  contentType: "text/event-stream; charset=utf-8",
  keyOf: ({ authorization }) => authorization?.replace(/^Bearer /, ""),
  isCall: (route) => /^POST (?:\/v1|\/backend-api\/codex)\/responses$/.test(route),
  list: (route, models) =>
    route === "GET /v1/models" ? { object: "list", data: models.map((id) => ({ id, object: "model" })) } : undefined,
  callOf: (_asked, { model, stream }) => ({ model: String(model), streams: stream === true }),
  inspect: inspectResponses,
  events: streamOf,
  whole: (reply, call) => responseOf(reply, call, true),
  idle: [{ name: "keepalive", data: { type: "keepalive", sequence_number: 0 } }],
  strange: [
    { name: "response.weather.delta", data: { type: "response.weather.delta", output_index: 0, delta: "clear" } },
    { data: { type: "codex.rate_limits", plan_type: "plus" } },
  ],
  refusal: (trouble, message) => ({ status: TROUBLES[trouble][0], body: { error: errorOf(trouble, message) } }),
  brokenOff: (trouble) => {
    const { code, message, type } = errorOf(trouble);
    if (trouble === "server_error") return named({ type: "error", code: code ?? type, message, param: null });
    const response = { id: "resp_fake", object: "response", status: "failed", output: [], error: { code, message } };
    return named({ type: "response.failed", response });
  },
  frame: sseFrame,
  head: responsesHead,
};

interface Typed extends Json {
  readonly type: string;
}

const named = (data: Typed, piece = false): WireEvent => ({ name: data.type, data, ...(piece && { piece }) });

function streamOf(reply: ReplyAct, call: Call): readonly WireEvent[] {
  const { parts } = reply;
  const blank = { ...responseOf(reply, call, false), status: "in_progress", usage: null };
  const items = parts.map((part, at) => itemEvents(part, at, placeOf(parts, at), finishOf(reply) === "refusal"));
  const end = endOf(reply);
  const events = [
    named({ type: "response.created", response: blank }),
    named({ type: "response.in_progress", response: blank }),
    ...inTurns(items, reply.interleaved === true),
    ...(end === undefined ? [] : [named({ type: `response.${end.status}`, response: responseOf(reply, call, true) })]),
  ];
  return events.map((event, at) => ({ ...event, data: { ...(event.data as Json), sequence_number: at } }));
}

interface End {
  readonly status: string;
  readonly reason?: string;
}

/** A dialect's own word is the reason of an incomplete response, or its status. */
function endOf(reply: ReplyAct): End | undefined {
  const finish = finishOf(reply);
  if (finish === null) return undefined;
  if (typeof finish === "object")
    return /^(?:completed|failed|cancelled)$/.test(finish.word) ? { status: finish.word } : incomplete(finish.word);
  if (finish === "length") return incomplete("max_output_tokens");
  return finish === "filter" ? incomplete("content_filter") : { status: "completed" };
}

const incomplete = (reason: string): End => ({ status: "incomplete", reason });

function responseOf(reply: ReplyAct, { model }: Call, ended: boolean): Json {
  const { status = "in_progress", reason } = endOf(reply) ?? {};
  const refuses = finishOf(reply) === "refusal";
  const output = reply.parts.map((part, at) => itemOf(part, at, refuses));
  const failed = status === "failed" ? { code: "server_error", message: "The model failed." } : null;
  return {
    id: "resp_fake",
    object: "response",
    created_at: 1_700_000_000,
    model,
    status,
    error: ended ? failed : null,
    incomplete_details: ended && reason !== undefined ? { reason } : null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    temperature: 1,
    top_p: 1,
    output: ended ? output : [],
    usage: usageOf(reply.usage) ?? null,
  };
}

function itemEvents(part: ScriptPart, at: number, output_index: number, refuses: boolean): WireEvent[] {
  const item = itemOf(part, at, refuses);
  return [
    named({ type: "response.output_item.added", output_index, item: { ...item, ...unfilled(part) } }),
    ...contentEvents(part, { item_id: String(item["id"]), output_index }, refuses),
    named({ type: "response.output_item.done", output_index, item }),
  ];
}

function unfilled(part: ScriptPart): Json {
  switch (part.type) {
    case "text":
      return { status: "in_progress", content: [] };
    case "reasoning":
      return { summary: [], encrypted_content: seal(MODE, "unfinished") };
    case "call":
      return { status: "in_progress", arguments: "" };
  }
}

interface Place {
  readonly item_id: string;
  readonly output_index: number;
}

function contentEvents(part: ScriptPart, place: Place, refuses: boolean): WireEvent[] {
  switch (part.type) {
    case "text":
      return textEvents(part, { ...place, content_index: 0 }, refuses);
    case "reasoning":
      return part.hidden ? [] : summaryEvents(part, { ...place, summary_index: 0 });
    case "call":
      return [
        ...inputPieces(part.input).map((delta) =>
          named({ type: "response.function_call_arguments.delta", ...place, delta }, true),
        ),
        named({
          type: "response.function_call_arguments.done",
          ...place,
          name: part.name,
          arguments: inputText(part.input),
        }),
      ];
  }
}

function textEvents(
  { text }: TextScript,
  place: Place & { readonly content_index: number },
  refuses: boolean,
): WireEvent[] {
  const word = refuses ? "refusal" : "output_text";
  const extra = refuses ? {} : { logprobs: [] };
  const field = refuses ? "refusal" : "text";
  return [
    named({ type: "response.content_part.added", ...place, part: contentOf("", refuses) }),
    ...piecesOf(text).map((delta) => named({ type: `response.${word}.delta`, ...place, delta, ...extra }, true)),
    named({ type: `response.${word}.done`, ...place, [field]: textOfPieces(text), ...extra }),
    named({ type: "response.content_part.done", ...place, part: contentOf(textOfPieces(text), refuses) }),
  ];
}

function summaryEvents({ text }: ReasoningScript, place: Place & { readonly summary_index: number }): WireEvent[] {
  const whole = textOfPieces(text);
  return [
    named({ type: "response.reasoning_summary_part.added", ...place, part: { type: "summary_text", text: "" } }),
    ...piecesOf(text).map((delta) => named({ type: "response.reasoning_summary_text.delta", ...place, delta }, true)),
    named({ type: "response.reasoning_summary_text.done", ...place, text: whole }),
    named({ type: "response.reasoning_summary_part.done", ...place, part: { type: "summary_text", text: whole } }),
  ];
}

const contentOf = (text: string, refuses: boolean): Json =>
  refuses ? { type: "refusal", refusal: text } : { type: "output_text", text, annotations: [], logprobs: [] };

function itemOf(part: ScriptPart, at: number, refuses: boolean): Json {
  switch (part.type) {
    case "text": {
      const content = [contentOf(textOfPieces(part.text), refuses)];
      return { id: `msg_fake${at}`, type: "message", status: "completed", role: "assistant", content };
    }
    case "reasoning": {
      const text = part.hidden ? "" : textOfPieces(part.text);
      const summary = part.hidden ? [] : [{ type: "summary_text", text }];
      return { id: `rs_fake${at}`, type: "reasoning", summary, encrypted_content: seal(MODE, text) };
    }
    case "call":
      return callItem(part, at);
  }
}

const callItem = ({ id, name, input }: CallScript, at: number): Json => ({
  id: `fc_fake${at}`,
  type: "function_call",
  status: "completed",
  arguments: inputText(input),
  ...(id !== null && { call_id: id ?? `call_fake${at}` }),
  name,
});

function usageOf(usage: ScriptUsage | null = DEFAULT_USAGE): Json | undefined {
  if (usage === null) return undefined;
  const { input, output, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = usage;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

interface ApiError {
  readonly message: string;
  readonly type: string;
  readonly param: null;
  readonly code: string | null;
}

function errorOf(trouble: Trouble, words?: string): ApiError {
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
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
  ],
  rate_limit: [429, "tokens", "rate_limit_exceeded", "Rate limit reached for fake-1. Please try again in 7s."],
  server_error: [500, "server_error", null, "The server had an error while processing your request."],
  overloaded: [503, "server_error", "server_is_overloaded", "Our servers are currently overloaded."],
};
