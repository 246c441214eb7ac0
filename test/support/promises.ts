import assert from "node:assert/strict";
import { type Fact, isFact, type TurnEvent } from "../../src/protocol/fact.ts";
import { callsOf, type Message, textOf } from "../../src/protocol/message.ts";
import type { TurnOutcome } from "../../src/protocol/outcome.ts";
import { pictureLines } from "../../src/session/picture/draw.ts";
import { pictureOf } from "../../src/session/picture/picture-of.ts";
import { textWidth } from "../../src/session/text-width.ts";
import { apply } from "../../src/turn/apply.ts";
import { drawnUsd, enter, newLedger } from "../../src/turn/ledger.ts";
import { nextSegment } from "../../src/turn/plan.ts";
import { initialState } from "../../src/turn/state.ts";
import type { Life } from "./life.ts";
import { assertSound } from "./sound.ts";
import { checkPressure } from "./world-pressure.ts";
import { heardAs, WITH_EFFECT } from "./world-tools.ts";
import type { World } from "./world.ts";

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Everything a turn promises beyond what holds of every store, checked from outside: on the disk, on the wire and by what ran. */
export function checkPromises(life: Life, label: string): void {
  const { world, result, events } = life;
  assert.deepEqual(world.provider.violations(), [], `${label}: the provider complains`);
  assert.deepEqual(world.breaches, [], label);
  const facts = world.facts();
  const last = facts.at(-1);
  assert.equal(last?.type, "turn-end", `${label}: the turn did not end`);
  if (last?.type !== "turn-end") return;
  if (result !== undefined) assert.equal(result.exit.reason, last.outcome.exit, `${label}: ${result.error?.message}`);
  assert.notEqual(last.outcome.exit, "internal_error", `${label}: ${result?.error?.message}`);
  checkStore(world);
  checkHistory(world, facts, label);
  checkRecords(world, label);
  checkCompactions(facts, label);
  checkPressure(facts, world.noted("strikes") ?? 0, label);
  checkAdjustments(facts, label);
  checkCalls(world, facts, label);
  checkAnswers(facts, label);
  checkLimits(world, facts, label);
  checkMoney(facts, label);
  checkBills(world, facts, label);
  checkRedirects(facts, label);
  checkChain(world, facts, label);
  checkHalves(facts, label);
  checkSaid(world, facts, last.outcome, label);
  checkPicture(facts, label);
  if (events !== undefined) checkShown(events, world, label);
}

/** What holds of every store holds of this one; what ran there had been recorded as begun. */
function checkStore({ path, ran }: World): void {
  const effects = ran.map((call) => call.split(" ")).filter(([name = ""]) => WITH_EFFECT.has(name));
  assertSound(path, { ended: true, ran: effects.map(([, callId = ""]) => callId) });
}

/** Live state = fold from scratch = stored history. */
function checkHistory(world: World, facts: readonly Fact[], label: string): void {
  const state = initialState(world.setup, []);
  for (const fact of facts) {
    apply(state, fact);
    if (fact.type === "attempt-start") assert.equal(fact.model, state.model, `${label}: attempt ${fact.attempt}`);
    if (fact.type !== "turn-parked") continue;
    const runnable = nextSegment(state.open.values()).filter((call) => call.approval !== "asked");
    assert.deepEqual(runnable, [], `${label}: it parked before what needs nobody had run`);
  }
  assert.deepEqual(plain(state.history), plain(world.stored()), `${label}: fold = stored`);
  assert.deepEqual(plain(world.lane?.history), plain(world.stored()), `${label}: live = stored`);
  assert.deepEqual(plain(state.learnt), world.noted("learnt") ?? {}, `${label}: what was learnt = what is kept of it`);
}

