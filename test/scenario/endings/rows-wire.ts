import { gzipSync } from "node:zlib";
import {
  broken,
  delta,
  DONE,
  event,
  refuse,
  reply,
  type ReplyScript,
  replyFrames,
  say,
  stream,
  type Wait,
  wholeJson,
} from "../../support/wire-script.ts";
import { bytes, EMPTY, http, OUT_OF_REACH, PARTIAL, recovers, type Row } from "./row.ts";

const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
const OPEN_HEAD = `${HEAD}connection: close\r\n\r\n`;
const HALF = replyFrames({ text: "half an ans" }).slice(0, 2).join("");
const WHOLE = replyFrames({ text: "fine" }).join("");
const CALLING: ReplyScript = { calls: [{ id: "c1", name: "search_files", arguments: { path: "." } }] };
const [, NAMED = "", ARGUED = ""] = replyFrames(CALLING);

const cut = (id: string, server: Row["server"], more: Partial<Row>): Row => ({
  id: `cut/${id}`,
  shows: "C10 D1 J1",
  server,
  ...more,
});

const NOTHING_CAME = { ends: [OUT_OF_REACH] };
const TEXT_CAME = { ends: [PARTIAL] };
const CUT_ANYWAY = { ends: [OUT_OF_REACH, PARTIAL, EMPTY] };
const FINE = { answer: "fine" };
const TWO_CHARACTERS = Buffer.from(delta({ content: "日本" }));
/** Stops in the middle of a character of three bytes. */
const HALF_CHARACTER = TWO_CHARACTERS.subarray(0, TWO_CHARACTERS.indexOf("本") + 1);

const CUTS: readonly Row[] = [
  cut("before-headers", bytes([]), NOTHING_CAME),
  cut("in-status-line", bytes(["HTTP/1.1 2"]), NOTHING_CAME),
  cut("in-headers", bytes([HEAD]), NOTHING_CAME),
  cut("after-headers", bytes([OPEN_HEAD]), NOTHING_CAME),
  cut("after-role", http(broken({ text: "half" }, 1, "cut")), NOTHING_CAME),
  cut("in-text", http(broken({ text: ["half", " an"] }, 2, "cut")), TEXT_CAME),
  // A reset may overtake the bytes before it.
  cut("in-text-reset", http(broken({ text: ["half", " an"] }, 2, "reset")), CUT_ANYWAY),
  cut("in-character", bytes([OPEN_HEAD, HALF, HALF_CHARACTER]), TEXT_CAME),
  cut("in-json", bytes([OPEN_HEAD, HALF, 'data: {"choices":[{"del']), TEXT_CAME),
  cut("in-thought", http(broken({ reasoning: "I think" }, 2, "cut")), CUT_ANYWAY),
  cut("in-tool-name", bytes([OPEN_HEAD, NAMED.slice(0, NAMED.indexOf("search_files") + 4)]), NOTHING_CAME),
  cut("in-arguments", bytes([OPEN_HEAD, NAMED]), NOTHING_CAME),
  cut("after-arguments", bytes([OPEN_HEAD, NAMED, ARGUED]), NOTHING_CAME),
  cut("after-finish", http(broken({ text: "fine" }, 3, "cut")), FINE),
  cut("without-done", http(reply({ text: "fine", done: false })), FINE),
  cut("without-finish", http(reply({ text: "fine", finish: null })), FINE),
  cut("http-1.0-in-text", http({ ...broken({ text: ["half", " an"] }, 2, "cut"), untilClose: true }), TEXT_CAME),
  cut("http-1.0-whole", bytes(["HTTP/1.0 200 OK\r\n\r\n", WHOLE]), FINE),
  cut("length-too-long", bytes([`${HEAD}content-length: 99999\r\n\r\n`, HALF]), TEXT_CAME),
  cut("length-too-long-whole", bytes([`${HEAD}content-length: 99999\r\n\r\n`, WHOLE]), FINE),
  // The bytes too many may be noticed before those before them were read.
  cut("length-too-short", bytes([`${HEAD}content-length: ${HALF.length}\r\n\r\n`, WHOLE]), CUT_ANYWAY),
  cut("bad-chunk", bytes([`${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\n`, WHOLE]), NOTHING_CAME),
  cut("no-http", bytes(["SSH-2.0-OpenSSH_9.6\r\n"]), { ends: ["request_rejected 78"] }),
  cut("twice", recovers(broken({ text: ["half", " an"] }, 1, "cut"), 2), FINE),
  cut("in-text-once", recovers(broken({ text: ["half", " an"] }, 2, "reset")), { answer: /fine$/ }),
];

