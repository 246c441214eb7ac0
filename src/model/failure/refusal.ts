import type { Failure } from "../../protocol/failure.ts";
import { LONGEST_ERROR, type Sent } from "./facts.ts";
import { asWished, judgedWords, waiting } from "./judge.ts";
import { isPage } from "./page.ts";
import { readError } from "./read-error.ts";
import { type Headers, retryAfterMs } from "./retry-after.ts";
import { verdict } from "./verdict.ts";
import { parseOrText } from "../reading.ts";

/** Stands for the words of an error that has none. */
export const NO_REASON = "no reason given";

/** Around a failure that a server told. */
export interface Telling {
  /** Host and port. */
  readonly where: string;
  /** The wall clock, ms. */
  readonly nowMs: number;
  /** What had been sent; absent: nothing that a model reads. */
  readonly sent?: Sent | undefined;
}

export interface Refusal extends Telling {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** A reply whose status is not 2xx. */
export function failureOfStatus(refusal: Refusal): Failure {
  const { status, headers, where } = refusal;
  if (status >= 300 && status < 400) return redirected(refusal);
  const body = parseOrText(refusal.body.slice(0, LONGEST_ERROR));
  const read = readError(body);
  const proxy = status >= 502 && status <= 504 && isPage(refusal.body) ? BEHIND_PROXY : "";
  const judgement = judgedWords(read, refusal);
  return {
    ...judgement,
    ...asWished(judgement, headers["x-should-retry"]),
    message: oneLine(`HTTP ${status} from ${where}: ${read.words || reasonPhrase(status) || NO_REASON}${proxy}`),
    ...waiting(retryAfterMs(headers, body, refusal.nowMs)),
  };
}

/** An event or a body with an error in it, inside a reply that began with status 200. */
export function failureOfError(body: unknown, telling: Telling): Failure {
  const read = readError(body);
  const { status, words, codes } = read;
  return {
    ...judgedWords(read, { status, sent: telling.sent }),
    message: oneLine(`${telling.where} broke off its reply: ${words || codes[0] || NO_REASON}`),
    ...waiting(retryAfterMs({}, body, telling.nowMs)),
  };
}

/** Loaded when it is needed: an import of node:http would load all of fetch at start. */
const reasonPhrase = (status: number): string | undefined => process.getBuiltinModule("node:http").STATUS_CODES[status];

function redirected({ status, headers, where }: Refusal): Failure {
  const to = typeof headers["location"] === "string" ? ` to ${headers["location"].split("?")[0]}` : "";
  const message = oneLine(`${where} redirects${to} (HTTP ${status}); set the base URL to where the API really is.`);
  return { ...verdict("format_error", "3xx"), status, message };
}

/** A reply that nothing can be made of. */
export const failureOfReply = (message: string): Failure => ({
  ...verdict("server_error", "unreadable-reply"),
  noReply: true,
  message: oneLine(message),
});

/** `refusal`: why, in the model's words; `said`: what of its reply had come through. */
export function contentBlocked(refusal: string, said: string): Failure {
  const stopped = "The provider's content filter stopped the reply";
  const filtered = said === "" ? `${stopped}.` : `${stopped}, which said: ${said}`;
  return {
    ...verdict("content_policy_blocked", refusal === "" ? "filtered-reply" : "refused-reply"),
    message: oneLine(refusal === "" ? filtered : `The model refused: ${refusal}`),
  };
}

const BEHIND_PROXY = "; a proxy answered in place of the server: see whether that runs";

const LONGEST_MESSAGE = 300;

/** Of a text that is longer than any sentence, only so much is looked at, characters. */
const LONGEST_LINE = 4_096;

export function oneLine(message: string): string {
  const line = message
    .slice(0, LONGEST_LINE)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length <= LONGEST_MESSAGE ? line : `${line.slice(0, LONGEST_MESSAGE - 1).toWellFormed()}…`;
}
