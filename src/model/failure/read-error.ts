import { isObject, type JsonObject } from "../../protocol/json.ts";
import { objectOf, parseOrText, string } from "../reading.ts";
import { LONGEST_ERROR } from "./facts.ts";
import { plain, told } from "./page.ts";

/** What stands in the body of an error. */
export interface ErrorWords {
  /** A status that stands in the body. */
  readonly status: number | undefined;
  /** Machine-readable words: those of the error itself first. */
  readonly codes: readonly string[];
  /** The sentence for people in a body that has a form. */
  readonly said: string;
  /** The provider's own sentence for people, whatever the form. */
  readonly words: string;
  /** All texts, for matching. */
  readonly all: string;
}

/** Errors stand in errors, five and more: causes, what another provider said, JSON in sentences. */
const DEPTH = 12;
/** Whoever says more says nothing new. */
const MOST_TEXTS = 16;

interface Found {
  readonly statuses: number[];
  readonly codes: string[];
  /** From the outside in. */
  readonly texts: string[];
}

/**
 * Finds code and words in the shapes servers use: OpenAI, aggregators with a nested raw body, FastAPI, Google's lists,
 * JSON in a sentence, causes, plain text, HTML.
 */
export function readError(body: unknown): ErrorWords {
  if (typeof body === "string") {
    return { status: undefined, codes: [], said: "", words: plain(body), all: told(body) };
  }
  const found: Found = { statuses: [], codes: [], texts: [] };
  collect(body, found, DEPTH);
  const [said = "", behind = ""] = found.texts;
  return {
    status: found.statuses[0],
    codes: found.codes,
    said,
    words: plain(behind !== "" && /provider returned error/i.test(said) ? `${said}: ${behind}` : said),
    all: found.texts.map(told).join(" "),
  };
}

function collect(value: unknown, found: Found, depth: number): void {
  if (depth === 0 || found.texts.length >= MOST_TEXTS) return;
  // Google's servers put the error of a stream into a list.
  if (Array.isArray(value)) return collect(value[0], found, depth - 1);
  if (typeof value === "string") return collectText(value, found, depth);
  if (isObject(value)) collectObject(value, found, depth);
}

function collectObject(value: JsonObject, found: Found, depth: number): void {
  const { error, metadata } = value;
  const before = found.texts.length;
  // As OAuth names an error, with its sentence beside it.
  if (isName(error)) found.codes.push(error);
  else collect(error, found, depth - 1);
  collectOwn(value, found, depth);
  if (isName(error) && found.texts.length === before) found.texts.push(error);
  for (const inner of [objectOf(metadata)["raw"], value["innererror"], value["cause"], value["response"]])
    collect(inner, found, depth - 1);
}

const CODE_KEYS = ["code", "type", "error_code", "error_name", "status", "__type"] as const;
const STATUS_KEYS = ["code", "status", "status_code", "statusCode"] as const;
const TEXT_KEYS = ["message", "Message", "msg", "error_description"] as const;

function collectOwn(value: JsonObject, found: Found, depth: number): void {
  const before = found.texts.length;
  for (const key of CODE_KEYS) if (isWord(value[key])) found.codes.push(value[key]);
  for (const key of STATUS_KEYS) if (isStatus(value[key])) found.statuses.push(Number(value[key]));
  for (const key of TEXT_KEYS) collect(value[key], found, depth - 1);
  collectText(detail(value["detail"]), found, depth);
  // Xiaomi's sentence stands there; of all others it is the name of a parameter.
  if (/\s/.test(string(value["param"]))) collectText(string(value["param"]), found, depth);
  // RFC 9457.
  if (found.texts.length === before) collectText(string(value["title"]), found, depth);
}

/** A sentence may be a whole body, as text; one that says nothing then is a sentence after all. */
function collectText(whole: string, found: Found, depth: number): void {
  const text = whole.slice(0, LONGEST_ERROR);
  const before = found.texts.length;
  if (/^\s*[{[]/.test(text)) {
    const body = parseOrText(text);
    if (typeof body === "object") collect(body, found, depth - 1);
  }
  if (text !== "" && found.texts.length === before) found.texts.push(text);
}

/** As FastAPI lists what is wrong with a request. */
const detail = (value: unknown): string =>
  Array.isArray(value) ? value.map((item) => string(objectOf(item)["msg"])).join("; ") : string(value);

const isStatus = (value: unknown): boolean =>
  (typeof value === "number" || typeof value === "string") && /^[1-5]\d\d$/.test(String(value));
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isWord = (value: unknown): value is string =>
  isText(value) && value !== "error" && value.length <= LONGEST_WORD && !value.includes("/") && !isStatus(value);
const isName = (value: unknown): value is string => isWord(value) && /^\w+$/.test(value);

const LONGEST_WORD = 100;
