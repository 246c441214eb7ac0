import type { Delta } from "../../protocol/fact.ts";
import type { Model, ModelReply, ModelRequest } from "../../protocol/ports.ts";
import type { ToolSpec } from "../../protocol/tool.ts";
import { type Endpoint, openEndpoint } from "../endpoint.ts";
import { type StreamLimits, streamLimits } from "../stream-limits.ts";
import { systemTimers, type Timers } from "../watchdog.ts";
import { Conversation } from "./conversation.ts";
import { ReplyDecoder } from "./decode.ts";
import { Exchange } from "./exchange.ts";

export type { StreamLimits } from "../stream-limits.ts";

export interface ChatProviderOptions {
  /** http(s) address below which `/chat/completions` lies; a trailing slash and a query are kept in order. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** Its name, for the provenance of reasoning. */
  readonly provider: string;
  /** Limits that were set explicitly, ms; they always hold (row C6). */
  readonly stream?: Partial<StreamLimits>;
  readonly timers?: Timers;
}

export interface ChatProvider {
  /** One conversation's view of the provider: it keeps the encoded head. One call at a time. */
  open(system: string, tools: readonly ToolSpec[]): Model;
  /** Closes the connections. */
  close(): void;
}

/** A server that speaks OpenAI chat completions. Throws a TypeError when the base URL or the key cannot be used. */
export function createChatProvider(options: ChatProviderOptions): ChatProvider {
  if (options.apiKey !== undefined && !/^[\x21-\x7e]+$/.test(options.apiKey)) {
    throw new TypeError("The API key is empty or holds white space or other characters that no header can carry.");
  }
  const endpoint = openEndpoint(options.baseUrl);
  return {
    open(system, tools) {
      const conversation = new Conversation(system, tools);
      return { call: (request, emit, signal) => call({ options, endpoint, conversation }, request, emit, signal) };
    },
    close: () => endpoint.close(),
  };
}

interface View {
  readonly options: ChatProviderOptions;
  readonly endpoint: Endpoint;
  readonly conversation: Conversation;
}

async function call(
  { options, endpoint, conversation }: View,
  request: ModelRequest,
  emit: (deltas: readonly Delta[]) => void,
  signal: AbortSignal,
): Promise<ModelReply> {
  if (signal.aborted) return { type: "aborted", text: "", reasoning: "" };
  const { where } = endpoint;
  const mask = masking(options.apiKey);
  const body = conversation.body(request);
  const limits = streamLimits(options.stream ?? {}, endpoint.local, body.length);
  const decoder = new ReplyDecoder({
    provenance: { provider: options.provider, model: request.model },
    takenIds: conversation.callIds,
    where,
    mask,
    now: Date.now,
  });
  const timers = options.timers ?? systemTimers;
  const exchange = new Exchange({ where, limits, timers, mask, now: Date.now, emit, signal }, decoder);
  const headers = {
    "content-type": "application/json",
    accept: "text/event-stream",
    "content-length": body.length,
    ...(options.apiKey !== undefined && { authorization: `Bearer ${options.apiKey}` }),
  };
  return exchange.run(endpoint.request("POST", "/chat/completions", headers), body);
}

/** Servers echo keys in their error texts; ours never shows one. */
function masking(secret: string | undefined): (text: string) => string {
  if (secret === undefined || secret.length < 4) return (text) => text;
  return (text) => text.replaceAll(secret, "***");
}