/** Whatever happened, its picture has every attempt and every receipt once, and each thing in it has come to an end. */
function checkPicture(facts: readonly Fact[], label: string): void {
  const timed = facts.map((fact, at) => ({ fact, atMs: at * at }));
  const picture = pictureOf({ turnId: "t", sessionId: "s", facts: timed, after: [] });
  const count = (type: Fact["type"]): number => facts.filter((fact) => fact.type === type).length;
  const attempts = picture.rows.filter((row) => row.type === "attempt");
  const answered = picture.rows.filter((row) => row.type === "tool" && row.status !== null);
  assert.equal(attempts.length, count("attempt-start"), `${label}: a row for each attempt`);
  assert.equal(answered.length, count("receipt"), `${label}: a row for each receipt`);
  assert.equal(picture.rows.at(-1)?.type, "end", `${label}: the picture has an end`);
  for (const row of picture.rows)
    if ("startMs" in row)
      assert.ok(row.endMs !== null && row.endMs >= row.startMs, `${label}: ${row.type} never ended`);
  const lines = pictureLines(picture, { columns: 80, plain: true, language: "en" });
  for (const line of lines.slice(1, -2)) assert.ok(textWidth(line) <= 80, `${label}: too wide: ${line}`);
}

/** What is asked again because it was too large is smaller. */
function checkCompactions(facts: readonly Fact[], label: string): void {
  for (const [at, fact] of facts.entries()) {
    const [before, next] = [facts[at - 2], facts[at + 1]];
    if (fact.type !== "history-compacted" || before?.type !== "attempt-start" || next?.type !== "attempt-start")
      continue;
    assert.ok((next.size?.bytes ?? 0) < (before.size?.bytes ?? 0), `${label}: attempt ${next.attempt} is not smaller`);
  }
}

/** What a model was found not to take, it is not asked for again, whoever asks. */
function checkAdjustments(facts: readonly Fact[], label: string): void {
  const lasting = facts.flatMap((fact) => (fact.type === "request-adjusted" && fact.learnt ? [fact.learnt] : []));
  assert.equal(new Set(lasting.map((it) => JSON.stringify(it))).size, lasting.length, `${label}: learnt twice`);
}

/** What reached the provider is kept, byte for byte and in order; an attempt whose process died may never have left. */
function checkRecords(world: World, label: string): void {
  const kept = world.kept();
  const attempts = world.facts().filter((fact) => fact.type === "attempt-start");
  assert.equal(kept.length, attempts.length, `${label}: one record for each attempt`);
  let at = 0;
  for (const { index, text } of world.provider.requests) {
    at = kept.indexOf(text, at) + 1;
    assert.ok(at > 0, `${label}: request ${index} was not kept`);
  }
}

/** No receipt lies about whether its call ran. */
function checkCalls(world: World, facts: readonly Fact[], label: string): void {
  const ran = new Set(world.ran.map((call) => call.split(" ")[1]));
  for (const fact of facts) {
    if (fact.type !== "receipt") continue;
    const { callId, status } = fact.message;
    if (status === "cancelled" || status === "denied")
      assert.ok(!ran.has(callId), `${label}: ${callId} is ${status}, but it ran`);
    if (status === "ok") assert.ok(ran.has(callId), `${label}: ${callId} is ok, but it never ran`);
    const untrue = /^Not (?:run|started)/u.test(textOf(fact.message)) && ran.has(callId);
    assert.ok(!untrue, `${label}: ${callId} is said not to have run`);
  }
}

/** What somebody said to a question is on its receipt, once: nobody is asked again, and nobody's words are made up. */
function checkAnswers(facts: readonly Fact[], label: string): void {
  const answers = new Map<string, string>();
  const asked = new Set<string>();
  for (const fact of facts) {
    if (fact.type === "question-asked") for (const callId of fact.callIds) asked.add(callId);
    if (fact.type === "question-answered") {
      assert.ok(asked.has(fact.callId) && !answers.has(fact.callId), `${label}: ${fact.callId} was answered unasked`);
      answers.set(fact.callId, fact.text);
    }
    if (fact.type !== "receipt" || fact.message.status !== "ok") continue;
    const { callId } = fact.message;
    const said = answers.get(callId);
    const text = textOf(fact.message);
    const isTold = text.includes(heardAs(""));
    assert.ok(
      isTold === (said !== undefined) && (!isTold || text.includes(heardAs(said ?? ""))),
      `${label}: ${callId}`,
    );
  }
}

/** No iteration beyond the limit, and the one last word beside it is said without tools. */
function checkLimits(world: World, facts: readonly Fact[], label: string): void {
  const attempts = facts.filter((fact) => fact.type === "attempt-start");
  for (const { iteration } of attempts)
    assert.ok(iteration <= world.plan.maxIterations, `${label}: iteration ${iteration}`);
  const grace = facts.findIndex((fact) => fact.type === "attempt-start" && fact.grace);
  const begun = grace < 0 ? [] : facts.slice(grace).filter((fact) => fact.type === "segment-start");
  assert.deepEqual(begun, [], `${label}: tools ran in the grace call`);
}

