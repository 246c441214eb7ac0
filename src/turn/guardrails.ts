import type { GuardrailCode, Guardrails, Halt } from "../protocol/guardrails.ts";
import type { ReceiptStatus } from "../protocol/message.ts";
import { advice } from "./guardrail-words.ts";
import type { OpenCall, View } from "./state.ts";

export type Call = Pick<OpenCall, "part" | "inspection">;

/** What a receipt tells about its call. */
export interface Observed {
  readonly status: ReceiptStatus;
  readonly digest?: string;
  readonly failed?: true;
}

/** Rounds are the batches of one reply each. Those that only repeat known calls with their known results stand here. */
export interface Rounds {
  /** How many in a row, up to the newest. */
  idle: number;
  /** The newest one, by what its receipts have told so far. */
  newest: "silent" | "idle" | "fruitful";
  /** Nothing but reading was done in them. */
  readOnly: boolean;
  /** The tool that answered last. */
  tool: string;
}

/** What the turn's receipts add up to: changed by `apply` alone, and new for every turn (row A5). */
export interface Guard {
  /** Failures of the same call, by call. */
  readonly failures: Map<string, number>;
  /** Failures of a tool since it last worked, by tool. */
  readonly toolFailures: Map<string, number>;
  /** How often the same call gave its newest result, by call. */
  readonly results: Map<string, { readonly digest: string; readonly times: number }>;
  /** Look-ups outside that ran, by call. */
  readonly lookUps: Map<string, number>;
  /** What people did not agree to, by plan. */
  readonly denials: Map<string, { readonly tool: string; readonly times: number }>;
  /** Tries at a place outside that came to nothing, by place. */
  readonly outside: Map<string, number>;
  /** The call that was answered last. */
  newest: string | undefined;
  readonly rounds: Rounds;
  /** A guardrail has stopped the turn. */
  halt: Halt | undefined;
  /** The first call that ended with an error, and what it said. */
  toolError: { readonly tool: string; readonly text: string } | undefined;
}

/** The same for everyone but `apply`. */
export type GuardSeen = {
  readonly [K in keyof Guard]: Guard[K] extends Map<infer Key, infer Value>
    ? ReadonlyMap<Key, Value>
    : Guard[K] extends Rounds
      ? Readonly<Rounds>
      : Guard[K];
};

export const newGuard = (): Guard => ({
  failures: new Map(),
  toolFailures: new Map(),
  results: new Map(),
  lookUps: new Map(),
  denials: new Map(),
  outside: new Map(),
  newest: undefined,
  rounds: { idle: 0, newest: "silent", readOnly: true, tool: "" },
  halt: undefined,
  toolError: undefined,
});

/** Row E6: as often may the same thing be looked up outside in one turn. */
const MAX_LOOK_UPS = 2;

export const toolOf = ({ part, inspection }: Call): string => inspection.name ?? part.name;

/** A call without a signature is like no other. */
export const keyOf = (call: Call): string => `${toolOf(call)} ${call.inspection.signature ?? call.part.callId}`;

/** Nothing is learned of a call that did not run to its end. */
const tellsNothing = ({ status }: Observed): boolean => status === "cancelled" || status === "interrupted";

const isFailure = ({ status, failed }: Observed): boolean => status !== "ok" || failed === true;

interface Tally {
  readonly failures: number;
  readonly toolFailures: number;
  /** Undefined when nothing is known of the result. */
  readonly result: { readonly digest: string; readonly times: number } | undefined;
}

/** Where the counts of a call stand once it is answered like this. */
function tally(counts: GuardSeen, call: Call, observed: Observed): Tally {
  const key = keyOf(call);
  if (isFailure(observed)) {
    const failures = (counts.failures.get(key) ?? 0) + 1;
    const toolFailures = counts.toolFailures.get(toolOf(call)) ?? 0;
    // What could not be run says nothing of the tool; one reply with many such calls is one mistake (row C11).
    return {
      failures,
      toolFailures: call.inspection.refuse === undefined ? toolFailures + 1 : toolFailures,
      result: undefined,
    };
  }
  const { digest } = observed;
  if (digest === undefined) return { failures: 0, toolFailures: 0, result: undefined };
  const before = counts.results.get(key);
  // What was done in between may be why an effect is wanted again; reading again finds the same until something changed.
  const goesOn = before?.digest === digest && (isReadOnly(call) || counts.newest === key);
  return { failures: 0, toolFailures: 0, result: { digest, times: goesOn ? before.times + 1 : 1 } };
}

