import type { Failure } from "../../protocol/failure.ts";
import { isObject, type JsonObject } from "../../protocol/json.ts";
import { objectOf, string } from "../reading.ts";
import { LONGEST_ERROR, MOST_CAUSES, NOTHING_SENT, toMatch } from "./facts.ts";
import { asWished, judged, waiting } from "./judge.ts";
import { readError } from "./read-error.ts";
import { NO_REASON, oneLine, type Telling } from "./refusal.ts";
import { type Headers, retryAfterMs } from "./retry-after.ts";

/** An error that a client of an API threw: its name, its words, and what it carries of the reply. Never throws. */
export function failureOfThrown(error: unknown, { where, nowMs, sent = NOTHING_SENT }: Telling): Failure {
  const chain = causes(objectOf(error));
  const [first = {}] = chain;
  const thrown = [first["type"], first["name"], first["code"], ...listOf(first["bases"])].map(string).filter(Boolean);
  const body = chain.map(bodyOf).find(isObject) ?? {};
  const read = readError(body);
  const message = string(first["message"]).slice(0, LONGEST_ERROR);
  const status = chain.map(statusOf).find((found) => found !== undefined) ?? named(thrown);
  const codes = read.codes.map((code) => code.toLowerCase());
  const text = toMatch(message.includes(read.all) ? message : `${message} ${read.all}`);
  const judgement = judged({ status, codes, text, said: read.said, thrown, sent }, read);
  const headers = chain.map(headersOf).find(isObject) ?? {};
  const told = status === undefined ? where : `HTTP ${status} from ${where}`;
  return {
    ...judgement,
    ...asWished(judgement, headers["x-should-retry"]),
    message: oneLine(`${told}: ${read.words || message || NO_REASON}`),
    ...waiting(retryAfterMs(headers, body, nowMs)),
  };
}

function causes(error: JsonObject): JsonObject[] {
  const chain = [error];
  for (let last = error; chain.length < MOST_CAUSES;) {
    const { cause, context, __cause__, __context__ } = last;
    const next = [cause, __cause__, context, __context__].find(isObject);
    if (next === undefined) break;
    chain.push(next);
    last = next;
  }
  return chain;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const bodyOf = ({ body, response }: JsonObject): unknown =>
  isObject(body) ? body : [objectOf(response)["json"], objectOf(response)["body"]].find(isObject);

/** Names of headers are in any case there. */
function headersOf({ headers, response }: JsonObject): Headers | undefined {
  const given = [headers, objectOf(response)["headers"]].find(isObject);
  if (given === undefined) return undefined;
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), textOf(value)]));
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

function statusOf({ status_code, statusCode, status }: JsonObject): number | undefined {
  const plain = [status_code, statusCode].find(Number.isInteger);
  if (typeof plain === "number") return plain;
  return Number.isInteger(status) && Number(status) >= 100 && Number(status) < 600 ? Number(status) : undefined;
}

/** Some clients leave the status out. */
const named = (thrown: readonly string[]): number | undefined => (thrown[0] === "RateLimitError" ? 429 : undefined);