/** No request leaves that the limit was not enough for, and behind the end of the money but a last word. */
function checkMoney(facts: readonly Fact[], label: string): void {
  const ledger = newLedger();
  let limitUsd = Infinity;
  let moreUsd = 0;
  let ended = false;
  for (const fact of facts) {
    if (fact.type === "turn-start") limitUsd = fact.limit?.leftUsd ?? Infinity;
    if (fact.type === "money-asked") ({ moreUsd } = fact);
    if (fact.type === "money-decided" && fact.allow) limitUsd += moreUsd;
    if (fact.type === "money-end") ended = true;
    if (fact.type === "attempt-start") {
      assert.ok(drawnUsd(ledger) <= limitUsd, `${label}: attempt ${fact.attempt} left behind the limit`);
      assert.ok(!ended || fact.grace, `${label}: attempt ${fact.attempt} is no last word`);
    }
    enter(ledger, fact);
  }
}

/** Every attempt is billed once, however it ended, and whoever lived through its end knows the same sum. */
function checkBills({ lane }: World, facts: readonly Fact[], label: string): void {
  const ledger = newLedger();
  const begun: number[] = [];
  const billed: number[] = [];
  for (const fact of facts) {
    if (fact.type === "attempt-start") begun.push(fact.attempt);
    const charge = enter(ledger, fact);
    if (charge?.type === "attempt") billed.push(charge.attempt);
  }
  assert.deepEqual(billed, begun, `${label}: every attempt is billed once`);
  // A process that found the turn ended has none.
  if (lane?.turnId !== "") assert.deepEqual(lane?.bill, ledger.bill, `${label}: live bill = fold`);
}

/** From the moment a redirect is accepted until the model is told, nothing the model says counts, unless it is a last word. */
export function checkRedirects(facts: readonly Fact[], label: string): void {
  checkCancelled(facts, label);
  let waiting = 0;
  for (const fact of facts) {
    if (fact.type === "redirect-accepted") waiting++;
    if (fact.type === "redirect-delivered") waiting--;
    if (fact.type === "interrupt-requested" || fact.type === "deadline-reached" || fact.type === "bug-caught") return;
    if (fact.type === "attempt-start" && fact.grace) return;
    const said = fact.type === "assistant-message" && fact.message.interrupted !== true;
    const counts = said || fact.type === "segment-start";
    assert.ok(waiting === 0 || !counts, `${label}: ${fact.type} behind a redirect the model was not told`);
  }
}

/** Nobody is asked again whom a turn has left because of what they did, unless a person or a new process begins anew. */
function checkChain({ plan }: World, facts: readonly Fact[], label: string): void {
  let left: string[] = [];
  let model = "";
  for (const fact of facts) {
    if (fact.type === "turn-start") ({ model } = fact);
    if (fact.type !== "model-switched") continue;
    left = fact.because === undefined ? [] : [...left, model];
    ({ model } = fact);
    assert.ok(!left.includes(model), `${label}: ${model} is asked again`);
    assert.ok(left.length <= 1 + (plan.fallbacks ?? 0), `${label}: more models than there are`);
  }
}

/** What is said in the middle of a turn never stands between the halves of a reply. */
function checkHalves(facts: readonly Fact[], label: string): void {
  let half = false;
  for (const fact of facts) {
    if ((fact.type === "reply-cut" || fact.type === "model-failure") && fact.partial !== undefined)
      half ||= fact.partial.text !== "";
    if (fact.type === "assistant-message" || fact.type === "closing-message") half = false;
    const between = half && (fact.type === "injection-delivered" || fact.type === "redirect-delivered");
    assert.ok(!between, `${label}: ${fact.type} between the halves of a reply`);
  }
}

