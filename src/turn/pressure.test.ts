import fc from "fast-check";
import { expect, test } from "vitest";
import type { Fact } from "../protocol/fact.ts";
import { type AssistantMessage, assistantText, type Message, userText } from "../protocol/message.ts";
import { NO_USAGE } from "../protocol/outcome.ts";
import { fitsWindow } from "../protocol/window.ts";
import { apply } from "./apply.ts";
import { decide } from "./decide.ts";
import { estimate, relieve, roomFor, threshold, weights } from "./pressure.ts";
import { initialState, type Setup, type TurnState, UNATTENDED } from "./state.ts";

const SETUP: Setup = { model: "m", provider: "p", maxIterations: 9, approvals: "never", ...UNATTENDED };
const COMPACTION = { through: 1, from: 0, instruction: 0, cutBefore: 1 };

function begun(setup: Partial<Setup> = {}, history: TurnState["history"] = []): TurnState {
  const state = initialState({ ...SETUP, ...setup }, history);
  const message = userText("go");
  return after(state, {
    type: "turn-start",
    turnId: "t",
    seq: history.length,
    message,
    model: "m",
    provider: "p",
    maxIterations: 9,
  });
}

function after(state: TurnState, ...facts: readonly Fact[]): TurnState {
  for (const fact of facts) apply(state, fact);
  return state;
}

const attempt = (at: number, tokens?: number): Fact => ({
  type: "attempt-start",
  attempt: at,
  iteration: at,
  model: "m",
  ...(tokens !== undefined && { tokens }),
});

const said = (
  { history }: TurnState,
  input: number,
  output = 0,
  message: AssistantMessage = assistantText("ok"),
): Fact => ({
  type: "assistant-message",
  seq: history.length,
  message,
  finish: "stop",
  usage: { ...NO_USAGE, input, output },
});

test("[A10] a window counts as full at its half, at 64,000 at least, and never where a reply has no room any more", () => {
  expect([32_768, 64_000, 128_000, 200_000, 1_000_000].map((window) => threshold(window))).toEqual([
    27_648, 58_880, 64_000, 100_000, 500_000,
  ]);
  expect(threshold(32_768, 1_000)).toBe(30_744);
  fc.assert(
    fc.property(
      fc.integer({ min: 6_000, max: 2_000_000 }),
      fc.option(fc.nat(100_000), { nil: undefined }),
      (window, most) => {
        expect(fitsWindow(threshold(window, most), window, most)).toBe(true);
      },
    ),
  );
});

test("[A10] the next request has what was counted of the last one, and estimates of what came since", () => {
  const state = begun({ contextWindow: 100_000 });
  after(state, attempt(1, 500), said(state, 400, 2_000));
  const reply = estimate(state);
  // Of 2,000 tokens most were thoughts, which do not all go back.
  expect(reply).toBeGreaterThan(400);
  expect(reply).toBeLessThan(450);
  after(state, { type: "injection-accepted", injectionId: "i", text: "" });
  after(state, { type: "injection-delivered", injectionId: "i", seq: 2, message: userText("word ".repeat(1_000)) });
  expect(estimate(state)).toBeGreaterThan(reply + 700);
  expect(estimate(state)).toBeLessThan(reply + 1_500);
});

test("[A10] estimates learn from the first count; what is no count is not believed", () => {
  const history = [userText("word ".repeat(4_000)), assistantText("ok")];
  const first = begun({ contextWindow: 100_000, overhead: 500 }, [...history]);
  const guess = estimate(first);
  after(first, attempt(1, guess), said(first, Math.round(guess * 1.3)));
  const second = initialState({ ...SETUP, overhead: 500, contextWindow: 100_000 }, [...history], {
    gauge: { ...first.gauge, tokens: undefined },
  });
  expect(estimate(second) / estimate(initialState({ ...SETUP, overhead: 500 }, [...history]))).toBeCloseTo(1.3, 1);
  for (const nonsense of [0, 1, 20, guess / 2]) {
    const state = begun({ contextWindow: 100_000, overhead: 500 }, [...history]);
    after(state, attempt(1, guess), said(state, nonsense));
    expect(estimate(state)).toBeGreaterThanOrEqual(guess);
  }
});

