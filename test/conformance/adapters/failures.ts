import type { Failure } from "../../../src/protocol/failure.ts";
import { contextLimit } from "../../../src/model/failure/context-limit.ts";
import { type Sent, toMatch } from "../../../src/model/failure/facts.ts";
import { failureOfStatus } from "../../../src/model/failure/refusal.ts";
import { retryAfterMs } from "../../../src/model/failure/retry-after.ts";
import { failureOfThrown } from "../../../src/model/failure/thrown.ts";
import { waitInWords } from "../../../src/model/failure/wait-in-words.ts";
import { waitAndRetry } from "../../../src/turn/recovery/wait-and-retry.ts";
import { UNATTENDED } from "../../../src/turn/state.ts";
import { begun } from "../../properties/ladder-climb.ts";
import { isObject, type Json, type JsonObject } from "../case-file.ts";
import { numberOf, objectOf, textOf, textOrNone } from "../input.ts";

const numberOrNone = (value: Json | undefined): number => (typeof value === "number" ? value : 0);

/** `{error, provider, model, approx_tokens, context_length, num_messages}`: an error as a client throws it. */
export function errorClassificationCase(input: Json): unknown {
  const {
    error,
    provider,
    model,
    approx_tokens: tokens,
    context_length: window,
    num_messages: messages,
  } = objectOf(input, "input");
  const sent: Sent = {
    provider: textOrNone(provider),
    model: textOrNone(model),
    tokens: numberOrNone(tokens),
    messages: numberOrNone(messages),
    window: typeof window === "number" ? window : undefined,
  };
  const failure = failureOfThrown(error, { where: "h", nowMs: 0, sent });
  const { reason, retryable, shouldCompress, shouldRotateCredential, shouldFallback } = failure;
  return {
    reason,
    hints: {
      retryable,
      compress: shouldCompress,
      rotate_credential: shouldRotateCredential,
      fallback: shouldFallback,
    },
    status_code: failure.status ?? null,
  };
}

/** `{message, current?}`: the window that a server names, or the one to go on with where it is smaller. */
export function contextLimitCase(input: Json): unknown {
  const { message, current } = objectOf(input, "input");
  const limit = contextLimit(toMatch(textOf(message, "message")));
  if (current === undefined) return { limit: limit ?? null };
  const failure = refused(400, { body: textOf(message, "message"), window: numberOf(current, "current") });
  return { new_limit: failure.contextLimit ?? null };
}

interface Refused {
  readonly body: string;
  readonly headers?: JsonObject;
  /** ms. */
  readonly now?: number;
  readonly window?: number;
}

function refused(status: number, { body, headers = {}, now = 0, window }: Refused): Failure {
  const sent: Sent = { provider: "", model: "", tokens: 0, messages: 0, window };
  return failureOfStatus({ status, headers: asOnWire(headers), body, where: "h", nowMs: now, sent });
}

/** As Node.js hands headers over: their names in lower case, their values as text. */
const asOnWire = (headers: JsonObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "number" ? [[name.toLowerCase(), String(value)]] : [],
    ),
  );

/** `{message, body, headers, now}` in seconds: what a pool is told of a limit. */
export function errorContextCase(input: Json): unknown {
  const { message, body, headers, now } = objectOf(input, "input");
  const seconds = numberOf(now, "now");
  const failure = refused(429, {
    body: isObject(body ?? null) ? JSON.stringify(body) : textOf(message, "message"),
    headers: isObject(headers ?? null) ? objectOf(headers, "headers") : {},
    now: seconds * 1_000,
  });
  const words = failure.message.replace(/^HTTP 429 from h: /u, "");
  return {
    ...(failure.code !== undefined && { reason: failure.code }),
    message: words === "Too Many Requests" ? message : words,
    ...(failure.retryAfterMs !== undefined && { reset_at: seconds + failure.retryAfterMs / 1_000 }),
  };
}

/** An instant is a number of seconds, however it was written. */
export function errorContextExpectation(expect: Json): Json {
  const { reset_at: reset, ...rest } = objectOf(expect, "expect");
  if (typeof reset !== "string") return expect;
  const seconds = Number.isNaN(Number(reset)) ? Date.parse(reset) / 1_000 : Number(reset);
  return { ...rest, reset_at: seconds };
}

/** `{value}` of a header, or `{headers}`, at `now`: seconds to wait; with `op: "loop_wait"` those that the loop waits. */
export function retryAfterCase(input: Json): unknown {
  const { value, headers, now, op } = objectOf(input, "input");
  const given = headers === undefined ? { "retry-after": value ?? null } : objectOf(headers, "headers");
  const nowMs = Date.parse(textOf(now, "now"));
  const ms = op === "loop_wait" ? loopWait(given, nowMs) : retryAfterMs(asOnWire(given), undefined, nowMs);
  return { seconds: ms === undefined ? null : ms / 1_000 };
}

/** Of a loop whose patience has no end; undefined where it waits as long as it likes. */
function loopWait(headers: JsonObject, now: number): number | undefined {
  const state = begun({ ...UNATTENDED.retry, maxWaitMs: Infinity }, 1);
  const action = waitAndRetry(refused(429, { body: "", headers, now }), state);
  return action?.do === "wait-and-retry" && action.jitterMs === 0 ? action.delayMs : undefined;
}

/** `{headers}`: seconds to wait from now. */
export function retryAfterHeadersCase(input: Json): unknown {
  const ms = retryAfterMs(asOnWire(objectOf(objectOf(input, "input")["headers"], "headers")), undefined, Date.now());
  return { seconds: ms === undefined ? null : ms / 1_000 };
}

/** `{text}`: seconds to wait. */
export function retryAfterTextCase(input: Json): unknown {
  const ms = waitInWords(toMatch(textOf(objectOf(input, "input")["text"], "text")));
  return { seconds: ms === undefined ? null : ms / 1_000 };
}

/** What a client of the other reference tells of a failed reply. */
function toldFailure(input: JsonObject): Pick<Failure, "reason" | "retryable" | "shouldCompress" | "shouldFallback"> {
  const { content, error_status_code: status, error_kind: kind, error_type: type, error_code: code } = input;
  const { error_should_retry: wish } = input;
  const message = textOrNone(content);
  const error = { message, type: textOrNone(type), code: textOrNone(code) };
  const wished = typeof wish === "boolean" && { "x-should-retry": String(wish) };
  if (typeof status === "number") return refused(status, { body: JSON.stringify({ error }), headers: { ...wished } });
  const thrown = {
    type: KINDS.get(textOrNone(kind).toLowerCase()) ?? "Exception",
    message,
    body: { error },
    headers: { ...wished },
  };
  return failureOfThrown(thrown, { where: "h", nowMs: 0 });
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ["timeout", "TimeoutError"],
  ["connection", "ConnectionError"],
]);

/** Eagerly, or as the last resort where no wait helped. */
const fallsBack = ({ shouldFallback, retryable, shouldCompress }: ReturnType<typeof toldFailure>): boolean =>
  shouldFallback || (retryable && !shouldCompress);

/** `{content, error_status_code, error_kind, error_type, error_code}`: whether it passes, whose bill it is, who is next. */
export function retryClassifyCase(input: Json): unknown {
  const told = toldFailure(objectOf(input, "input"));
  return { transient: told.retryable, billing: told.reason === "billing", fallback_allowed: fallsBack(told) };
}

export const fallbackClassifyCase = (input: Json): unknown => ({
  fallback_allowed: fallsBack(toldFailure(objectOf(input, "input"))),
});
