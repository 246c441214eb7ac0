import type { Fact } from "../protocol/fact.ts";
import { legalHistory } from "../protocol/history.ts";
import { isObject, type JsonObject } from "../protocol/json.ts";
import type { Message } from "../protocol/message.ts";
import { fromOpenAi, type OpenAiMessage } from "../protocol/openai.ts";
import type { SessionRecord, TimedFact } from "../protocol/store.ts";
import { ELSEWHERE } from "../protocol/taint.ts";
import type { Text } from "../words/language.ts";
import { FILE_TROUBLES, otherSchema } from "../words/session-file.ts";
import { factTrouble, placesOf } from "./fact-check.ts";
import { readTitle } from "./title.ts";
import { readTurn } from "./unfinished.ts";

/** Sessions as lines of JSON: a header, then each fact with its time; several sessions stand one behind the other. */
const SCHEMA = "evander.session.v1";

export function* sessionLines({ facts, ...header }: SessionRecord): Generator<string> {
  yield JSON.stringify({ type: "session", schema: SCHEMA, ...header });
  for (const { atMs, fact } of facts) yield JSON.stringify({ atMs, fact });
}

/** A session as it stands in a file; without an id where the file gives none. */
export interface FiledSession extends Omit<SessionRecord, "sessionId" | "facts"> {
  readonly sessionId: string | undefined;
  readonly facts: readonly TimedFact[];
}

interface Reading {
  readonly nowMs: number;
  readonly newIds: boolean;
}

export type SessionFile =
  | { readonly type: "sessions"; readonly sessions: readonly FiledSession[] }
  /** `line` counts from 1. */
  | { readonly type: "invalid"; readonly line: number; readonly why: Text };

type Invalid = Extract<SessionFile, { type: "invalid" }>;

/**
 * Reads a file of ours, or a conversation in the OpenAI shape: a list of messages, an object with `messages`, or one
 * message a line. `nowMs`: when messages without a time are said to have come. Whatever is wrong, nothing of it is used.
 * `newIds`: the ids in it are of no use.
 */
export function readSessionFile(text: string, { nowMs, newIds }: Reading): SessionFile {
  const whole = parse(text);
  if (Array.isArray(whole)) return conversation(whole, "", nowMs);
  if (isObject(whole) && Array.isArray(whole["messages"]))
    return conversation(whole["messages"], whole["title"], nowMs);
  const lines = text.split("\n").map((line, at) => ({ line: at + 1, value: parse(line), blank: line.trim() === "" }));
  const filled = lines.filter(({ blank }) => !blank);
  const broken = filled.find(({ value }) => !isObject(value));
  if (broken !== undefined) return invalid(broken.line, FILE_TROUBLES.notJson);
  const entries = filled.map(({ line, value }) => ({ line, value: value as JsonObject }));
  if (entries.length === 0) return invalid(1, FILE_TROUBLES.empty);
  if (isHeader(entries[0]?.value)) return ownSessions(entries, newIds);
  return conversation(
    entries.map(({ value }) => value),
    "",
    nowMs,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const invalid = (line: number, why: Text): Invalid => ({ type: "invalid", line, why });

const ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "tool", "system", "developer", "function"]);

function conversation(messages: readonly unknown[], title: unknown, nowMs: number): SessionFile {
  const strange = messages.findIndex((message) => !isObject(message) || !ROLES.has(message["role"]));
  if (strange >= 0) return invalid(strange + 1, FILE_TROUBLES.notAMessage);
  let read: Fact;
  try {
    read = { type: "history-imported", seq: 0, messages: legalHistory(fromOpenAi(messages as OpenAiMessage[])) };
  } catch {
    return invalid(1, FILE_TROUBLES.notOpenAi);
  }
  if (read.messages.length === 0) return invalid(1, FILE_TROUBLES.noMessage);
  const facts = [{ atMs: nowMs, fact: fromElsewhere(read) }];
  return { type: "sessions", sessions: [{ sessionId: undefined, title: titleIn(title), createdMs: nowMs, facts }] };
}

function titleIn(value: unknown): string {
  const reading = readTitle(typeof value === "string" ? value : "");
  return reading.type === "title" ? reading.title : "";
}

interface Entry {
  readonly line: number;
  readonly value: JsonObject;
}

const isHeader = (value: JsonObject | undefined): boolean => value?.["type"] === "session";

