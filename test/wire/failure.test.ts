import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { expect, test } from "vitest";
import type { Failure } from "../../src/protocol/failure.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { connect } from "../support/wire-client.ts";
import { broken, PAUSE, refuse, type Step, stream } from "../support/wire-script.ts";

async function failureOf(step: Step, apiKey?: string): Promise<Failure> {
  await using provider = await fakeProvider([step]);
  using client = connect(provider.baseUrl, { apiKey });
  const { reply } = await client.call();
  if (reply.type !== "failure") throw new Error(`expected a failure: ${JSON.stringify(reply)}`);
  return reply.failure;
}

const said = (message: string, more: object = {}): object => ({ error: { message, ...more } });
const hints = ({ retryable, shouldCompress, shouldRotateCredential, shouldFallback }: Failure): string =>
  `${retryable ? "R" : ""}${shouldCompress ? "C" : ""}${shouldRotateCredential ? "K" : ""}${shouldFallback ? "F" : ""}`;

const CASES: readonly (readonly [status: number, body: unknown, reason: string, hints: string])[] = [
  [400, said("Something is off"), "format_error", "F"],
  [400, said("Unsupported parameter: 'max_tokens'", { code: "unsupported_parameter" }), "format_error", "F"],
  [400, said("prompt is too long: 203412 tokens > 200000 maximum"), "context_overflow", "RC"],
  [400, said("too big", { type: "invalid_request_error", code: "context_length_exceeded" }), "context_overflow", "RC"],
  [400, said("This request was flagged", { code: "content_filter" }), "content_policy_blocked", "F"],
  [400, said("foo is not a valid model ID"), "model_not_found", "F"],
  [401, said("Incorrect API key provided", { code: "invalid_api_key" }), "auth", "KF"],
  [401, said("monthly usage limit reached for this workspace"), "billing", "KF"],
  [402, { error: "Spend limit configured for this API key is used up" }, "billing", "KF"],
  [403, said("Region not supported"), "auth", "F"],
  [403, said("Weekly usage limit reached, resets in 6h 29m"), "rate_limit", "RKF"],
  [404, said("The model `x` does not exist", { code: "model_not_found" }), "model_not_found", "F"],
  [404, "404 page not found", "unknown", "R"],
  [408, said("slow"), "timeout", "R"],
  [413, said("Request entity too large"), "payload_too_large", "RC"],
  [422, { detail: [{ msg: "field required" }] }, "format_error", "F"],
  [429, said("Slow down"), "rate_limit", "RKF"],
  [429, said("The engine is overloaded"), "overloaded", "R"],
  [500, said("boom"), "server_error", "R"],
  [502, "<html><title>502 Bad Gateway</title></html>", "server_error", "R"],
  [503, said("loading"), "overloaded", "R"],
  [529, said("Overloaded", { type: "overloaded_error" }), "overloaded", "R"],
  [599, "", "server_error", "R"],
];

test.for(CASES)("[D1] status %i with %j is %s (%s)", async ([status, body, reason, expected]) => {
  const failure = await failureOf(refuse(status, body));
  expect([failure.reason, hints(failure), failure.status]).toEqual([reason, expected, status]);
  expect(failure.message).toContain(`HTTP ${status}`);
});

test("[ERR-03] an exhausted account sent as 429 is billing: not retried with this key", async () => {
  const message = "You exceeded your current quota, please check your plan and billing details.";
  const failure = await failureOf(
    refuse(429, said(message, { type: "insufficient_quota", code: "insufficient_quota" })),
  );
  expect([failure.reason, hints(failure)]).toEqual(["billing", "KF"]);
  expect(failure.message).toContain(message);
});

test("[ERR-01] a spent limit of this key is billing, in the server's own words", async () => {
  const words = "Spend limit configured for this API key is used up (account balance remains)";
  const failure = await failureOf(refuse(402, { error: words }));
  expect([failure.reason, hints(failure)]).toEqual(["billing", "KF"]);
  expect(failure.message).toContain(words);
});

test.for([
  ["rate limit exceeded", "rate_limit"],
  ["usage limit exceeded, try again in 5 minutes", "rate_limit"],
  ["Monthly spending limit exceeded", "billing"],
  ["too many requests", "rate_limit"],
])("[ERR-02] without a status, %j is %s", async ([message, reason]) => {
  const failure = await failureOf(stream([`data: ${JSON.stringify({ error: { message } })}\n\n`]));
  expect(failure.reason).toBe(reason);
});

