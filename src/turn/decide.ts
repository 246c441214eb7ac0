import type { ExitReason } from "../protocol/exit.ts";
import type { EmptyRung } from "../protocol/fact.ts";
import type { Failure } from "../protocol/failure.ts";
import type { Halt } from "../protocol/guardrails.ts";
import { type SteerPart, textOf } from "../protocol/message.ts";
import type { TurnOutcome, WaitingCall } from "../protocol/outcome.ts";
import { noAnswer } from "../protocol/projection/placeholder.ts";
import { type DeliverMessage, dueInjection, dueRedirect } from "./arrivals.ts";
import { remaining } from "./budget.ts";
import { haltOfDenials, isThirdTry, wasDenied } from "./denials.ts";
import { haltText } from "./guardrail-words.ts";
import { haltFor, repeatedLookUps } from "./guardrails.ts";
import { nextSegment } from "./plan.ts";
import { dueJudgement, type Judgement, knownWeight, relieve } from "./pressure.ts";
import { awaitsMoney, dueMoney, fitsLastWord, type MoneyAction, moneyQuestion, moneyText } from "./purse.ts";
import { awaitsWord, unaskedQuestions } from "./questions.ts";
import { exitOfCutReply } from "./recovery/cut-reply.ts";
import { exitOfEmptyReply, nextRung } from "./recovery/empty-reply.ts";
import { exitOfInvalidCalls } from "./recovery/invalid-calls.ts";
import { recover } from "./recovery/ladder.ts";
import type { Recovery } from "./recovery/rung.ts";
import { withheldWait } from "./recovery/wait-and-retry.ts";
import { switchFromSilence } from "./recovery/switch.ts";
import type { ApprovalPolicy, OpenCall, View } from "./state.ts";
import { dueWarning, isCutOff, truncationText, type Warning } from "./truncation.ts";

/** Why a call gets a receipt without running, or without being known to have finished. */
export type Close =
  | "cancelled"
  | "denied"
  | "denied-before"
  | "outside"
  | "interrupted"
  | "refused"
  | "skipped"
  | "unanswered"
  | "repeated"
  | "blocked";

export type Action =
  | {
      readonly do: "call-model";
      readonly iteration: number;
      readonly grace: boolean;
      readonly rung: EmptyRung | undefined;
      readonly replaces: number | undefined;
      /** About how many tokens the request has; undefined: nobody asks. */
      readonly tokens: number | undefined;
    }
  /** Another runtime answers, in one attempt of ours (row B12). */
  | { readonly do: "delegate-turn"; readonly runtime: string; readonly iteration: number }
  | { readonly do: "run-segment"; readonly calls: readonly Readonly<OpenCall>[] }
  | { readonly do: "close-calls"; readonly calls: readonly Readonly<OpenCall>[]; readonly as: Close }
  | { readonly do: "halt"; readonly halt: Halt }
  | { readonly do: "ask-approval"; readonly callIds: readonly string[] }
  | { readonly do: "ask-question"; readonly callIds: readonly string[] }
  | { readonly do: "place-steer"; readonly steer: SteerPart; readonly seq: number; readonly part: number }
  | { readonly do: "close-history"; readonly text: string; readonly partial: boolean; readonly explains?: true }
  /** What was shown of a reply that will not go on becomes a message of its own. */
  | { readonly do: "settle-cut" }
  | { readonly do: "park"; readonly waitingFor: readonly WaitingCall[] }
  | { readonly do: "end-turn"; readonly outcome: TurnOutcome }
  | DeliverMessage
  | MoneyAction
  | Judgement
  | Warning
  | Recovery;

/** Design §4: a turn that was resumed more often than this does not get better by trying again. */
const MAX_RESUMES = 3;

/** What happens next, given everything that has happened: pure, total, and the whole policy of the loop. */
export function decide(state: View): Action {
  const seen = dueJudgement(state) ?? dueWarning(state);
  if (seen !== undefined) return seen;
  const halt = dueHalt(state);
  if (halt !== undefined) return { do: "halt", halt };
  if (state.open.size > 0) return decideCalls(state);
  const stop = exitOfStop(state);
  if (stop !== undefined) return end(state, stop);
  const redirect = dueRedirect(state);
  if (redirect !== undefined) return hasCutText(state) ? { do: "settle-cut" } : redirect;
  if (state.failure !== undefined) return recoverOwn(state.failure, state) ?? giveUp(state, state.failure);
  return decideReply(state);
}

