import type { Fact } from "../protocol/fact.ts";
import { isObject, type JsonObject } from "../protocol/json.ts";
import type { Text } from "../words/language.ts";
import { FILE_TROUBLES, incompleteFact, unknownFact } from "../words/session-file.ts";

/** What a fact must have beside its type, where it comes from a file: the wrong shape would break whoever reads it later. */
type Check = (fact: JsonObject) => boolean;

const always: Check = () => true;
const text = (value: unknown): boolean => typeof value === "string";
const count = (value: unknown): boolean => typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
const amount = (value: unknown): boolean => typeof value === "number" && value >= 0;
const texts = (value: unknown): boolean => Array.isArray(value) && value.every(text);

const PARTS: Readonly<Record<string, Check>> = {
  text: (part) => text(part["text"]),
  reasoning: (part) => text(part["text"]),
  image: (part) => text(part["url"]),
  context: (part) => text(part["source"]) && text(part["text"]),
  steer: (part) => text(part["steerId"]) && text(part["text"]),
  "tool-call": (part) => text(part["callId"]) && text(part["name"]) && text(part["input"]),
};

const STATUSES: ReadonlySet<unknown> = new Set(["ok", "error", "cancelled", "denied", "interrupted"]);

const isPart = (part: unknown): boolean => isObject(part) && PARTS[String(part["type"])]?.(part) === true;

function isMessage(message: unknown, ...roles: readonly string[]): boolean {
  if (!isObject(message) || !roles.includes(String(message["role"]))) return false;
  if (!Array.isArray(message["parts"]) || !message["parts"].every(isPart)) return false;
  return message["role"] !== "tool" || (text(message["callId"]) && STATUSES.has(message["status"]));
}

const at =
  (...roles: readonly string[]): Check =>
  ({ seq, message }) =>
    count(seq) && isMessage(message, ...roles);

const words =
  (id: string): Check =>
  (fact) =>
    text(fact[id]) && text(fact["text"]);

const isFailure = (failure: unknown): boolean =>
  isObject(failure) && text(failure["reason"]) && text(failure["message"]);

const isReplays = (replays: unknown): boolean =>
  replays === undefined || (isObject(replays) && text(replays["turnId"]) && count(replays["from"]));

const isCompaction = (compaction: unknown): boolean => isObject(compaction) && count(compaction["through"]);

const isLearnt = (learnt: unknown): boolean => isObject(learnt) && Object.values(learnt).every(isAdjusted);

function isAdjusted(adjusted: unknown): boolean {
  if (!isObject(adjusted)) return false;
  const { pictures, pictureLimit: limit, opaque, without = [], withoutTools = [] } = adjusted;
  const isOnly = (only: unknown = false): boolean => only === false || (isObject(only) && count(only["from"]));
  const isLimit = limit === undefined || (isObject(limit) && count(limit["base64"]) && count(limit["side"]));
  return isOnly(pictures) && isOnly(opaque) && isLimit && texts(without) && texts(withoutTools);
}