test.for([
  "context_overflow",
  "Context overflow: prompt too large for the model",
  "context_length_exceeded",
  "prompt is too long: 203412 tokens > 200000 maximum",
  "Input is too long for requested model.",
  "This endpoint's maximum context length is 32768 tokens. However, you requested about 40112 tokens",
  "The input token count (1201993) exceeds the maximum number of tokens allowed (1048576)",
  "Requested tokens (9000) exceed context window of 8192",
  "request (8305 tokens) exceeds the available context size (8192 tokens), try increasing it",
  "exceeded max context length by 120 tokens",
  "model_context_window_exceeded",
  "Your input exceeds the context window of this model",
  "输入长度超过模型最大上下文",
  "total message size 5242881 exceeds limit 5242880",
])("[ERR-09] %j asks for compression and rotates nothing", async (message) => {
  const failure = await failureOf(refuse(400, said(message)));
  const reason = message.startsWith("total message size") ? "payload_too_large" : "context_overflow";
  expect([failure.reason, hints(failure)]).toEqual([reason, "RC"]);
});

test("[ERR-12] an HTML error page becomes one short line without markup", async () => {
  const page =
    "<html><head><title>502 Bad Gateway</title></head><body><center>\n<h1>502 Bad Gateway</h1></center><hr>cloudflare</body></html>";
  const { message } = await failureOf(refuse(502, page));
  expect(message).toMatch(
    /^HTTP 502 from 127\.0\.0\.1:\d+: 502 Bad Gateway; a proxy answered in place of the server: see whether that runs$/,
  );
  const untitled = await failureOf(refuse(503, "<html><body>gone</body></html>"));
  expect(untitled.message).not.toMatch(/[<\n]/);
});

test("[ERR-12] a message is one line, cut to a sane length, and control characters are gone", async () => {
  const { message } = await failureOf(refuse(500, said(`a\n\tb\u001b[31m${"x".repeat(5_000)}`)));
  expect(message).not.toMatch(/\p{Cc}/u);
  expect(message.length).toBeLessThanOrEqual(300);
});

test("[D1] a key that the server echoes never comes back, in a body or in a stream, not even a part of it", async () => {
  const key = "sk-very-secret-0123456789";
  for (const before of [0, 200, 240, 260]) {
    const words = said(`${"y".repeat(before)} the key ${key} is wrong`);
    const refused = await failureOf(refuse(500, words), key);
    const streamed = await failureOf(stream([`data: ${JSON.stringify(words)}\n\n`]), key);
    for (const { message } of [refused, streamed]) expect(message).not.toMatch(/sk-|very|secret/);
  }
});

test("[ERR-06] Retry-After is read whatever its case, also as ms and from the body, for every status", async () => {
  const wait = async (
    status: number,
    headers: Readonly<Record<string, string>>,
    body: unknown = said("x"),
  ): Promise<unknown> => (await failureOf(refuse(status, body, headers))).retryAfterMs;
  expect(await wait(429, { "Retry-After": "1.5" })).toBe(1_500);
  expect(await wait(503, { "RETRY-AFTER": "7" })).toBe(7_000);
  expect(await wait(524, { "retry-after-ms": "250", "retry-after": "9" })).toBe(250);
  expect(await wait(503, {}, { retry_after: 60 })).toBe(60_000);
  expect(await wait(429, { "retry-after": "soon" })).toBeUndefined();
});

test("[C7] a redirect is a failure that says what to do", async () => {
  const failure = await failureOf(refuse(301, "", { location: "https://else.where/v1?token=abc" }));
  expect(failure).toMatchObject({ reason: "format_error", retryable: false, status: 301 });
  expect(failure.message).toMatch(/redirects to https:\/\/else\.where\/v1 \(HTTP 301\); set the base URL/);
});

test("[C7] a compressed reply that nobody asked for is named", async () => {
  const failure = await failureOf(stream(["xx"], { headers: { "content-encoding": "gzip" } }));
  expect(failure.message).toContain("gzip");
});

test("[D1] nothing listens: a retryable failure that names host and port", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = portOf(server);
  server.close();
  await once(server, "close");
  using client = connect(`http://127.0.0.1:${port}/v1`, { apiKey: "sk-12345678" });
  const { reply } = await client.call();
  expect(reply).toMatchObject({ type: "failure", failure: { reason: "timeout", retryable: true } });
  expect(JSON.stringify(reply)).toContain(`Nothing answers at 127.0.0.1:${port}`);
});

