import { randomUUID } from "node:crypto";
import { MODEL_NAME, type ChatRequest, type RequestFault } from "./request.ts";

/** A call the practice model wants to have made. */
export interface WantedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type Reply =
  | { readonly type: "answer"; readonly text: string }
  /** `text` stands in front of the calls: what a person should see before they are made. */
  | { readonly type: "calls"; readonly calls: readonly WantedCall[]; readonly text?: string };

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** There is no tokenizer here: four characters are counted as one token. */
const CHARACTERS_PER_TOKEN = 4;
const tokens = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN);

const callsOnWire = (calls: readonly WantedCall[]): WireCall[] =>
  calls.map((call) => ({
    id: `call_${randomUUID().replaceAll("-", "")}`,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.input) },
  }));

interface WireCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

interface Envelope {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

/** `nowMs`: milliseconds since the epoch. */
const envelope = (nowMs: number): Envelope => ({
  id: `chatcmpl-${randomUUID().replaceAll("-", "")}`,
  created: Math.floor(nowMs / 1000),
  model: MODEL_NAME,
});

function usageOf(reply: Reply, request: ChatRequest): Usage {
  let read = 0;
  for (const message of request.messages) {
    read += message.text.length;
    for (const call of message.calls) read += call.arguments.length;
  }
  const calls = reply.type === "calls" ? JSON.stringify(reply.calls).length : 0;
  const written = (reply.text?.length ?? 0) + calls;
  return {
    prompt_tokens: tokens(read),
    completion_tokens: tokens(written),
    total_tokens: tokens(read) + tokens(written),
  };
}

/** The body of a reply that is not streamed. */
export function completion(reply: Reply, request: ChatRequest, nowMs: number): string {
  const message =
    reply.type === "answer"
      ? { role: "assistant", content: reply.text, refusal: null }
      : { role: "assistant", content: reply.text ?? null, refusal: null, tool_calls: callsOnWire(reply.calls) };
  return JSON.stringify({
    ...envelope(nowMs),
    object: "chat.completion",
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(reply) }],
    usage: usageOf(reply, request),
  });
}

/** The server-sent events of a streamed reply, one string each, `[DONE]` included. */
export function completionEvents(reply: Reply, request: ChatRequest, nowMs: number): string[] {
  const head = { ...envelope(nowMs), object: "chat.completion.chunk" };
  const usage = request.includeUsage ? { usage: null } : {};
  const chunk = (delta: object, finish: string | null): string =>
    event({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...usage });
  const events = [chunk({ role: "assistant", content: reply.text === undefined ? null : "" }, null)];
  for (const content of piecesOf(reply.text ?? "")) events.push(chunk({ content }, null));
  if (reply.type === "calls")
    callsOnWire(reply.calls).forEach((call, index) =>
      events.push(...callChunks(call, index).map((delta) => chunk(delta, null))),
    );
  events.push(chunk({}, finishOf(reply)));
  if (request.includeUsage) events.push(event({ ...head, choices: [], usage: usageOf(reply, request) }));
  events.push("data: [DONE]\n\n");
  return events;
}

const finishOf = (reply: Reply): string => (reply.type === "answer" ? "stop" : "tool_calls");

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

/** As the large providers do it: id and name first, then the arguments in fragments under the same index. */
function callChunks(call: WireCall, index: number): object[] {
  const { name, arguments: input } = call.function;
  const middle = Math.ceil(input.length / 2);
  return [
    { tool_calls: [{ index, id: call.id, type: "function", function: { name, arguments: "" } }] },
    { tool_calls: [{ index, function: { arguments: input.slice(0, middle) } }] },
    { tool_calls: [{ index, function: { arguments: input.slice(middle) } }] },
  ];
}

const PIECE_CHARACTERS = 160;

/** Cuts text for streaming, never inside a surrogate pair. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + PIECE_CHARACTERS, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

const isHighSurrogate = (code: number): boolean => code >= 0xd8_00 && code <= 0xdb_ff;

export function faultBody(fault: RequestFault): string {
  const { message, param, code } = fault;
  return JSON.stringify({ error: { message, type: "invalid_request_error", param, code } });
}

export const modelList = (): string =>
  JSON.stringify({ object: "list", data: [{ id: MODEL_NAME, object: "model", created: 0, owned_by: "evander" }] });
