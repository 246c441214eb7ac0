import { type Act, type Mode, raw, type ReplyAct, says } from "../dialects/script.ts";
import type { Json } from "../dialects/shape.ts";
import type { Step } from "../support/wire-script.ts";
import type { Victim } from "./fault.ts";

type Options = Partial<Omit<Step, "frames">>;

/** What an error says of itself beside its words, where the dialect has a place for it. */
export interface Told {
  /** The machine-readable word, instead of the one that comes with the status; null: none. */
  readonly code?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Stands beside the words. */
  readonly more?: Json;
}

/** An error as the servers of the dialect write it. */
export const errorBody = (mode: Mode, status: number, message: string, { code, more = {} }: Told = {}): Json => {
  const word = code === undefined ? wordOf(mode, status) : code;
  switch (mode) {
    case "chat_completions":
    case "codex_responses":
      return { error: { message, type: typeOf(status), param: null, code: word, ...more } };
    case "anthropic_messages":
      return { type: "error", error: { type: word ?? "api_error", message, ...more }, request_id: "req_fake" };
    case "gemini":
      return { error: { code: status, message, status: word ?? "UNKNOWN", ...more } };
    case "bedrock_converse":
      return { message, ...more };
  }
};

/** The same with its status, in answer to a request. */
export function refusesWith({ mode }: Pick<Victim, "mode">, status: number, message: string, told: Told = {}): Act {
  const kind = told.code === undefined ? wordOf(mode, status) : told.code;
  const own = mode === "bedrock_converse" && kind !== null ? { "x-amzn-errortype": kind } : {};
  const headers = { "content-type": "application/json", ...own, ...told.headers };
  return raw({ status, headers, frames: [JSON.stringify(errorBody(mode, status, message, told))] });
}

/** The same for whoever is refused. */
export const status =
  (code: number, message: string, told: Told = {}): ((victim: Victim) => Act) =>
  (victim) =>
    refusesWith(victim, code, message, told);

const typeOf = (status: number): string =>
  status === 429 ? "requests" : status >= 500 ? "server_error" : "invalid_request_error";

const wordOf = (mode: Mode, status: number): string | null => WORDS[mode][status] ?? null;

const WORDS: Readonly<Record<Mode, Readonly<Record<number, string>>>> = {
  chat_completions: { 401: "invalid_api_key", 429: "rate_limit_exceeded" },
  codex_responses: { 401: "invalid_api_key", 429: "rate_limit_exceeded", 503: "server_is_overloaded" },
  anthropic_messages: {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    422: "invalid_request_error",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
  },
  gemini: {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ABORTED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
  },
  bedrock_converse: {
    400: "ValidationException",
    401: "UnrecognizedClientException",
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    408: "ModelTimeoutException",
    409: "ConflictException",
    429: "ThrottlingException",
    500: "InternalServerException",
    503: "ServiceUnavailableException",
  },
};

/** A body that is no error of an API. */
export const answers = (status: number, contentType: string, body: string | Buffer, options: Options = {}): Act =>
  raw({ ...options, status, headers: { "content-type": contentType, ...options.headers }, frames: [body] });

/** A page as a proxy serves it, with the key in it. */
export const page = (title: string, { key }: Pick<Victim, "key">): string =>
  `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1><p>${key}</p></body></html>`;

export const html =
  (code: number, title: string): ((victim: Victim) => Act) =>
  (victim) =>
    answers(code, "text/html", page(title, victim));

/** The content type of a good reply. */
export const typeOfReply = ({ side, way }: Victim): string =>
  way === "stream" ? side.wire.contentType : "application/json";

/** The bytes of a good reply, in the pieces in which they leave. */
export function replyBytes({ side, way }: Victim, reply: ReplyAct): readonly Buffer[] {
  const { wire, model } = side;
  if (way === "whole") return [Buffer.from(JSON.stringify(wire.whole(reply, { model, streams: false })))];
  const framing = reply.framing ?? {};
  return wire.events(reply, { model, streams: true }).map((event) => wire.frame(event, framing));
}

/** Half a reply: of a stream all up to its first piece of text, of one piece half its bytes. */
export function halfBytes(victim: Victim, reply: ReplyAct = HALF): readonly Buffer[] {
  const { wire, model } = victim.side;
  if (victim.way === "whole") {
    const [whole = Buffer.alloc(0)] = replyBytes(victim, reply);
    return [whole.subarray(0, whole.length >> 1)];
  }
  const at = wire.events(reply, { model, streams: true }).findIndex(({ piece }) => piece === true);
  return replyBytes(victim, reply).slice(0, at + 1);
}

export const HALF: ReplyAct = says(["Half ", "an answer"]);
export const HELLO: ReplyAct = says(["Hel", "lo"]);

/** The head of a response, for what HTTP servers do not send. */
export const head = (status: string, headers: Readonly<Record<string, string>>): string =>
  [`HTTP/1.1 ${status}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), "", ""].join("\r\n");

/** A piece of a body whose length is not known. */
export const chunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