test("[D1] an unknown host is named", async () => {
  using client = connect("http://no-such-host.invalid/v1");
  const { reply } = await client.call();
  expect(reply).toMatchObject({ type: "failure", failure: { reason: "timeout" } });
  expect(JSON.stringify(reply)).toContain("no-such-host.invalid:80");
});

test("[D1] https to a server that speaks plain HTTP is not retried", async () => {
  await using provider = await fakeProvider([]);
  using client = connect(provider.baseUrl.replace("http:", "https:"));
  const { reply } = await client.call();
  expect(reply).toMatchObject({ type: "failure", failure: { retryable: false } });
  expect(JSON.stringify(reply)).toContain("does not speak TLS");
});

test("[D1] something that speaks no HTTP is not retried", async () => {
  const server = createServer((socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n")).listen(0, "127.0.0.1");
  await once(server, "listening");
  using client = connect(`http://127.0.0.1:${portOf(server)}/v1`);
  const { reply } = await client.call();
  server.close();
  expect(reply).toMatchObject({ type: "failure", failure: { retryable: false } });
  expect(JSON.stringify(reply)).toContain("does not speak HTTP");
});

test("[D1] a server that stops speaking HTTP in the middle of its reply is asked again", async () => {
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
  const server = createServer((socket) => socket.end(`${head}zz\r\n`)).listen(0, "127.0.0.1");
  await once(server, "listening");
  using client = connect(`http://127.0.0.1:${portOf(server)}/v1`);
  const { reply } = await client.call();
  server.close();
  expect(reply).toMatchObject({ type: "failure", failure: { reason: "timeout", retryable: true } });
  expect(JSON.stringify(reply)).toContain("in the middle of its reply is not HTTP");
});

test("[C10] a reset before and after content", async () => {
  const before = await failureOf({ frames: [], end: "reset" });
  expect(before).toMatchObject({ reason: "timeout", retryable: true });
  await using provider = await fakeProvider([broken({ text: ["Hello ", "there"] }, 2, "reset")]);
  using client = connect(provider.baseUrl);
  const { reply, text } = await client.call();
  expect(reply).toMatchObject({ type: "failure", failure: { reason: "timeout" } });
  // A reset may overtake bytes on their way: what is reported is what was shown.
  expect(reply.type === "failure" ? (reply.partial?.text ?? "") : undefined).toBe(text);
});

test("[C10] a connection that is lost behind the finish reason takes nothing along", async () => {
  for (const end of ["cut", "open"] as const) {
    const step = broken({ text: "Hello there." }, 3, end);
    // In one piece: on a busy machine a silence between two would be the one that is waited for.
    await using provider = await fakeProvider([{ ...step, frames: [step.frames.map(String).join("")] }]);
    using client = connect(provider.baseUrl, { stream: { idleMs: 50 } });
    const { reply } = await client.call();
    expect(reply).toMatchObject({ type: "message", finish: "stop" });
  }
});

test("[C13] an answer that comes before the request was sent whole destroys its connection", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const serving = serveTooLarge(server);
  using client = connect(`http://127.0.0.1:${portOf(server)}/v1`);
  const text = "x".repeat(50_000_000);
  const { reply } = await client.call({ history: [{ role: "user", parts: [{ type: "text", text }] }] });
  expect(reply).toMatchObject({ type: "failure", failure: { reason: "payload_too_large" } });
  const received = await serving;
  server.close();
  // The rest of the body never left.
  expect(received).toBeLessThan(text.length);
});

/** Answers after the first bytes, then reads on; resolves with the number of bytes when the connection is closed. */
async function serveTooLarge(server: Server): Promise<number> {
  const [socket] = (await once(server, "connection")) as [Socket];
  let bytes = 0;
  socket.on("error", () => undefined);
  socket.once("data", () => socket.write("HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n", () => socket.pause()));
  socket.on("data", (chunk) => (bytes += chunk.length));
  // Whatever comes later than the answer only counts once the client has had time to see it.
  socket.once("pause", () => setImmediate(() => socket.resume()));
  await once(socket, "close");
  return bytes;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

test("[C4] a server that keeps the connection open behind [DONE] does not hold up the reply", async () => {
  const step = stream([
    `data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`,
    PAUSE,
  ]);
  await using provider = await fakeProvider([step]);
  using client = connect(provider.baseUrl);
  expect((await client.call()).reply).toMatchObject({ type: "message", finish: "stop" });
});