function ownSessions(entries: readonly Entry[], newIds: boolean): SessionFile {
  const sessions: FiledSession[] = [];
  for (const [at, { line, value }] of entries.entries()) {
    if (!isHeader(value)) continue;
    const next = entries.findIndex((entry, index) => index > at && isHeader(entry.value));
    const session = ownSession({ line, value }, entries.slice(at + 1, next < 0 ? undefined : next));
    if ("why" in session) return session;
    if (!newIds && (session.sessionId === undefined || !SESSION_ID.test(session.sessionId)))
      return invalid(line, FILE_TROUBLES.noId);
    sessions.push(session);
  }
  return { type: "sessions", sessions };
}

/** Ids are written on command lines and shown: no option, no path, and nothing that does not show itself. */
const SESSION_ID = /^(?![-.])[^\s/\\\p{Cc}\p{Cf}]{1,200}$/u;

function ownSession({ line, value }: Entry, entries: readonly Entry[]): FiledSession | Invalid {
  const { schema, sessionId, createdMs, title } = value;
  if (schema !== SCHEMA) return invalid(line, otherSchema(JSON.stringify(schema), SCHEMA));
  if (!isTime(createdMs)) return invalid(line, FILE_TROUBLES.noTime);
  const facts: TimedFact[] = [];
  const places = new Set<string>();
  for (const entry of entries) {
    const why = entryTrouble(entry.value, places);
    if (why !== undefined) return invalid(entry.line, why);
    facts.push(entry.value as unknown as TimedFact);
  }
  if (facts.length === 0) return invalid(line, FILE_TROUBLES.noFacts);
  const usable = facts.map(({ atMs, fact }) => ({ atMs, fact: fromElsewhere(settled(fact)) }));
  const broken = brokenTurn(usable);
  if (broken !== undefined) return invalid(entries[broken]?.line ?? line, FILE_TROUBLES.contradicts);
  return {
    sessionId: typeof sessionId === "string" ? sessionId : undefined,
    title: titleIn(title),
    createdMs,
    facts: undecided(usable),
  };
}

const isTime = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

function entryTrouble({ atMs, fact }: JsonObject, places: Set<string>): Text | undefined {
  if (!isTime(atMs)) return FILE_TROUBLES.noTime;
  const why = factTrouble(fact);
  if (why !== undefined) return why;
  for (const place of placesOf(fact as Fact)) {
    if (places.has(place)) return FILE_TROUBLES.twice;
    places.add(place);
  }
  return undefined;
}

/** In a turn that can still go on, a yes that nobody here has given is none. */
function undecided(facts: readonly TimedFact[]): readonly TimedFact[] {
  const open = facts.findLastIndex(({ fact }) => fact.type === "turn-start" || fact.type === "turn-end");
  return facts[open]?.fact.type === "turn-end"
    ? facts
    : facts.filter(({ fact }, at) => at < open || fact.type !== "approval-decided" || !fact.allow);
}

/** Whoever wrote the file has said what stands in it, under whatever role. */
function fromElsewhere(fact: Fact): Fact {
  if (fact.type === "history-imported") return { ...fact, messages: fact.messages.map(elsewhere) };
  return "message" in fact && typeof fact.message === "object"
    ? ({ ...fact, message: elsewhere(fact.message) } as Fact)
    : fact;
}

const elsewhere = (message: Message): Message =>
  message.role === "tool" ? message : { ...message, tainted: ELSEWHERE };

/** JSON has no Infinity. An idempotency key belongs to the store it was used in. */
function settled(fact: Fact): Fact {
  if (fact.type !== "turn-start") return fact;
  const { idempotencyKey: _, ...start } = fact;
  return { ...start, maxIterations: (start.maxIterations as number | null) ?? Infinity };
}

/** Where the first turn begins that cannot be folded; undefined when all can. */
function brokenTurn(facts: readonly TimedFact[]): number | undefined {
  const starts = facts.flatMap(({ fact }, at) => (fact.type === "turn-start" ? [at] : []));
  return starts.find((start, at) => {
    try {
      const { fact } = facts[start] ?? {};
      if (fact?.type !== "turn-start") return true;
      readTurn({ turnId: fact.turnId, sessionId: "", facts: facts.slice(start, starts[at + 1]), after: [] });
      return false;
    } catch {
      return true;
    }
  });
}