function decideReply(state: View): Action {
  const exit = exitOfReply(state);
  if (exit === "empty_response_exhausted" && switchFromSilence(state)) return { do: "switch-model" };
  const injection = exit === undefined || state.answered ? dueInjection(state) : undefined;
  if (injection !== undefined) return injection;
  return exit === undefined ? decideRequest(state) : end(state, exit);
}

/** The end that something other than the model brings, if it does. */
function exitOfStop(state: View): ExitReason | undefined {
  if (state.interruptedBy !== undefined)
    return state.interruptedCall ? "interrupted_during_api_call" : "interrupted_by_user";
  if (state.timeUp !== undefined) return "time_limit";
  if (isCutOff(state)) return "ollama_runtime_context_too_small";
  if (isHopeless(state)) return "internal_error";
  if (state.guard.halt !== undefined) return "guardrail_halt";
  return state.setup.failOnToolError && state.guard.toolError !== undefined ? "tool_error" : undefined;
}

/** The end that the newest reply brings, if it brings one. */
function exitOfReply(state: View): ExitReason | undefined {
  if (state.iterationOpen) return undefined;
  if (state.grace) return exitOfLastWord(state);
  if (state.answered) return "text_response";
  const exit = exitOfInvalidCalls(state) ?? exitOfCutReply(state, hasRoom(state));
  return exit ?? (state.reply === "empty" ? exitOfEmptyReply(state) : undefined);
}

/** What the last word was asked for. */
const exitOfLastWord = ({ purse }: View): ExitReason =>
  purse?.end === undefined ? "max_iterations_reached" : "money_limit";

const hasCutText = ({ cut }: View): boolean => cut !== undefined && cut.text !== "";

/** Another iteration may begin (row B2). */
const hasRoom = (state: View): boolean => state.iteration < state.setup.maxIterations && remaining(state.budget) > 0;

/** Consulted before each segment and behind each batch (row E7). */
const dueHalt = (state: View): Halt | undefined =>
  state.grace || exitOfStop(state) !== undefined
    ? undefined
    : (haltOfDenials(state) ?? haltFor(state, nextSegment(state.open.values())));

/** A call that takes the process down with it would do so again after every resume. */
export const diedTooOften = (state: View): boolean => state.bug === undefined && state.resumes > MAX_RESUMES;

const isHopeless = (state: View): boolean => state.bug !== undefined || diedTooOften(state);

/** Another runtime has its own ways to try again. */
const recoverOwn = (failure: Failure, state: View): Action | undefined =>
  state.setup.runtime === undefined ? recover(failure, state) : undefined;

/** Whether it finished is not known of a runtime whose process died: it may have had effects, so it is not asked again. */
function decideDelegation(state: View, runtime: string): Action {
  if (state.attemptOpen) return end(state, "pending_tool_result");
  if (state.reply === "empty") return end(state, "empty_response_exhausted");
  if (!hasRoom(state)) return end(state, "max_iterations_reached");
  return { do: "delegate-turn", runtime, iteration: state.iteration + 1 };
}

/** Money is consulted before each request; the last word is asked for inside the limit, or not at all (row X4). */
function decideMoney(state: View): Action | undefined {
  if (awaitsMoney(state) && state.setup.approvals === "ask") return { do: "park", waitingFor: askedCalls(state) };
  const due = dueMoney(state);
  if (due !== undefined || state.purse?.end === undefined) return due;
  return fitsLastWord(state) && state.setup.runtime === undefined ? undefined : end(state, "money_limit");
}

function decideRequest(state: View): Action {
  const { runtime } = state.setup;
  const money = decideMoney(state);
  if (money !== undefined) return money;
  return runtime === undefined ? (placeSteer(state) ?? callModel(state)) : decideDelegation(state, runtime);
}

function placeSteer(state: View): Action | undefined {
  const [steer] = state.steers;
  const seq = steer === undefined ? -1 : lastUnsentReceipt(state);
  if (steer === undefined || seq < 0) return undefined;
  const part = state.history[seq]?.parts.length ?? 1;
  return { do: "place-steer", steer: { type: "steer", ...steer }, seq, part };
}

function callModel(state: View): Action {
  const { iteration, rung } = state;
  const tokens = knownWeight(state);
  const relief = relieve(state, tokens);
  if (relief !== undefined) return relief;
  const grace = state.grace || state.purse?.end !== undefined;
  const replaces = state.attemptOpen ? state.attempt : state.retract;
  if (state.iterationOpen) return { do: "call-model", iteration, grace, rung, replaces, tokens };
  if (grace || !hasRoom(state)) return { do: "call-model", iteration, grace: true, rung: undefined, replaces, tokens };
  const next = state.reply === "empty" ? nextRung(state) : undefined;
  return { do: "call-model", iteration: iteration + 1, grace: false, rung: next, replaces, tokens };
}