test("[A10] a count that the window could not hold, of what is far less, is no count; one a little over it is", () => {
  const history = [userText("word ".repeat(4_000)), assistantText("ok")];
  const of = (counted: number): number => {
    const state = begun({ contextWindow: 8_192 }, [...history]);
    return estimate(after(state, attempt(1, estimate(state)), said(state, counted)));
  };
  const none = of(0);
  expect(of(5_000_000)).toBe(none);
  expect(of(10_000)).toBeGreaterThan(10_000 - 1);
});

test("[COMP-02] whether a compaction has helped is judged by the count of the next request, not by an estimate", () => {
  const state = begun({ contextWindow: 200_000 });
  after(state, attempt(1, 121_400), said(state, 121_480));
  const tokens = { before: 121_480, after: 78_000 };
  after(state, { type: "history-compacted", compaction: COMPACTION, because: "pressure", tokens });
  expect(estimate(state)).toBe(78_000);
  after(state, attempt(2, 78_000), said(state, 121_000));
  expect(decide(state)).toEqual({ do: "judge-compaction", tokens: 121_000, strikes: 1 });
  after(state, { type: "compaction-judged", tokens: 121_000, strikes: 1 });
  expect(decide(state).do).not.toBe("judge-compaction");
  // The counter outlives the turn.
  expect(initialState(SETUP, [], state).strikes).toBe(1);
});

test("[COMP-02] where a server counts nothing, estimates judge: what never helps is not paid for in each turn", () => {
  const history = [userText("a"), assistantText("b"), userText("c")];
  const state = begun({ contextWindow: 32_768, overhead: 50_000 }, history);
  const less: Fact = { type: "history-compacted", compaction: COMPACTION, because: "pressure" };
  after(state, { ...less, tokens: { before: 51_000, after: 50_002 } }, attempt(1, 50_002), said(state, 0));
  expect(decide(state)).toMatchObject({ do: "judge-compaction", tokens: 50_002, strikes: 1 });
  const helped = begun({ contextWindow: 32_768 }, history);
  helped.strikes = 1;
  after(helped, { ...less, tokens: { before: 40_000, after: 9_000 } }, attempt(1, 9_000), said(helped, 0));
  expect(decide(helped)).toMatchObject({ do: "judge-compaction", tokens: 9_000, strikes: 0 });
});

test("[COMP-02] what came since a compaction does not count against it; what has helped takes the strikes away", () => {
  const state = begun({ contextWindow: 200_000 });
  state.strikes = 1;
  const tokens = { before: 120_000, after: 40_000 };
  after(state, { type: "history-compacted", compaction: COMPACTION, because: "pressure", tokens });
  after(state, attempt(1, 104_000), said(state, 104_500));
  expect(decide(state)).toEqual({ do: "judge-compaction", tokens: 40_500, strikes: 0 });
});

test("[A10] three passes at most, none after one that shrinks nothing, and none after two that did not help", () => {
  const full = (strikes = 0): TurnState => {
    const state = begun({ contextWindow: 30_000, overhead: 28_000 });
    state.strikes = strikes;
    return state;
  };
  const compacted = (before: number, next: number): Fact => ({
    type: "history-compacted",
    compaction: COMPACTION,
    because: "pressure",
    tokens: { before, after: next },
  });
  const due = (state: TurnState): boolean => relieve(state, 28_000) !== undefined;
  expect(due(full())).toBe(true);
  expect(due(full(2))).toBe(false);
  expect(due(after(full(), compacted(28_900, 28_500), compacted(28_500, 28_200)))).toBe(true);
  expect(due(after(full(), compacted(28_900, 28_500), compacted(28_500, 28_200), compacted(28_200, 28_100)))).toBe(
    false,
  );
  expect(due(after(full(), compacted(28_900, 28_900)))).toBe(false);
  expect(due(after(full(), { type: "compaction-failed", because: "pressure", tokens: 28_900 }))).toBe(false);
});

