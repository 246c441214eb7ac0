import { assistantText, callsOf, type UserMessage, userText } from "../protocol/message.ts";
import type { Delta, Fact } from "../protocol/fact.ts";
import { isSamePrice } from "../protocol/money.ts";
import type { Parked, TurnOutcome } from "../protocol/outcome.ts";
import type { ModelReply, PreparedRequest, TurnLog, TurnPorts } from "../protocol/ports.ts";
import { requestAdjusted } from "./adjust.ts";
import type { DeliverMessage } from "./arrivals.ts";
import { type Action, decide } from "./decide.ts";
import { delegateTurn } from "./delegate-turn.ts";
import { modelRequest } from "./model-request.ts";
import { compact } from "./perform-compaction.ts";
import { closeCall, runSegment } from "./perform-tools.ts";
import type { MoneyAction } from "./purse.ts";
import { isAnsweredHere, parkedFor } from "./questions.ts";
import { interruptedReply, recordReply } from "./record-reply.ts";
import { lookAround, switchModel, takeKey } from "./perform-backup.ts";
import { Splice, spliced } from "./splice.ts";
import type { View } from "./state.ts";

/** Drives one turn: pure code decides, this loop acts, every fact is durable before an effect depends on it. */
export async function runTurn(state: View, ports: TurnPorts, log: TurnLog): Promise<TurnOutcome | Parked> {
  for (;;) {
    const action = decide(state);
    if (action.do === "end-turn") return endTurn(action.outcome, log);
    if (action.do === "park" && !isAnsweredHere(state, action.waitingFor)) return park(action, state, log);
    await perform(action, state, ports, log);
  }
}

/** No await between the decision and its fact: accepting a steer and closing the turn cannot cross. */
async function endTurn(outcome: TurnOutcome, log: TurnLog): Promise<TurnOutcome> {
  log.record({ type: "turn-end", outcome });
  await log.barrier();
  return outcome;
}

async function park(action: Extract<Action, { do: "park" }>, state: View, log: TurnLog): Promise<Parked> {
  if (!state.parked) log.record({ type: "turn-parked" });
  await log.barrier();
  return { exit: parkedFor(action.waitingFor), waitingFor: action.waitingFor };
}

function perform(
  action: Exclude<Action, { do: "end-turn" }>,
  state: View,
  ports: TurnPorts,
  log: TurnLog,
): Promise<void> | void {
  switch (action.do) {
    case "call-model":
      return callModel(action, state, ports, log);
    case "delegate-turn":
      return delegateTurn(action, state, ports, log);
    case "run-segment":
      return runSegment(action.calls, state, ports, log);
    case "close-calls":
      for (const call of action.calls) closeCall(call, action.as, log, state.timeUp !== undefined);
      return;
    case "halt":
      return log.record({ type: "guardrail-halt", ...action.halt });
    case "ask-approval":
      return log.record({ type: "approval-requested", callIds: action.callIds });
    case "ask-question":
      return log.record({ type: "question-asked", callIds: action.callIds });
    case "warn-money":
    case "ask-money":
    case "end-money":
      return recordMoney(action, log);
    case "park":
      return log.nextArrival();
    case "place-steer":
      return log.record({ type: "steer-placed", seq: action.seq, part: action.part, steer: action.steer });
    case "deliver-injection":
    case "deliver-redirect":
      return deliver(action, state, log);
    case "close-history":
      return closeHistory(action, state, log);
    case "settle-cut":
      return settleCut(state, log);
    case "wait-and-retry":
      return schedule(action, ports, log);
    case "rotate-key":
    case "refresh-key":
      return takeKey(action.do, state, ports, log);
    case "switch-model":
      return switchModel(state, ports, log);
    case "adjust-request":
      return log.record(requestAdjusted(state, action.adjustment));
    case "compact":
      return compact(action, state, ports, log);
    case "judge-compaction":
      return log.record({ type: "compaction-judged", tokens: action.tokens, strikes: action.strikes });
    case "warn-truncated":
      return log.record({ type: "request-truncated", estimated: action.estimated, told: action.told });
  }
}

function recordMoney(action: MoneyAction, log: TurnLog): void {
  if (action.do === "end-money") return log.record({ type: "money-end", ...action.end });
  const { spentUsd, limitUsd } = action;
  if (action.do === "warn-money") return log.record({ type: "money-warning", spentUsd, limitUsd });
  return log.record({ type: "money-asked", spentUsd, limitUsd, moreUsd: action.moreUsd });
}