/** What was sent is never rewritten, so a steer can only ride on a receipt that has not left yet. */
function lastUnsentReceipt(state: View): number {
  for (let seq = state.history.length - 1; seq >= state.sentThrough; seq--)
    if (state.history[seq]?.role === "tool") return seq;
  return -1;
}

/** One segment at a time, so that interrupts, guardrails, approvals and caps are consulted before each. */
function decideCalls(state: View): Action {
  const open = [...state.open.values()];
  return (
    closeSome(state, open) ?? decideApprovals(state, open) ?? decideQuestions(state, open) ?? decideSegment(state, open)
  );
}

/** Calls that get a receipt instead of being run: those of the first reason that there is. */
function closeSome(state: View, open: readonly Readonly<OpenCall>[]): Action | undefined {
  const stopped = exitOfStop(state) !== undefined;
  const repeated = repeatedLookUps(state.guard, open);
  const reasons: readonly (readonly [Close, (call: Readonly<OpenCall>) => boolean])[] = [
    ["interrupted", (call) => call.started && (stopped || call.inspection.effect === "effect")],
    ["blocked", (call) => call.part.callId === state.guard.halt?.callId],
    ["unanswered", (call) => stopped && call.approval === "asked" && call.inspection.question === undefined],
    ["cancelled", () => stopped || state.grace],
    ["outside", (call) => isThirdTry(state.guard, call) && isLost(call, state.setup.approvals)],
    ["refused", (call) => call.inspection.refuse !== undefined],
    ["skipped", (call) => call.inspection.skip !== undefined],
    ["repeated", (call) => repeated.includes(call)],
    ["denied-before", (call) => wasDenied(state.guard, call)],
  ];
  for (const [as, isMeant] of reasons) {
    const calls = open.filter(isMeant);
    if (calls.length > 0) return { do: "close-calls", calls, as };
  }
  return undefined;
}

/** What would run by itself or by a rule is no try that was refused: where all is allowed, that is all but the floor. */
const isLost = ({ inspection }: Readonly<OpenCall>, approvals: ApprovalPolicy): boolean =>
  inspection.refuse !== undefined || (approvals !== "all" && (inspection.rules === undefined || approvals === "never"));

/**
 * All approvals of a batch are asked together; nobody to ask means no (row E10, design §3 Parking). What a person
 * decided holds under every policy; a question still open is answered by the policy the turn goes on under.
 */
function decideApprovals(state: View, open: readonly Readonly<OpenCall>[]): Action | undefined {
  const { approvals } = state.setup;
  const denied = open.filter(
    (call) => call.approval === "denied" || (noOneAnswers(approvals) && isUndecided(call, approvals)),
  );
  if (denied.length > 0) return { do: "close-calls", calls: denied, as: "denied" };
  if (approvals === "all") return undefined;
  const unasked = open.filter((call) => call.approval === "unasked" && isUndecided(call, approvals));
  if (unasked.length > 0) return { do: "ask-approval", callIds: unasked.map((call) => call.part.callId) };
  return undefined;
}

const noOneAnswers = (approvals: ApprovalPolicy): boolean => approvals === "never" || approvals === "rules";

/** A call that has started was allowed then. Where nobody is asked whatever it is, nobody has been asked before either. */
const isUndecided = ({ approval, inspection, started }: Readonly<OpenCall>, approvals: ApprovalPolicy): boolean =>
  inspection.ask !== undefined &&
  (inspection.rules === undefined || approvals === "never") &&
  !started &&
  approval !== "allowed" &&
  approval !== "denied";

function decideQuestions(state: View, open: readonly Readonly<OpenCall>[]): Action | undefined {
  const callIds = unaskedQuestions(open, state);
  return callIds.length === 0 ? undefined : { do: "ask-question", callIds };
}

function decideSegment(state: View, open: readonly Readonly<OpenCall>[]): Action {
  const segment = nextSegment(open);
  const ready = segment.filter((call) => !awaitsWord(call, state));
  if (ready.length > 0) return { do: "run-segment", calls: ready };
  return { do: "park", waitingFor: askedCalls(state) };
}

/** The calls that wait for a person's answer. */
export const askedCalls = (state: View): WaitingCall[] =>
  exitOfStop(state) !== undefined
    ? []
    : [
        ...[...state.open.values()].filter((call) => call.approval === "asked").map((call) => waitingCall(call, state)),
        ...moneyQuestion(state),
      ];

