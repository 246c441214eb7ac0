import { isObject, type JsonObject } from "../../protocol/json.ts";
import type { Fact } from "../../protocol/fact.ts";
import type { Message } from "../../protocol/message.ts";
import type { RecordedTurn } from "../../protocol/replay.ts";
import type { StoredRequest, TimedFact } from "../../protocol/store.ts";
import { factTrouble } from "../fact-check.ts";

/** One recorded turn as lines of JSON: a header, what was said before it, its facts, its requests. */
const SCHEMA = "evander.turn.v1";

export function* recordLines({ facts, requests, history, ...header }: RecordedTurn): Generator<string> {
  yield JSON.stringify({ type: "turn", schema: SCHEMA, ...header });
  for (const message of history) yield JSON.stringify({ message: message ?? null });
  for (const { atMs, fact } of facts) yield JSON.stringify({ atMs, fact });
  let before = "";
  for (const { body, ...request } of requests) {
    const same = commonStart(before, body);
    yield JSON.stringify({ request: { ...request, same, more: body.slice(same) } });
    before = body;
  }
}

/** A request repeats what the one before it said: so many characters. */
function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (one.startsWith(other.slice(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** `line` counts from 1. */
export type RecordFile =
  | { readonly type: "turn"; readonly turn: RecordedTurn }
  | { readonly type: "invalid"; readonly line: number };

interface Draft {
  readonly history: (Message | undefined)[];
  readonly facts: TimedFact[];
  readonly requests: StoredRequest[];
}

/** Reads what `recordLines` has written. Whatever is wrong, nothing of it is used. */
export function readRecordFile(text: string): RecordFile {
  const lines = text.split("\n");
  const header = parsed(lines[0] ?? "");
  if (!isHeader(header)) return { type: "invalid", line: 1 };
  const draft: Draft = { history: [], facts: [], requests: [] };
  for (const [at, line] of lines.entries())
    if (at > 0 && line.trim() !== "" && !take(parsed(line), draft)) return { type: "invalid", line: at + 1 };
  if (draft.facts[0]?.fact.type !== "turn-start") return { type: "invalid", line: 1 };
  const { type: _type, schema: _schema, ...about } = header;
  return { type: "turn", turn: { ...(about as unknown as RecordedTurn), ...draft } };
}

function isHeader(value: unknown): value is JsonObject {
  if (!isObject(value) || value["schema"] !== SCHEMA || !Array.isArray(value["kits"])) return false;
  return ["turnId", "sessionId", "nonce", "system"].every((name) => typeof value[name] === "string");
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function take(value: unknown, { history, facts, requests }: Draft): boolean {
  if (!isObject(value)) return false;
  if ("message" in value) {
    history.push((value["message"] ?? undefined) as Message | undefined);
    return true;
  }
  if ("fact" in value) {
    if (factTrouble(value["fact"]) !== undefined) return false;
    facts.push({ atMs: Number(value["atMs"]), fact: boundless(value["fact"] as unknown as Fact) });
    return true;
  }
  const { request } = value;
  if (!isObject(request) || typeof request["more"] !== "string") return false;
  const { attempt, head, same, more } = request;
  const body = (requests.at(-1)?.body ?? "").slice(0, Number(same)) + more;
  requests.push({ attempt: Number(attempt), head: Number(head), body });
  return true;
}

/** JSON has no Infinity. */
const boundless = (fact: Fact): Fact =>
  fact.type === "turn-start" ? { ...fact, maxIterations: (fact.maxIterations as number | null) ?? Infinity } : fact;
