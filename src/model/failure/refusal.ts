import type { Failure } from "../../protocol/failure.ts";
import { contextLimit } from "./context-limit.ts";
import { type FailureFacts, NOTHING_SENT, type Sent, toMatch } from "./facts.ts";
import { imageMaxDimension } from "./image-limit.ts";
import { outputRoom } from "./output-room.ts";
import { isPage } from "./page.ts";
import { type ErrorWords, readError } from "./read-error.ts";
import { refusedOf } from "./refused.ts";
import { type Headers, retryAfterMs } from "./retry-after.ts";
import { classify } from "./rules.ts";
import { verdict, type Verdict } from "./verdict.ts";
import { waitInWords } from "./wait-in-words.ts";
import { parseOrText } from "../reading.ts";

/** An error that is longer says nothing new, characters. */
export const LONGEST_ERROR = 65_536;

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
  return {
    ...judged(read, status, refusal),
    status,
    message: oneLine(`HTTP ${status} from ${where}: ${read.words || reasonPhrase(status) || NO_REASON}${proxy}`),
    ...waiting(retryAfterMs(headers, body, refusal.nowMs)),
  };
}

/** An event or a body with an error in it, inside a reply that began with status 200. */
export function failureOfError(body: unknown, telling: Telling): Failure {
  const read = readError(body);
  const { status, words, codes } = read;
  return {
    ...judged(read, status, telling),
    ...(status !== undefined && { status }),
    message: oneLine(`${telling.where} broke off its reply: ${words || codes[0] || NO_REASON}`),
    ...waiting(retryAfterMs({}, body, telling.nowMs)),
  };
}

/** The verdict, and what a rung may need of the words. */
function judged(
  read: ErrorWords,
  status: number | undefined,
  { sent = NOTHING_SENT }: Telling,
): Omit<Failure, "message"> {
  const text = toMatch(read.all);
  // Without a form, all that was said is the sentence.
  const said = read.said === "" ? text : toMatch(read.said);
  const codes = read.codes.map((code) => code.toLowerCase());
  const facts: FailureFacts = { status, codes, text, said, thrown: [], sent };
  const given = classify(facts);
  const limit = given.shouldCompress ? contextLimit(text) : undefined;
  const room = outputRoom(text);
  const side = given.reason === "image_too_large" ? imageMaxDimension(text) : undefined;
  return {
    ...given,
    ...(read.codes[0] !== undefined && { code: read.codes[0] }),
    ...refusedOf(`${codes.join(" ")} ${text}`, given.rule),
    ...(room !== undefined && { outputRoom: room }),
    ...(limit !== undefined && limit < (sent.window ?? Infinity) && { contextLimit: limit }),
    ...(side !== undefined && { imageMaxDimension: side }),
    ...waiting(mayPass(given) ? waitInWords(text) : undefined),
  };
}

/** Only then a time in the text is one to wait for. */
const mayPass = ({ retryable, shouldCompress, shouldRotateCredential }: Verdict): boolean =>
  shouldRotateCredential || (retryable && !shouldCompress);

const waiting = (ms: number | undefined): Pick<Failure, "retryAfterMs"> =>
  ms === undefined ? {} : { retryAfterMs: ms };

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

function oneLine(message: string): string {
  const line = message
    .slice(0, LONGEST_LINE)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length <= LONGEST_MESSAGE ? line : `${line.slice(0, LONGEST_MESSAGE - 1).toWellFormed()}…`;
}