/**
 * An open call as people are asked about it. The id a model gave it may come again; its place never does, and each time it
 * is asked about it is another question.
 */
const waitingCall = ({ part, seq, asks = 0, inspection }: Readonly<OpenCall>, { turnId }: View): WaitingCall => ({
  approvalId: `${turnId.slice(0, 8)}-${seq}${asks > 1 ? `-${asks}` : ""}`,
  callId: part.callId,
  name: inspection.name ?? part.name,
  input: part.input,
  why: inspection.ask ?? inspection.question?.text ?? "",
  ...(inspection.question !== undefined && { question: inspection.question }),
  ...(inspection.plan !== undefined && { plan: inspection.plan }),
});

/** No rung helps any more. What was shown is better than nothing (row C10); otherwise the failure names the exit. */
function giveUp(state: View, failure: Failure): Action {
  const refused = failure.reason === "content_policy_blocked";
  if (hasCutText(state) && !refused) return end(state, "partial_stream_recovery");
  if (state.grace) return end(state, exitOfLastWord(state));
  return end(state, exitOfFailure(failure));
}

function exitOfFailure(failure: Failure): ExitReason {
  switch (failure.reason) {
    case "content_policy_blocked":
      return "content_policy";
    case "context_overflow":
    case "payload_too_large":
    case "long_context_tier":
      return failure.loadedWindow === undefined ? "context_overflow" : "ollama_runtime_context_too_small";
    default:
      return failure.retryable ? "all_retries_exhausted_no_response" : "request_rejected";
  }
}

/** Every way out leaves a history that ends with an assistant message, whatever the next turn brings (row B7). */
function end(state: View, exit: ExitReason): Action {
  const last = state.history.at(-1);
  if (last?.role !== "assistant") return closeHistory(state, exit);
  return { do: "end-turn", outcome: outcomeOf(state, exit) };
}

/** Text that stands on screens is kept, however the turn ends (rows B15, C8, C10), but for what was refused. */
function closeHistory(state: View, exit: ExitReason): Action {
  const kept = state.failure?.reason === "content_policy_blocked" ? "" : (state.cut?.text ?? "");
  if (kept !== "") return { do: "close-history", text: kept, partial: true };
  const why = stopText(state, exit);
  if (why !== undefined) return { do: "close-history", text: why, partial: false, explains: true };
  return { do: "close-history", text: noAnswer(exit), partial: false };
}

/** How much of a tool's own words is told again where the turn ends; the receipt holds all of them. */
const TOLD_CHARS = 300;

/** What stopped a turn that nobody interrupted, in words for people and for the history; undefined for other ends. */
export function stopText(state: View, exit: ExitReason): string | undefined {
  if (exit === "guardrail_halt" && state.guard.halt !== undefined) return haltText(state.guard.halt);
  if (exit === "money_limit") return moneyText(state);
  if (isCutOff(state) && exit === "ollama_runtime_context_too_small") return truncationText(state);
  if (exit !== "tool_error" || state.guard.toolError === undefined) return undefined;
  const [line = ""] = state.guard.toolError.text.trim().split("\n", 1);
  return `Stopped: ${state.guard.toolError.tool} failed: ${line.slice(0, TOLD_CHARS)}`;
}

/** Whoever was not waited for may be asked again then (row D4). */
function withWait(failure: Failure, state: View): Failure {
  const retryAfterMs = withheldWait(failure, state);
  return retryAfterMs === undefined ? failure : { ...failure, retryAfterMs };
}

/** What is kept of the end of a turn whose history is closed. */
export function outcomeOf(state: View, exit: ExitReason): TurnOutcome {
  const last = state.history.at(-1);
  const text = last === undefined ? "" : textOf(last);
  const said = state.closing === "placeholder" || text === "" ? null : text;
  const answer = exit === "fallback_prior_turn_content" ? (state.housekeeping ?? null) : said;
  const undelivered = [...state.redirects, ...state.injections].map((message) => message.text);
  return {
    exit,
    answer,
    ...(state.failure && { failure: withWait(state.failure, state) }),
    ...(state.interruptedBy && { interruptedBy: state.interruptedBy }),
    ...(state.interruptMessage !== undefined && { interruptMessage: state.interruptMessage }),
    ...(state.steers.length > 0 && { pendingSteer: state.steers.map((steer) => steer.text) }),
    ...(undelivered.length > 0 && { undelivered }),
  };
}