/** A request that a redirect cancelled is made anew with the redirect in it, and what it had shown is taken back. */
function checkCancelled(facts: readonly Fact[], label: string): void {
  let attempt = 0;
  let cancelled: number | undefined;
  for (const fact of facts) {
    if (fact.type === "attempt-cancelled") cancelled = facts.indexOf(fact);
    if (fact.type !== "attempt-start") continue;
    if (cancelled !== undefined) {
      const between = facts.slice(cancelled, facts.indexOf(fact)).map(({ type }) => type);
      assert.ok(between.includes("redirect-delivered"), `${label}: attempt ${attempt} was cancelled for nothing`);
      assert.equal(fact.replaces, attempt, `${label}: what attempt ${attempt} had shown stands`);
    }
    ({ attempt } = fact);
    cancelled = undefined;
  }
}

/** What was accepted arrives exactly once: in the history, or given back at the end. What was refused never does. */
function checkSaid(world: World, facts: readonly Fact[], outcome: TurnOutcome, label: string): void {
  const delivered = (world.stored() as readonly Message[]).flatMap(placedIn);
  const switched = facts.flatMap((fact) => (fact.type === "model-switched" ? [fact.model] : []));
  const arrived = [...delivered, ...switched, ...(outcome.pendingSteer ?? []), ...(outcome.undelivered ?? [])];
  const wire = world.provider.requests.map((request) => request.text).join();
  for (const [text, taken] of world.said) {
    const isStop = text.startsWith("interrupt");
    const kept = !isStop || facts.some((fact) => fact.type === "interrupt-requested" && fact.message === text);
    const places = isStop ? (outcome.interruptMessage ?? "").split("\n\n") : arrived;
    const times = kept ? places.filter((it) => it === text).length : 0;
    const legal = taken === "crashed" ? [0, 1] : [Number(taken)];
    assert.ok(legal.includes(times), `${label}: ${text}: accepted ${taken}, arrived ${times} times`);
  }
  if (outcome.exit !== "text_response") return;
  for (const text of delivered) assert.ok(wire.includes(text), `${label}: the model never read ${text}`);
}

const placedIn = (message: Message): string[] =>
  (message.parts as readonly { readonly type: string; readonly text?: string }[]).flatMap((part) =>
    part.type === "steer" || (message.role === "user" && message.midTurn) ? [part.text ?? ""] : [],
  );

/**
 * Streamed = blocking: what a screen shows in the end, after every retraction, is the answer, and nothing else. Only
 * what was said beside a batch that is settled comes back as the answer. What stops a turn that
 * nobody stopped says why (rows E7, X4).
 */
function checkShown(events: readonly TurnEvent[], world: World, label: string): void {
  const facts = world.facts();
  const screen = new Screen();
  for (const event of events) screen.show(event);
  // What comes while a turn is parked nobody watches.
  if (!facts.some(({ type }) => type === "turn-parked"))
    assert.deepEqual(plain(events.filter(isFact)), facts, `${label}: the screen saw every fact once`);
  const last = facts.at(-1);
  if (last?.type !== "turn-end") return;
  const { exit, answer } = last.outcome;
  const isBelow = exit === "fallback_prior_turn_content" || exit === "content_policy";
  const stopped = facts.some(({ type }) => type === "guardrail-halt" || type === "money-end");
  const why = stopped ? world.stored().at(-1) : undefined;
  // Another stop may come between the end of the money and the words about it: it needs none.
  const said = why === undefined ? (answer ?? "") : textOf(why).replace(/^\[no answer: \w+\]$/u, "");
  if (!isBelow) assert.equal(screen.text, said, `${label}: streamed = blocking`);
}

/** What stands on a screen below the last thing that is settled: the text of each attempt that was not retracted. */
class Screen {
  private readonly shown = new Map<number, string>();
  private attempt = 0;
  private settled = false;

  get text(): string {
    return [...this.shown.values()].join("");
  }

  show(event: TurnEvent): void {
    switch (event.type) {
      case "attempt-start":
        this.goOn();
        if (event.replaces !== undefined) this.shown.delete(event.replaces);
        this.attempt = event.attempt;
        return;
      case "text-delta":
        this.shown.set(this.attempt, (this.shown.get(this.attempt) ?? "") + event.text);
        return;
      case "assistant-message":
        this.settled = true;
        if (callsOf(event.message).length > 0) this.goOn();
        return;
      // What the user says next stands below what is settled.
      case "injection-delivered":
      case "redirect-delivered":
        return this.goOn();
      default:
    }
  }

  private goOn(): void {
    if (this.settled) this.shown.clear();
    this.settled = false;
  }
}
