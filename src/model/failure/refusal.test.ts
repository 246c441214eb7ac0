import { expect, test } from "vitest";
import type { Failure } from "../../protocol/failure.ts";
import type { Sent } from "./facts.ts";
import { failureOfNetwork } from "./network.ts";
import { failureOfError, failureOfStatus } from "./refusal.ts";
import { failureOfThrown } from "./thrown.ts";

const AROUND = { where: "h:1", nowMs: 1_800_000_000_000 };

const SMALL: Sent = { provider: "", model: "gpt-5", tokens: 1_000, messages: 4, window: 200_000 };
const LARGE: Sent = { ...SMALL, tokens: 150_000, messages: 90 };

interface Around {
  readonly sent?: Sent;
  readonly headers?: Readonly<Record<string, string>>;
}

const refused = (status: number, body: unknown, { sent = SMALL, headers = {} }: Around = {}): Failure =>
  failureOfStatus({
    ...AROUND,
    status,
    headers,
    sent,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const said = (message: string, more: object = {}): object => ({ error: { message, ...more } });

const hints = ({ retryable, shouldCompress, shouldRotateCredential, shouldFallback }: Failure): string =>
  `${retryable ? "R" : ""}${shouldCompress ? "C" : ""}${shouldRotateCredential ? "K" : ""}${shouldFallback ? "F" : ""}`;

test.each<[number, object, string, string]>([
  [403, said("Weekly usage limit reached, resets in 6h 29m"), "rate_limit", "RKF"],
  [401, said("monthly usage limit reached for this workspace"), "billing", "KF"],
  [401, said("Invalid API key"), "auth", "KF"],
  [403, said("Region not supported"), "auth", "F"],
  [403, said("You have exceeded a secondary rate limit"), "rate_limit", "RKF"],
])("[ERR-05] %i with %j: the body is read before the status decides", (status, body, reason, expected) => {
  const failure = refused(status, body);
  expect([failure.reason, hints(failure)]).toEqual([reason, expected]);
});

test("[ERR-05] the reset that stands in the text is the wait", () => {
  const { retryAfterMs } = refused(403, said("Weekly usage limit reached, resets in 6h 29m"));
  expect(retryAfterMs).toBe((6 * 60 + 29) * 60_000);
});

test("[ERR-10] an overflow in the nested body of an aggregator is one, with the window that the model really has", () => {
  const raw = '{"code":"InvalidParameter","message":"Range of input length should be [1, 983616]"}';
  const sent = { ...LARGE, tokens: 941_272, window: 1_000_000 };
  const failure = refused(400, said("Provider returned error", { metadata: { raw } }), { sent });
  expect(failure).toMatchObject({ reason: "context_overflow", shouldCompress: true, contextLimit: 983_616 });
  expect(failure.message).toContain("Provider returned error: Range of input length");
});

test("[ERR-10] a 400 that says nothing means its length where the request is large, and else is refused", () => {
  for (const body of ["", said("Error"), said("Provider returned error"), { message: "bad" }]) {
    expect(refused(400, body, { sent: LARGE })).toMatchObject({ reason: "context_overflow", shouldCompress: true });
    expect(refused(400, body)).toMatchObject({ reason: "format_error", retryable: false });
  }
  const clear = said("Invalid value for parameter 'temperature': must be between 0 and 2");
  expect(refused(400, clear, { sent: LARGE })).toMatchObject({ reason: "format_error" });
});

test.each([
  [said("Unsupported parameter: 'max_tokens' is not supported with this model.", { code: "unsupported_parameter" })],
  [said("Unsupported value: 'temperature' does not support 0.7 with this model.", { param: "temperature" })],
  [said("Function tools with reasoning_effort are not supported for this model")],
])("[ERR-14] a refused parameter is no overflow and no missing model: %j", (body) => {
  expect(refused(400, body)).toMatchObject({ reason: "format_error", shouldCompress: false, retryable: false });
});

test("[ERR-11] an error that names the output budget says how much output there is room for", () => {
  const words = "input length and `max_tokens` exceed context limit: 150000 + 64000 > 200000, decrease input length";
  expect(refused(400, said(words))).toMatchObject({ outputRoom: 50_000 });
});

test("[D1] a connection that is lost on a large request may mean its length; on a small one, or a slow thinker, it does not", () => {
  const reset = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
  const lost = (sent: Sent, begun = false): Failure => failureOfNetwork(reset, "h:1", { begun, sent });
  expect(lost(LARGE)).toMatchObject({ reason: "context_overflow", shouldCompress: true, rule: "disconnected-large" });
  expect(lost(SMALL)).toMatchObject({ reason: "timeout", shouldCompress: false });
  expect(lost({ ...LARGE, window: 1_000_000 }).reason).toBe("timeout");
  expect(lost({ ...LARGE, model: "deepseek/deepseek-r1:free" }).reason).toBe("timeout");
  // A server that has begun to answer has taken the request.
  expect(lost(LARGE, true).reason).toBe("timeout");
});

test("[D1] a gateway's page on a large request may mean its length", () => {
  const page = "<html><head><title>502 Bad Gateway</title></head><body>cloudflare</body></html>";
  expect(refused(502, page, { sent: LARGE })).toMatchObject({ reason: "context_overflow", rule: "5xx-large-gateway" });
  expect(refused(502, page)).toMatchObject({ reason: "server_error", retryable: true });
  expect(refused(502, "Bad Gateway", { sent: LARGE }).reason).toBe("server_error");
});

test("[D1] the words of a page are not a server's: a page that is not there is no missing model", () => {
  const page = "<!doctype html><title>404</title><p>The page you look for does not exist. Rate limit, quota, window.";
  expect(refused(404, page)).toMatchObject({ reason: "unknown", retryable: true });
});

test.each([
  ["EMFILE", "too many files open"],
  ["ENOBUFS", "no memory left"],
  ["EACCES", "firewall or sandbox"],
])("[D1] %s is this machine's fault: no other key, no other model", (code, words) => {
  const failure = failureOfNetwork(Object.assign(new Error("x"), { code }), "h:1", { begun: false, sent: LARGE });
  expect(failure).toMatchObject({ reason: "unknown", unsent: true, rule: "local-machine" });
  expect(hints(failure)).toBe("R");
  expect(failure.message).toContain(words);
});

test("[D1] a code is found in the causes of an error, five deep", () => {
  const wrapped = (depth: number): Error =>
    depth === 0
      ? Object.assign(new Error("x"), { code: "ENOTFOUND" })
      : new Error("around", { cause: wrapped(depth - 1) });
  expect(failureOfNetwork(wrapped(4), "h:1", { begun: false }).message).toContain("is not known");
  expect(failureOfNetwork(wrapped(9), "h:1", { begun: false }).rule).toBe("disconnected");
});

test.each([
  [{ type: "TypeError", message: "x is not a function" }],
  [{ type: "ValueError", message: "rate limit is not a number" }],
  [{ name: "Error", code: "ENOSPC", message: "ENOSPC: no space left on device, write" }],
  [{ type: "OperationalError", message: "database is locked" }],
])("[D1] a local fault is no fault of the provider: %j", (error) => {
  const failure = failureOfThrown(error, AROUND);
  expect([failure.reason, hints(failure)]).toEqual(["unknown", ""]);
});

test.each([
  [{ type: "JSONDecodeError", bases: ["ValueError"], message: "Expecting value" }, "unknown", "R"],
  [{ type: "TypeError", message: "'NoneType' object is not iterable" }, "unknown", "R"],
  [{ type: "ValueError", message: "bad", status_code: 503 }, "overloaded", "R"],
])("[D1] what a server sent is no local fault: %j", (error, reason, expected) => {
  const failure = failureOfThrown(error, AROUND);
  expect([failure.reason, hints(failure)]).toEqual([reason, expected]);
});

test.each([
  ["当前访问量过大，请稍后再试", "overloaded"],
  ["您的账户余额不足，请充值", "billing"],
  ["请求过于频繁", "rate_limit"],
  ["输入长度超过模型最大上下文", "context_overflow"],
  ["系统检测到输入或生成内容可能包含不安全或敏感内容", "content_policy_blocked"],
  ["模型不存在，请检查模型代码", "model_not_found"],
])("[D1] %s is %s", (words, reason) => {
  expect(failureOfError(said(words), AROUND).reason).toBe(reason);
});

test.each<[number, object, string]>([
  [
    400,
    { error: { code: "400", message: "Param Incorrect", param: "text is not set" } },
    "multimodal_tool_content_unsupported",
  ],
  [400, { error: { message: "Value out of range", param: "max_tokens" } }, "format_error"],
  [400, { code: "Arrearage", message: "Access denied, please make sure your account is in good standing." }, "billing"],
  [
    400,
    { code: "DataInspectionFailed", message: "Input data may contain inappropriate content." },
    "content_policy_blocked",
  ],
  [503, { code: "Throttling.RateQuota", message: "Requests rate limit exceeded" }, "rate_limit"],
  [
    413,
    { error: { code: "rate_limit_exceeded", message: "Request too large on tokens per minute (TPM)" } },
    "payload_too_large",
  ],
  [
    429,
    { error: { code: "rate_limit_exceeded", message: "Request too large for gpt-4o on tokens per min" } },
    "payload_too_large",
  ],
])("[D1] %i with %j is %s", (status, body, reason) => {
  expect(refused(status, body).reason).toBe(reason);
});

test("[D1] a problem as gateways tell it in JSON: its detail is the sentence, its name decides where the request is large", () => {
  const problem = {
    type: "https://developers.cloudflare.com/support/troubleshooting/http-status-codes/",
    title: "Error 502: Bad gateway",
    status: 502,
    error_name: "origin_bad_gateway",
  };
  const failure = refused(502, problem, { sent: LARGE });
  expect(failure).toMatchObject({ reason: "context_overflow", code: "origin_bad_gateway" });
  expect(failure.message).toBe("HTTP 502 from h:1: Error 502: Bad gateway");
  expect(refused(502, { ...problem, detail: "Try later." }).message).toBe("HTTP 502 from h:1: Try later.");
});

test.each([
  ["prompt is too long: 205000 tokens > 200000 maximum", 200_000],
  ["This model's maximum context length is 128,000 tokens. However, you requested 150,000 tokens.", 128_000],
  ["Requested tokens (9000) exceed context window of 8192", 8_192],
  ["request (8305 tokens) exceeds the available context size (8192 tokens), try increasing it", 8_192],
  ["The input token count (1201993) exceeds the maximum number of tokens allowed (1048576)", 1_048_576],
  ["The engine prompt length 1327246 exceeds the max_model_len 131072. Please reduce prompt.", 131_072],
  ["Your input exceeds the context window of this model.", undefined],
  ["context window of 12 tokens", undefined],
])("[D14] the window in %j is %s", (words, limit) => {
  const sent = { ...SMALL, window: undefined };
  expect(refused(400, said(words), { sent }).contextLimit).toBe(limit);
});

test("[D14] a window that is not smaller than the known one is no news", () => {
  expect(refused(400, said("prompt is too long: 205000 tokens > 200000 maximum"))).not.toHaveProperty("contextLimit");
});

test.each([
  ["messages.0.content.1.image: image dimensions exceed max allowed size: 8000 pixels", 8_000],
  ["At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels", 2_000],
  ["image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes", undefined],
])("[D3] %j allows a side of %s px", (words, side) => {
  expect(refused(400, said(words))).toMatchObject({ reason: "image_too_large" });
  expect(refused(400, said(words)).imageMaxDimension).toBe(side);
});

test.each<[string, number | undefined]>([
  ["Rate limit reached, please try again in 1.5s.", 1_500],
  ["Please try again in 6m0s.", 360_000],
  ["Rate limit. It resets in 1h 2m", 3_720_000],
  ["limit resets in 1 hour, 2 minutes and 3 seconds", 3_723_000],
  ["please retry after 20 seconds", 20_000],
  ["Too many requests, retry after 7", 7_000],
  ['{"quotaResetDelay": "1500ms"}', 1_500],
  ["too many requests: wait 2 min before retry", 120_000],
  ["too many requests, retry 5s later", 5_000],
  ["too many requests, retry 3 times", undefined],
  ["Rate limit reached for 60 requests", undefined],
  ["too many requests, try again in 99999999 days", undefined],
])("[D4] %j asks for %s ms", (words, ms) => {
  expect(refused(429, said(words)).retryAfterMs).toBe(ms);
});

test("[D4] a time in a text that is about something else is none to wait for", () => {
  expect(refused(400, said("context length exceeded; do not retry in 5s"))).not.toHaveProperty("retryAfterMs");
});

test("[D4] the end of a limit in the body: seconds or milliseconds of the clock, or a date", () => {
  const inAMinute = AROUND.nowMs + 60_000;
  for (const at of [inAMinute, inAMinute / 1_000, new Date(inAMinute).toISOString()])
    expect(refused(429, said("full", { resets_at: at })).retryAfterMs).toBe(60_000);
});

test("[D4] limits as Anthropic tells them: the latest of those that are used up", () => {
  const at = (seconds: number): string => new Date(AROUND.nowMs + seconds * 1_000).toISOString();
  const headers = {
    "anthropic-ratelimit-requests-remaining": "12",
    "anthropic-ratelimit-requests-reset": at(300),
    "anthropic-ratelimit-input-tokens-remaining": "0",
    "anthropic-ratelimit-input-tokens-reset": at(20),
  };
  expect(refused(429, said("full"), { headers }).retryAfterMs).toBe(20_000);
});

test("[D1] a server that says not to ask again is obeyed, but what can be repaired is repaired", () => {
  const headers = { "x-should-retry": "false" };
  expect(refused(503, said("closed"), { headers })).toMatchObject({ reason: "overloaded", retryable: false });
  expect(refused(400, said("prompt is too long"), { headers })).toMatchObject({
    retryable: true,
    shouldCompress: true,
  });
  const again = { "x-should-retry": "true" };
  expect(refused(400, said("lock timeout"), { headers: again })).toMatchObject({ retryable: true });
  expect(refused(401, said("no key"), { headers: again })).toMatchObject({ retryable: false });
});

test("[D1] the server's own word for machines is kept, also out of a sentence that is JSON", () => {
  const inner = {
    error: { message: "The encrypted content for item rs_1 could not be verified.", code: "invalid_encrypted_content" },
  };
  expect(refused(400, said(JSON.stringify(inner), { type: "400" }))).toMatchObject({
    reason: "invalid_encrypted_content",
    code: "invalid_encrypted_content",
  });
  const oauth = refused(400, { error: "invalid_grant", error_description: "The refresh token was used before." });
  expect(oauth).toMatchObject({ code: "invalid_grant" });
  expect(oauth.message).toBe("HTTP 400 from h:1: The refresh token was used before.");
});
