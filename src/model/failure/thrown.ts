import { isObject, type JsonObject } from "../../protocol/json.ts";
import { objectOf, string } from "../reading.ts";
import { type FailureFacts, type Sent, toMatch } from "./facts.ts";
import { readError } from "./read-error.ts";

/** How many causes of causes are looked at (hermes.md §10.1). */
const CHAIN = 5;

/** What is known of an error that a client of an API threw: its name, its words, and what it carries of the reply. */
export function factsOfThrown(error: unknown, sent: Sent): FailureFacts {
  const chain = causes(objectOf(error));
  const [first = {}] = chain;
  const thrown = [first["type"], first["name"], first["code"], ...listOf(first["bases"])].map(string).filter(Boolean);
  const body = chain.map(bodyOf).find(isObject) ?? {};
  const { codes, said, all } = readError(body);
  const message = string(first["message"]);
  return {
    status: chain.map(statusOf).find((status) => status !== undefined) ?? named(thrown),
    codes: codes.map((code) => code.toLowerCase()),
    text: toMatch(message.includes(all) ? message : `${message} ${all}`),
    said: toMatch(said),
    thrown,
    sent,
  };
}

function causes(error: JsonObject): JsonObject[] {
  const chain = [error];
  for (let last = error; chain.length < CHAIN;) {
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

function statusOf({ status_code, statusCode, status }: JsonObject): number | undefined {
  const plain = [status_code, statusCode].find(Number.isInteger);
  if (typeof plain === "number") return plain;
  return Number.isInteger(status) && Number(status) >= 100 && Number(status) < 600 ? Number(status) : undefined;
}

/** Some clients leave the status out. */
const named = (thrown: readonly string[]): number | undefined => (thrown[0] === "RateLimitError" ? 429 : undefined);