test("[COMP-10] what a far server has not read is said, once, and does not end the turn; what a near one has not, does", () => {
  const answered = (local: boolean): TurnState => {
    const state = begun({ contextWindow: 32_768, overhead: 9_000, ...(local && { local: true }) });
    return after(state, attempt(1, 9_010), said(state, 2_051));
  };
  const far = answered(false);
  expect(decide(far)).toEqual({ do: "warn-truncated", estimated: 9_010, told: 2_051 });
  after(far, { type: "request-truncated", estimated: 9_010, told: 2_051 });
  expect(decide(far)).toMatchObject({ do: "end-turn", outcome: { exit: "text_response" } });
  const near = after(answered(true), { type: "request-truncated", estimated: 9_010, told: 2_051 });
  expect(decide(near)).toMatchObject({
    do: "end-turn",
    outcome: { exit: "ollama_runtime_context_too_small", answer: "ok" },
  });
});

test("[ERR-11] the reply has what the request leaves of the window, and never less than every reply has", () => {
  expect(roomFor(150_000, 200_000, 64_000)).toBe(48_976);
  expect(roomFor(194_000, 200_000, 64_000)).toBe(4_976);
  expect(roomFor(195_900, 200_000, 64_000)).toBe(4_096);
});

test("[A10] what would be left is weighed as what is there is counted", () => {
  const history = [userText("word ".repeat(4_000)), assistantText("ok"), userText("and now")];
  const state = begun({ contextWindow: 100_000 }, history);
  after(state, attempt(1, 4_000), said(state, 8_000));
  const { before, after: left } = weights(state, { through: 4, from: 2, instruction: 3, cutBefore: 0 });
  expect(before).toBe(estimate(state));
  expect(left).toBeLessThan(before / 10);
});

test("[COMP-10] a window that fills up in the middle of a session is noticed; a server that counts otherwise is no such", () => {
  const grown = (second: number, text = "word ".repeat(4_000)): TurnState => {
    const state = begun({ contextWindow: 32_768 });
    after(state, attempt(1, 2_600), said(state, 2_500));
    after(state, { type: "injection-accepted", injectionId: "i", text });
    after(state, { type: "injection-delivered", injectionId: "i", seq: 2, message: userText(text) });
    return after(state, attempt(2, estimate(state)), said(state, second));
  };
  expect(decide(grown(2_051))).toMatchObject({ do: "warn-truncated", told: 2_051 });
  // Of 2,500 tokens that it had read it cannot have lost more than half: it counts what it had not read before.
  expect(decide(grown(1_100))).toMatchObject({ do: "end-turn" });
  expect(decide(grown(6_000))).toMatchObject({ do: "end-turn" });
  expect(decide(grown(2_600, "and now"))).toMatchObject({ do: "end-turn" });
});

test("[COMP-10] pictures and thoughts may weigh anything: what is counted of them is believed", () => {
  const history = [{ ...userText("look"), parts: [{ type: "image" as const, url: "data:image/png;base64,AAAA" }] }];
  const state = begun({ contextWindow: 32_768 }, history);
  after(state, attempt(1, 9_000), said(state, 1_200));
  expect(decide(state)).toMatchObject({ do: "end-turn" });
  expect(estimate(state)).toBeLessThan(1_300);
});

test("[A10] messages weigh what is sent of them: a file that a tool printed as base64 is a mention", () => {
  const file = "iVBORw0KGgoAAAANSUhEUgAA2x9QkZ7".repeat(3_000);
  const receipt = (text: string): Message => ({
    role: "tool",
    callId: "a",
    status: "ok",
    parts: [{ type: "text", text }],
  });
  const call: Message = { role: "assistant", parts: [{ type: "tool-call", callId: "a", name: "x", input: "{}" }] };
  const asked = begun({ contextWindow: 100_000, overhead: 0 }, [userText("u"), call, receipt(file)]);
  expect(estimate(asked)).toBeLessThan(100);
  const counted = after(begun({ contextWindow: 100_000 }), attempt(1, 500), said(asked, 500));
  counted.history.push(receipt(file), assistantText("[no answer: time_limit]"));
  expect(estimate(counted)).toBeLessThan(600);
});