const isReadOnly = ({ inspection }: Call): boolean => inspection.effect === "pure";

/** The same call has failed before, or has given this very result the last time it was answered. */
function isKnown(counts: GuardSeen, call: Call, observed: Observed): boolean {
  const key = keyOf(call);
  if (isFailure(observed)) return counts.failures.has(key);
  return observed.digest !== undefined && counts.results.get(key)?.digest === observed.digest;
}

/** A reply with calls has come. */
export function beginRound({ rounds }: Guard): void {
  rounds.newest = "silent";
}

function countRound(counts: Guard, call: Call, observed: Observed): void {
  const { rounds } = counts;
  if (!isKnown(counts, call, observed)) {
    rounds.newest = "fruitful";
    rounds.idle = 0;
    rounds.readOnly = true;
  } else if (rounds.newest !== "fruitful") {
    if (rounds.newest === "silent") rounds.idle++;
    rounds.newest = "idle";
    rounds.readOnly &&= isReadOnly(call);
  }
  rounds.tool = toolOf(call);
}

/** Less of the history is sent: what was read before may have to be read again. */
export function forgetResults({ results, rounds }: Guard): void {
  results.clear();
  rounds.idle = 0;
}

/** Adds one receipt; `ran` tells a look-up that was made from one that was refused. */
export function count(counts: Guard, call: Readonly<OpenCall>, observed: Observed): void {
  if (tellsNothing(observed)) return;
  countRound(counts, call, observed);
  const key = keyOf(call);
  const { failures, toolFailures, result } = tally(counts, call, observed);
  put(counts.failures, key, failures === 0 ? undefined : failures);
  put(counts.toolFailures, toolOf(call), toolFailures === 0 ? undefined : toolFailures);
  put(counts.results, key, result);
  if (call.inspection.external === true && call.started) counts.lookUps.set(key, (counts.lookUps.get(key) ?? 0) + 1);
  counts.newest = key;
}