const QUICK = ["--config", "stream.firstByteMs=300", "--config", "stream.idleMs=300", "--config", "stream.callMs=1000"];
const stall = (id: string, server: Row["server"], ends: readonly string[] = [OUT_OF_REACH]): Row => ({
  id: `stall/${id}`,
  shows: "C6 J1",
  server,
  ends,
  args: QUICK,
});

/** The same frame again and again, for longer than anybody waits. */
const every = (waitMs: number, frame: string): (string | Wait)[] =>
  Array.from({ length: Math.ceil(15_000 / waitMs) }, () => [{ waitMs }, frame]).flat();

const STALLS: readonly Row[] = [
  stall("never-read", { reads: "nothing" }),
  stall("no-headers", bytes([], "open")),
  stall("no-first-byte", bytes([OPEN_HEAD], "open")),
  stall("half-a-header", bytes(["HTTP/1.1 200 OK\r\nconte"], "open")),
  stall("in-text", http(broken({ text: ["half", " an"] }, 2, "open")), [PARTIAL]),
  stall("in-arguments", http(broken(CALLING, 2, "open"))),
  stall("comments-alone", http(stream(every(50, ": keep-alive\n\n")))),
  stall("pings-alone", http(stream(every(50, "event: ping\ndata: {}\n\n")))),
  stall("empty-deltas", http(stream(every(50, delta({ content: "" }))))),
  stall("slow-drip", http(stream(every(100, delta({ content: "." })))), [PARTIAL]),
  stall("error-body", bytes(["HTTP/1.1 500 Oh\r\ncontent-length: 900\r\n\r\n", "half"], "open")),
  stall("header-byte-by-byte", bytes(["HTTP/1.1 200 OK\r\nx-slow: ", ...every(100, "x")], "open")),
  { ...stall("after-finish", http(broken({ text: "fine" }, 3, "open"))), args: [], answer: "fine", ends: [] },
];

interface Said {
  readonly code?: string;
  readonly message?: string;
  readonly type?: string;
}

const status = (id: string, code: number, said: Said | string, ends: readonly string[]): Row => ({
  id: `status/${id}`,
  shows: "D1 J1",
  server: http(refuse(code, typeof said === "string" ? said : { error: { message: "No.", ...said } })),
  ends,
});

const rejected = (code: number): readonly string[] => [`request_rejected ${code}`];
const GONE = [OUT_OF_REACH];
/** A longer wait is not begun. */
const HURRIED = ["--config", "retry.maxWaitMs=500"];

const STATUSES: readonly Row[] = [
  status("400", 400, { message: "messages.1 is wrong", type: "invalid_request_error" }, rejected(76)),
  status("400-empty", 400, "", rejected(76)),
  status("400-overflow", 400, { code: "context_length_exceeded" }, ["context_overflow 24"]),
  status("400-model", 400, { message: "x is not a valid model ID" }, rejected(78)),
  status("400-billing", 400, { message: "Your credit balance is too low" }, rejected(79)),
  status("401", 401, { code: "invalid_api_key" }, rejected(77)),
  status("402", 402, { message: "Insufficient credits" }, rejected(79)),
  status("403", 403, "<html><title>Forbidden</title></html>", rejected(77)),
  status("404-model", 404, { code: "model_not_found" }, rejected(78)),
  status("404-page", 404, "<html><body>Not Found</body></html>", [...rejected(78), ...rejected(76), ...GONE]),
  status("408", 408, {}, GONE),
  status("409", 409, {}, [...rejected(76), ...GONE]),
  status("413", 413, "too large", ["context_overflow 24"]),
  status("418", 418, "I am a teapot", [...rejected(76), ...GONE]),
  status("422", 422, { message: "Unprocessable" }, rejected(76)),
  status("429-quota", 429, { code: "insufficient_quota" }, rejected(79)),
  status("500", 500, { message: "boom" }, GONE),
  status("502-page", 502, `<html><title>Bad Gateway</title>${"<p>x</p>".repeat(50_000)}</html>`, GONE),
  status("503", 503, "", GONE),
  status("504", 504, "upstream timed out", GONE),
  status("524", 524, "", GONE),
  // An overload that is known to last is waited for longer than a row may take (row D5).
  { ...status("529", 529, { type: "overloaded_error" }, GONE), args: HURRIED },
  status("101", 101, "", [...rejected(75), ...rejected(76), ...GONE]),
  status("204", 204, "", GONE),
  status("599-binary", 599, "\u0000\u0001\u001b[31m", GONE),
  { id: "status/500-twice", shows: "D4", server: recovers(refuse(500, {}), 2), ...FINE },
];