/** Every type of fact; the compiler refuses one that is missing. */
const CHECKS: Readonly<Record<Fact["type"], Check>> = {
  "turn-start": (fact) =>
    text(fact["turnId"]) &&
    text(fact["model"]) &&
    text(fact["provider"]) &&
    isReplays(fact["replays"]) &&
    at("user")(fact),
  "history-imported": ({ seq, messages }) =>
    count(seq) &&
    Array.isArray(messages) &&
    messages.every((message) => isMessage(message, "user", "assistant", "tool")),
  "session-forked": ({ from, at: place, compaction, learnt }) =>
    text(from) &&
    count(place) &&
    (compaction === undefined || isCompaction(compaction)) &&
    (learnt === undefined || isLearnt(learnt)),
  "turn-resumed": always,
  "context-added": ({ seq, part, contexts }) =>
    count(seq) && count(part) && Array.isArray(contexts) && contexts.every((context) => isPart(context)),
  "attempt-start": (fact) => count(fact["attempt"]) && count(fact["iteration"]) && text(fact["model"]),
  "attempt-cancelled": always,
  "assistant-message": at("assistant"),
  "reply-empty": always,
  "reply-cut": ({ partial }) => isObject(partial) && text(partial["text"]),
  "request-adjusted": ({ adjustment, learnt }) => isObject(adjustment) && (learnt === undefined || isLearnt(learnt)),
  "model-failure": ({ failure }) => isFailure(failure),
  "retry-scheduled": ({ delayMs, untilMs }) => count(delayMs) && count(untilMs),
  "history-compacted": ({ compaction }) => isCompaction(compaction),
  "compaction-judged": ({ tokens, strikes }) => count(tokens) && count(strikes),
  "compaction-failed": ({ tokens }) => tokens === undefined || count(tokens),
  "summary-start": always,
  "request-truncated": ({ estimated, told }) => count(estimated) && count(told),
  "prompt-built": ({ state, parts }) => text(state) && Array.isArray(parts) && parts.every(isObject),
  "segment-start": ({ callIds }) => texts(callIds),
  receipt: at("tool"),
  "guardrail-halt": ({ tool, code }) => text(tool) && text(code),
  "interrupt-requested": ({ by }) => text(by),
  "steer-accepted": words("steerId"),
  "steer-placed": ({ seq, part, steer }) => count(seq) && count(part) && isPart(steer),
  "injection-accepted": words("injectionId"),
  "injection-delivered": at("user"),
  "redirect-accepted": words("redirectId"),
  "redirect-delivered": at("user"),
  "model-switched": ({ provider, model }) => text(provider) && text(model),
  "key-rotated": ({ provider, from, to }) => text(provider) && text(from) && text(to),
  "key-refreshed": ({ provider, from, to }) => text(provider) && text(from) && text(to),
  "rotation-failed": ({ provider, key }) => text(provider) && text(key),
  "chain-spent": always,
  "money-warning": ({ spentUsd, limitUsd }) => amount(spentUsd) && amount(limitUsd),
  "money-asked": ({ spentUsd, limitUsd, moreUsd }) => [spentUsd, limitUsd, moreUsd].every(amount),
  "money-decided": ({ allow }) => typeof allow === "boolean",
  "money-end": ({ why, spentUsd, limitUsd }) => text(why) && amount(spentUsd) && amount(limitUsd),
  "deadline-reached": ({ limitMs }) => count(limitMs),
  "approval-requested": ({ callIds }) => texts(callIds),
  "approval-decided": ({ callId, allow, atMs }) =>
    text(callId) && typeof allow === "boolean" && (atMs === undefined || amount(atMs)),
  "approval-expired": ({ callIds }) => texts(callIds),
  "question-asked": ({ callIds }) => texts(callIds),
  "question-answered": ({ callId, text: said }) => text(callId) && typeof said === "string",
  "closing-message": at("assistant"),
  "auxiliary-run": ({ purpose, model, turnId }) =>
    text(purpose) && text(model) && (turnId === undefined || text(turnId)),
  "bug-caught": ({ message }) => text(message),
  "turn-parked": always,
  "turn-unparked": always,
  "turn-end": ({ outcome }) =>
    isObject(outcome) && text(outcome["exit"]) && (outcome["answer"] === null || text(outcome["answer"])),
};

/** Why a value is no fact that can be kept; undefined when it is one. */
export function factTrouble(value: unknown): Text | undefined {
  if (!isObject(value)) return FILE_TROUBLES.noFact;
  const type = String(value["type"]);
  const check = Object.hasOwn(CHECKS, type) ? CHECKS[type as Fact["type"]] : undefined;
  if (check === undefined) return unknownFact(JSON.stringify(type));
  return check(value) ? undefined : incompleteFact(type);
}

/** The places of messages that a fact fills. */
export function placesOf(fact: Fact): string[] {
  switch (fact.type) {
    case "history-imported":
      return fact.messages.map((_, index) => `${fact.seq + index}/0`);
    case "context-added":
      return fact.contexts.map((_, index) => `${fact.seq}/${fact.part + index}`);
    case "steer-placed":
      return [`${fact.seq}/${fact.part}`];
    case "turn-start":
    case "assistant-message":
    case "receipt":
    case "injection-delivered":
    case "redirect-delivered":
    case "closing-message":
      return [`${fact.seq}/0`];
    default:
      return [];
  }
}
