import type { AssistantFact, Fact } from "../protocol/fact.ts";
import type { Failure, PartialReply } from "../protocol/failure.ts";
import { isHousekeeping } from "../protocol/housekeeping.ts";
import { callsOf, textOf } from "../protocol/message.ts";
import type { Alike, CutReply, TurnState } from "./state.ts";

/** What ladders remember of a reply that is none: each of the three ends an attempt. */
type NoReply = Extract<Fact, { type: "reply-empty" | "reply-cut" | "model-failure" }>;

export function foldNoReply(state: TurnState, fact: NoReply): void {
  switch (fact.type) {
    case "reply-empty":
      state.reply = "empty";
      state.thought = fact.reasoning;
      return;
    case "reply-cut":
      state.reply = "cut";
      state.cut = extended(state.cut, fact.partial, "length");
      return;
    case "model-failure":
      return foldFailure(state, fact);
  }
}

function foldFailure(state: TurnState, fact: Extract<Fact, { type: "model-failure" }>): void {
  const { failure, partial } = fact;
  state.failure = failure;
  state.circumstances = fact.circumstances;
  state.keysSpent = false;
  state.notRenewed = false;
  state.chainSpent = false;
  state.reply = "none";
  // What was refused is never gone on with (row C10).
  if (partial !== undefined && partial.text !== "" && failure.reason !== "content_policy_blocked") {
    state.reply = "broken";
    state.cut = extended(state.cut, partial, "network");
    return;
  }
  state.alike = alike(state.alike, failure);
  state.failures++;
  if (partial !== undefined) state.retract = state.attempt;
}

/** A server that is known to want to be left alone for so long was not asked, and has said nothing. */
function alike(before: Alike, { reason, status, message, unsent, retryAfterMs }: Failure): Alike {
  if (unsent === true && retryAfterMs !== undefined) return before;
  const said = [reason, status, withoutNumbers(message)].join(" ");
  return { said, times: said === before.said ? before.times + 1 : 1 };
}

/** Servers put times, counts and the ids of requests into what they say, and it is the same each time. */
const withoutNumbers = (message: string): string =>
  message
    .split(" ")
    .map((word) => (/\d/u.test(word) ? "#" : word))
    .join(" ");

const UNCUT = { text: "", reasoning: "", times: 0, byLength: 0, onlyThought: 0 } as const;

function extended(before: CutReply | undefined, partial: PartialReply, by: CutReply["by"]): CutReply {
  const { text, reasoning, times, byLength, onlyThought } = before ?? UNCUT;
  const { droppedTools } = partial;
  const thought = partial.text === "" && partial.reasoning !== "" && droppedTools.length === 0;
  return {
    text: text + partial.text,
    reasoning: reasoning + partial.reasoning,
    by,
    droppedTools,
    times: times + 1,
    byLength: byLength + Number(by === "length"),
    onlyThought: onlyThought + Number(by === "length" && thought),
  };
}

/** A reply with something in it ends every ladder but that of the invalid calls. */
export function foldReply(state: TurnState, fact: AssistantFact): void {
  const calls = callsOf(fact.message);
  const names = calls.map((call, at) => fact.inspections?.[at]?.name ?? call.name);
  const housekeeping = housekeepingText(state.housekeeping, textOf(fact.message), names);
  state.cut = undefined;
  startAfresh(state);
  state.housekeeping = housekeeping;
  const invalid = calls.length > 0 && calls.every((_call, at) => fact.inspections?.[at]?.refuse !== undefined);
  state.invalidRounds = invalid ? state.invalidRounds + 1 : 0;
}

/** Nothing that came before counts as tried any more. */
export function startAfresh(state: TurnState): void {
  state.reply = "none";
  state.thought = undefined;
  state.rungs = [];
  state.housekeeping = undefined;
}

function housekeepingText(before: string | undefined, text: string, names: readonly string[]): string | undefined {
  if (!isHousekeeping(names)) return undefined;
  return text.trim() === "" ? before : text;
}