const busy = (id: string, value: string, requests: number): Row => ({
  id: `retry-after/${id}`,
  shows: "D4 J1",
  server: http(refuse(429, { error: { message: "Slow down." } }, { "retry-after": value })),
  args: HURRIED,
  ends: GONE,
  requests,
});

const RETRY_AFTERS: readonly Row[] = [
  busy("none", "", 3),
  busy("zero", "0", 3),
  busy("short", "0.05", 3),
  busy("twenty-seconds", "20", 1),
  busy("month", "2592000", 1),
  // More than a year is no time to wait.
  busy("huge", "99999999999999999999999", 3),
  busy("negative", "-30", 3),
  busy("future", "Fri, 31 Dec 2100 23:59:59 GMT", 3),
  busy("past", "Mon, 01 Jan 2001 00:00:00 GMT", 3),
  busy("garbage", "soon, perhaps", 3),
  {
    ...busy("once", "", 3),
    server: recovers(refuse(429, { error: { message: "Slow down." } }, { "retry-after": "0" })),
    ends: [],
    ...FINE,
  },
];

const redirect = (code: number): Row => ({
  id: `redirect/${code}`,
  shows: "D1 J1",
  server: http((_, { elsewhere }) => refuse(code, "moved", { location: elsewhere })),
  ends: rejected(76),
  requests: 1,
});

const body = (id: string, server: Row["server"], more: Partial<Row> = {}): Row => ({
  id: `body/${id}`,
  shows: "C1 D1 J1",
  server,
  ends: [OUT_OF_REACH, "request_rejected 75", "request_rejected 76"],
  ...more,
});

const EVENTS = { "content-type": "text/event-stream" };
const answered: Partial<Row> = { ...FINE, ends: [] };
const MB = "m".repeat(1_000_000);

const BODIES: readonly Row[] = [
  body("page", http(refuse(200, "<!doctype html><html><title>Sign in</title></html>"))),
  body("empty", http(stream([]))),
  body("text", http(refuse(200, "Hello, I am not an API."))),
  body("json-list", http(wholeJson([1, 2]))),
  body("json-number", http(refuse(200, "42"))),
  body("json-error", http(wholeJson({ error: { message: "Out of order", code: 500 } }))),
  body("error-event", http(stream([event({ error: { message: "Out of order", code: 502 } })]))),
  body(
    "error-event-after-text",
    http(stream([delta({ content: "half" }), event({ error: { message: "Oops" } })])),
    TEXT_CAME,
  ),
  body("event-no-json", http(stream(["data: not json\n\n", DONE]))),
  body("gzip", http({ headers: { ...EVENTS, "content-encoding": "gzip" }, frames: [gzipSync(WHOLE)] })),
  body(
    "binary",
    http({ headers: EVENTS, frames: [Buffer.from(Uint8Array.from({ length: 70_000 }, (_, n) => (n * 7919) % 256))] }),
  ),
  body("wrong-type", http(say("fine", { headers: { "content-type": "text/plain" } })), answered),
  body("byte-order-mark", http(stream(["\uFEFF", ...replyFrames({ text: "fine" })])), answered),
  body("crlf", http(stream([WHOLE.replaceAll("\n", "\r\n")])), answered),
  body("whole-json", http(wholeJson({ choices: [{ message: { content: "fine" }, finish_reason: "stop" }] })), answered),
  body("line-of-5-MB", http(say(MB.repeat(5))), { answer: MB.repeat(5), ends: [] }),
  body(
    "line-without-end-of-100-MB",
    http({ headers: EVENTS, frames: ["data: ", ...Array.from({ length: 100 }, () => MB)] }),
    { ends: ["request_rejected 76"], requests: 1 },
  ),
  body("page-of-100-MB", http({ frames: ["<html>", ...Array.from({ length: 100 }, () => MB)] })),
];

const ABSENT: Row = { id: "stall/nobody-listens", shows: "D1 J1", server: { listens: false }, ends: GONE, requests: 0 };

export const WIRE_ROWS: readonly Row[] = [
  ...CUTS,
  ...STALLS,
  ABSENT,
  ...STATUSES,
  ...RETRY_AFTERS,
  ...[301, 302, 307, 308].map(redirect),
  ...BODIES,
];
