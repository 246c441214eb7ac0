import type { Failure } from "../../protocol/failure.ts";
import { outputRoom } from "./output-room.ts";
import { refusedPictures } from "./refused-pictures.ts";
import { classify, refusesStreaming, refusesToolChoice, verdict } from "./rules.ts";
import { type Headers, retryAfterMs } from "./retry-after.ts";
import { objectOf, parseOrText, string } from "../reading.ts";

/** An error that is longer says nothing new, characters. */
export const LONGEST_ERROR = 65_536;

/** Stands for the words of an error that has none. */
export const NO_REASON = "no reason given";

export interface Refusal {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Host and port. */
  readonly where: string;
  /** The wall clock, ms. */
  readonly nowMs: number;
}

/** A reply whose status is not 2xx. */
export function failureOfStatus(refusal: Refusal): Failure {
  const { status, headers, where } = refusal;
  if (status >= 300 && status < 400) return redirected(refusal);
  const body = parseOrText(refusal.body);
  const { code, words, all } = readError(body);
  const wait = retryAfterMs(headers, body, refusal.nowMs);
  const room = outputRoom(all);
  const proxy = status >= 502 && status <= 504 && isPage(all) ? BEHIND_PROXY : "";
  return {
    ...classify({ status, code, text: all }),
    status,
    ...refusedOf(all),
    ...refusedPictures(`${code} ${all}`),
    ...(room !== undefined && { outputRoom: room }),
    message: oneLine(`HTTP ${status} from ${where}: ${words || reasonPhrase(status) || NO_REASON}${proxy}`),
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

/** What the request asked and this server cannot do: without it, it may well answer. */
const refusedOf = (text: string): Pick<Failure, "refusesStreaming" | "refusesToolChoice"> => ({
  ...(refusesStreaming(text) && { refusesStreaming: true as const }),
  ...(refusesToolChoice(text) && { refusesToolChoice: true as const }),
});

/** Loaded when it is needed: an import of node:http would load all of fetch at start. */
const reasonPhrase = (status: number): string | undefined => process.getBuiltinModule("node:http").STATUS_CODES[status];

function redirected({ status, headers, where }: Refusal): Failure {
  const to = typeof headers["location"] === "string" ? ` to ${headers["location"].split("?")[0]}` : "";
  const message = oneLine(`${where} redirects${to} (HTTP ${status}); set the base URL to where the API really is.`);
  return { ...verdict("format_error"), status, message };
}

/** An event or a body with an error in it, inside a reply that began with status 200. */
export function failureOfError(body: unknown, where: string, nowMs: number): Failure {
  const { code, words, all, status } = readError(body);
  const wait = retryAfterMs({}, body, nowMs);
  return {
    ...classify({ status, code, text: all }),
    ...(status !== undefined && { status }),
    ...refusedPictures(`${code} ${all}`),
    message: oneLine(`${where} broke off its reply: ${words || code || NO_REASON}`),
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

/** A reply that nothing can be made of. */
export const failureOfReply = (message: string): Failure => ({ ...verdict("server_error"), message: oneLine(message) });

/** `refusal`: why, in the model's words; `said`: what of its reply had come through. */
export function contentBlocked(refusal: string, said: string): Failure {
  const stopped = "The provider's content filter stopped the reply";
  const filtered = said === "" ? `${stopped}.` : `${stopped}, which said: ${said}`;
  return {
    ...verdict("content_policy_blocked"),
    message: oneLine(refusal === "" ? filtered : `The model refused: ${refusal}`),
  };
}

interface ErrorWords {
  readonly status: number | undefined;
  readonly code: string;
  /** The provider's own sentence for people. */
  readonly words: string;
  /** All texts, for matching. */
  readonly all: string;
}

/** Finds code and words in the shapes servers use: OpenAI, aggregators with a nested raw body, FastAPI, plain text, HTML. */
function readError(body: unknown): ErrorWords {
  // Google's servers put the error of a stream into a list.
  if (Array.isArray(body)) return readError(body[0]);
  if (typeof body === "string") return { status: undefined, code: "", words: plain(body), all: body };
  const outer = objectOf(body);
  const inner = objectOf(outer["error"]);
  const said = [inner["message"], outer["error"], outer["message"], detail(outer["detail"])].find(isText) ?? "";
  const deeper = rawWords(string(objectOf(inner["metadata"])["raw"]));
  const number = [inner["code"], inner["status"], outer["code"]].find(isStatus);
  return {
    status: number === undefined ? undefined : Number(number),
    code: [inner["code"], inner["type"], outer["code"], outer["type"]].find(isWord) ?? "",
    words: plain(deeper !== "" && /provider returned error/i.test(said) ? `${said}: ${deeper}` : said || deeper),
    all: [said, deeper, string(inner["type"])].join(" "),
  };
}

/** What the provider behind an aggregator said. */
function rawWords(raw: string): string {
  const nested = objectOf(parseOrText(raw));
  return string(objectOf(nested["error"])["message"]) || string(nested["message"]) || raw;
}

const isStatus = (value: unknown): boolean => /^[1-5]\d\d$/.test(String(value));
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isWord = (value: unknown): value is string => isText(value) && value !== "error" && !isStatus(value);

const detail = (value: unknown): string =>
  Array.isArray(value) ? value.map((item) => string(objectOf(item)["msg"])).join("; ") : string(value);

/** APIs answer in JSON, and what stands before them in HTML. */
const BEHIND_PROXY = "; a proxy answered in place of the server: see whether that runs";

const isPage = (words: string): boolean => /<\/?[a-z!][^>]*>/i.test(words);

/** What a page says in its title; no markup ever reaches people. */
function plain(words: string): string {
  if (!isPage(words)) return words;
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(words)?.[1] ?? "";
  return title.trim() === "" ? "an HTML page instead of an answer" : title;
}

const LONGEST_MESSAGE = 300;

function oneLine(message: string): string {
  const line = message.replace(/[\s\p{Cc}]+/gu, " ").trim();
  return line.length <= LONGEST_MESSAGE ? line : `${line.slice(0, LONGEST_MESSAGE - 1).toWellFormed()}…`;
}