function deliver(action: DeliverMessage, state: View, log: TurnLog): void {
  const seq = state.history.length;
  if (action.do === "deliver-redirect") {
    const { redirectId, text } = action.redirect;
    return log.record({ type: "redirect-delivered", redirectId, seq, message: midTurn(text) });
  }
  const { injectionId, text } = action.injection;
  log.record({ type: "injection-delivered", injectionId, seq, message: midTurn(text) });
}

const midTurn = (text: string): UserMessage => ({ ...userText(text), midTurn: true });

function closeHistory(action: Extract<Action, { do: "close-history" }>, state: View, log: TurnLog): void {
  const seq = state.history.length;
  const text = assistantText(action.text);
  if (action.explains) log.emit([{ type: "text-delta", text: action.text }]);
  if (!action.partial) return log.record({ type: "closing-message", seq, message: text });
  const stopped = state.cut?.by !== "length" || state.interruptedBy !== undefined;
  const message = { ...text, ...(stopped && { interrupted: true as const }) };
  return log.record({ type: "closing-message", seq, message, partial: true });
}

function settleCut(state: View, log: TurnLog): void {
  const { text = "", reasoning = "" } = state.cut ?? {};
  const message = interruptedReply({ type: "aborted", text, reasoning });
  log.record({ type: "assistant-message", seq: state.history.length, message, finish: "stop" });
}

/** The wait itself belongs to the request behind it, so that a process that takes the turn over waits for the rest. */
function schedule(action: Extract<Action, { do: "wait-and-retry" }>, ports: TurnPorts, log: TurnLog): void {
  const delayMs = Math.round(action.delayMs + action.jitterMs * ports.random());
  log.record({ type: "retry-scheduled", delayMs, untilMs: ports.clock.now() + delayMs });
}

/** What comes before a request is built. A clock that was set back makes no wait longer. */
async function makeReady(
  action: CallModel,
  state: View,
  { clock, model }: TurnPorts,
  signal: AbortSignal,
): Promise<void> {
  const { retryUntilMs, retryDelayMs, adjusted } = state;
  if (retryUntilMs !== undefined)
    await clock.sleep(Math.max(0, Math.min(retryDelayMs, retryUntilMs - clock.now())), signal);
  if (adjusted.pictureLimit !== undefined) await model.ready?.(modelRequest(state, action, undefined));
}

type CallModel = Extract<Action, { do: "call-model" }>;

function attemptStart(
  { iteration, grace, rung, replaces, tokens }: CallModel,
  state: View,
  request: PreparedRequest,
): Fact {
  const { attempt, model, price, key, ledger } = state;
  return {
    type: "attempt-start",
    attempt: attempt + 1,
    iteration,
    model,
    size: request.size,
    ...(tokens !== undefined && { tokens }),
    ...(request.limitMs !== undefined && { limitMs: request.limitMs }),
    ...(request.key !== undefined && request.key !== key && { key: request.key }),
    ...(!isSamePrice(price, ledger.price) && { price: price ?? null }),
    ...(grace && { grace: true }),
    ...(rung && { rung }),
    ...(replaces !== undefined && { replaces }),
  };
}

/** The barrier stands before the request: what the model is told is durable first. */
async function callModel(action: CallModel, state: View, ports: TurnPorts, log: TurnLog): Promise<void> {
  const signal = log.requestSignal();
  if (state.retryUntilMs !== undefined || state.adjusted.pictureLimit !== undefined) {
    await makeReady(action, state, ports, signal);
    // Whatever ended the wait is decided upon first.
    if (signal.aborted) return;
  }
  const attempt = state.attempt + 1;
  const request = ports.model.prepare(modelRequest(state, action, ports.ephemeralSystem));
  log.record(attemptStart(action, state, request));
  log.keepRequest(request.record);
  await log.barrier();
  const splice = new Splice(state.cut);
  let first: readonly Delta[] = [{ type: "first-delta", attempt }];
  const emit = (deltas: readonly Delta[]): void => {
    log.emit([...first, ...splice.pass(deltas)]);
    first = [];
  };
  const reply = await request.send(emit, signal);
  if (reply.type === "message" && callsOf(reply.message).length > 0) await ports.tools.ready?.();
  if (signal.aborted && !log.signal.aborted) return cancelAttempt(reply, log);
  log.emit(splice.end(reply));
  const whole = spliced(reply, state.cut);
  recordReply(whole.type === "failure" ? { ...whole, ...lookAround(state, ports) } : whole, state, ports, log);
}

/** A redirect was accepted meanwhile: also a reply that came whole is dropped, or its calls would run after all. */
function cancelAttempt(reply: ModelReply, log: TurnLog): void {
  const usage = reply.type === "aborted" ? undefined : reply.usage;
  log.record({ type: "attempt-cancelled", ...(usage !== undefined && { usage }) });
}