function put<T>(map: Map<string, T>, key: string, value: T | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

/** What the guardrails say of one call. */
export interface Verdict {
  readonly action: "allow" | "warn" | "block" | "halt";
  readonly code: GuardrailCode | "allow";
  readonly count: number;
}

const ALLOW: Verdict = { action: "allow", code: "allow", count: 0 };

/** Before a call runs: one that has failed, or brought nothing new, too often is not run again. */
export function beforeCall(counts: GuardSeen, call: Call, limits: Guardrails): Verdict {
  if (!limits.hardStop) return ALLOW;
  const key = keyOf(call);
  const failures = counts.failures.get(key) ?? 0;
  if (failures >= limits.exactFailureStopAfter)
    return { action: "block", code: "repeated_exact_failure_block", count: failures };
  const times = counts.results.get(key)?.times ?? 0;
  if (isReadOnly(call))
    return times >= limits.noProgressStopAfter
      ? { action: "block", code: "idempotent_no_progress_block", count: times }
      : ALLOW;
  // An effect may well be wanted several times, so it is given as long as a tool that fails.
  return counts.newest === key && times >= limits.sameToolFailureStopAfter
    ? { action: "block", code: "repeated_call_block", count: times }
    : ALLOW;
}

/** What an answer means, before it is counted. */
export function afterCall(counts: GuardSeen, call: Call, observed: Observed, limits: Guardrails): Verdict {
  const { failures, toolFailures, result } = tally(counts, call, observed);
  return isFailure(observed)
    ? afterFailure(failures, toolFailures, limits)
    : afterResult(result?.times ?? 0, isReadOnly(call), limits);
}

function afterFailure(failures: number, toolFailures: number, limits: Guardrails): Verdict {
  if (limits.hardStop && toolFailures >= limits.sameToolFailureStopAfter)
    return { action: "halt", code: "same_tool_failure_halt", count: toolFailures };
  if (limits.warnings && failures >= limits.exactFailureWarnAfter)
    return { action: "warn", code: "repeated_exact_failure_warning", count: failures };
  if (limits.warnings && toolFailures >= limits.sameToolFailureWarnAfter)
    return { action: "warn", code: "same_tool_failure_warning", count: toolFailures };
  return { action: "allow", code: "allow", count: failures };
}

function afterResult(times: number, readOnly: boolean, limits: Guardrails): Verdict {
  const warnAfter = readOnly ? limits.noProgressWarnAfter : limits.sameToolFailureWarnAfter;
  if (!limits.warnings || times < warnAfter) return { action: "allow", code: "allow", count: times };
  return { action: "warn", code: readOnly ? "idempotent_no_progress_warning" : "repeated_call_warning", count: times };
}

/** What an answer means beside those of other calls: each may repeat itself rarely, and all of them go round in a circle. */
function afterRound(counts: GuardSeen, call: Call, observed: Observed, limits: Guardrails): Verdict {
  const { idle, newest } = counts.rounds;
  const rounds = newest === "silent" ? idle + 1 : idle;
  const mayGoRound = limits.warnings && newest !== "fruitful" && rounds >= limits.sameToolFailureWarnAfter;
  return mayGoRound && isKnown(counts, call, observed)
    ? { action: "warn", code: "nothing_new_warning", count: rounds }
    : ALLOW;
}

/** As many as one call may repeat itself: fewer where nothing was done but reading. */
function haltOfRounds({ rounds }: GuardSeen, limits: Guardrails): Halt | undefined {
  const { idle, readOnly, tool } = rounds;
  const limit = readOnly ? limits.noProgressStopAfter : limits.sameToolFailureStopAfter;
  return limits.hardStop && idle >= limit ? { code: "nothing_new_halt", tool, count: idle } : undefined;
}

/** What the model is told behind a result, or nothing. */
export function guidance(state: View, call: Call, observed: Observed): string | undefined {
  if (tellsNothing(observed)) return undefined;
  const { guardrails } = state.setup;
  const ofCall = afterCall(state.guard, call, observed, guardrails);
  const {
    action,
    code,
    count: times,
  } = ofCall.code === "allow" ? afterRound(state.guard, call, observed, guardrails) : ofCall;
  return code === "allow" ? undefined : `[${action} ${code} count=${times}: ${advice(code, toolOf(call), times)}]`;
}

/** The first stop that the counts demand, for the calls that would run next; undefined when there is none. */
export function haltFor(state: View, next: readonly Call[]): Halt | undefined {
  const { guard: counts, setup } = state;
  const limit = setup.guardrails.sameToolFailureStopAfter;
  if (setup.guardrails.hardStop)
    for (const [tool, failures] of counts.toolFailures)
      if (failures >= limit) return { code: "same_tool_failure_halt", tool, count: failures };
  for (const call of next) {
    const verdict = beforeCall(counts, call, setup.guardrails);
    const { callId } = call.part;
    if (verdict.code !== "allow") return { code: verdict.code, tool: toolOf(call), count: verdict.count, callId };
  }
  // A round is judged when all of its calls are answered.
  return next.length === 0 ? haltOfRounds(counts, setup.guardrails) : undefined;
}

/** Calls that look up outside what was looked up often enough, in this batch too (row E6). */
export function repeatedLookUps<T extends Call>(counts: GuardSeen, open: readonly T[]): T[] {
  const asked = new Map<string, number>();
  return open.filter((call) => {
    if (call.inspection.external !== true) return false;
    const key = keyOf(call);
    const before = asked.get(key) ?? counts.lookUps.get(key) ?? 0;
    asked.set(key, before + 1);
    return before >= MAX_LOOK_UPS;
  });
}
