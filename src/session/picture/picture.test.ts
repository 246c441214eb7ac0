import fc from "fast-check";
import { expect, test } from "vitest";
import type { Fact } from "../../protocol/fact.ts";
import type { AssistantMessage, ToolMessage } from "../../protocol/message.ts";
import { userText } from "../../protocol/message.ts";
import type { StoredTurn, TimedFact } from "../../protocol/store.ts";
import { textWidth } from "../text-width.ts";
import { pictureLines } from "./draw.ts";
import { pictureOf } from "./rows.ts";

const START: Fact = {
  type: "turn-start",
  turnId: "t",
  seq: 0,
  message: userText("fix it"),
  model: "m",
  provider: "p",
  maxIterations: 10,
};
const attempt = (n: number, iteration: number): Fact => ({ type: "attempt-start", attempt: n, iteration, model: "m" });

const asking = (seq: number, ...calls: readonly (readonly [id: string, name: string, input: object])[]): Fact => {
  const parts = calls.map(([callId, name, input]) => {
    return { type: "tool-call", callId, name, input: JSON.stringify(input) } as const;
  });
  const message: AssistantMessage = { role: "assistant", parts };
  const usage = { input: 10, output: 2, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  return { type: "assistant-message", seq, message, finish: "tool_calls", usage };
};
const answer = (seq: number): Fact => ({
  type: "assistant-message",
  seq,
  message: { role: "assistant", parts: [{ type: "text", text: "done" }] },
  finish: "stop",
});
const receipt = (seq: number, callId: string, text: string, status: ToolMessage["status"] = "ok"): Fact => ({
  type: "receipt",
  seq,
  message: { role: "tool", callId, status, parts: [{ type: "text", text }] },
});
const segment = (...callIds: string[]): Fact => ({ type: "segment-start", callIds, effect: "pure" });
const END: Fact = { type: "turn-end", outcome: { exit: "text_response", answer: "done" } };
const LIMITED: Fact = {
  type: "model-failure",
  failure: {
    reason: "rate_limit",
    retryable: true,
    shouldCompress: false,
    shouldRotateCredential: false,
    shouldFallback: false,
    status: 429,
    message: "slow down",
  },
};

const turn = (...facts: readonly (readonly [atMs: number, fact: Fact])[]): StoredTurn => ({
  turnId: "t",
  sessionId: "s",
  after: [],
  facts: facts.map(([atMs, fact]): TimedFact => ({ atMs: 1_000_000 + atMs, fact })),
});

/** Everything a person may want to see of a turn, once. */
const FULL = turn(
  [0, START],
  [10, attempt(1, 1)],
  [20, LIMITED],
  [20, { type: "retry-scheduled", delayMs: 500, untilMs: 520 }],
  [520, attempt(2, 1)],
  [600, asking(1, ["a", "read_file", { path: "a.txt" }], ["b", "search_files", { mode: "content", pattern: "x" }])],
  [600, segment("a", "b")],
  [700, receipt(2, "a", "a.txt: lines 1-3")],
  [900, receipt(3, "b", "No line matches")],
  [900, attempt(3, 2)],
  [950, asking(4, ["c", "terminal", { command: "make check" }])],
  [950, { type: "approval-requested", callIds: ["c"] }],
  [1_200, { type: "approval-decided", callId: "c", allow: true }],
  [1_200, { type: "segment-start", callIds: ["c"], effect: "effect" }],
  [1_300, { type: "steer-accepted", steerId: "1", text: "also tell me why" }],
  [1_800, receipt(5, "c", "Exit code 1 after 0.6 s.", "error")],
  [1_800, { type: "steer-placed", seq: 5, part: 1, steer: { type: "steer", steerId: "1", text: "also tell me why" } }],
  [1_800, attempt(4, 3)],
  [2_000, answer(6)],
  [2_000, END],
);

test("[X1] the picture of a turn is a fold over its facts: attempts, waits, tools, people, arrivals, the end", () => {
  const picture = pictureOf(FULL);
  expect(
    picture.rows.map((row) => ("startMs" in row ? [row.type, row.startMs, row.endMs] : [row.type, row.atMs])),
  ).toEqual([
    ["attempt", 10, 20],
    ["wait", 20, 520],
    ["attempt", 520, 600],
    ["tool", 600, 700],
    ["tool", 600, 900],
    ["attempt", 900, 950],
    ["person", 950, 1_200],
    ["tool", 1_200, 1_800],
    ["mark", 1_300],
    ["attempt", 1_800, 2_000],
    ["end", 2_000],
  ]);
  expect(picture).toMatchObject({
    tookMs: 2_000,
    retries: 1,
    exit: "text_response",
    iterations: { used: 3, limit: 10, refunded: 0 },
    usage: { input: 20, output: 4 },
  });
  expect(picture.rows[2]).toMatchObject({ tries: 2, end: { type: "calls", count: 2 } });
});

test("[X1] in 80 columns it stands as a table with bars on one axis of time", () => {
  expect(pictureLines(pictureOf(FULL), { columns: 80, plain: true, language: "en" })).toEqual([
    "p m | 3 iterations | 1 retry | 3 tool calls (1 failed) | 2 s",
    "   start     took what                     0        2.00 s result",
    "   10 ms    10 ms 1 m                      #               429 rate_limit",
    "   20 ms   500 ms   wait                   ....",
    "  520 ms    80 ms 1 m (try 2)                 ##           asks for 2 calls",
    "  600 ms   100 ms   read a.txt                 =           a.txt: lines 1-3",
    '  600 ms   300 ms   grep "x"                   ===         No line matches',
    "  900 ms    50 ms 2 m                            #         asks for 1 call",
    "  950 ms   250 ms   ? $ make check                ??       allowed",
    "  1.20 s   600 ms   $ make check                    =====  + steer, error: Ex...",
    "  1.30 s          steer: also tell me why           ^",
    "  1.80 s   200 ms 3 m                                   ## answer",
    "  2.00 s          end                                      text_response",
    "# model  = tool  . wait  ? person  ^ arrival",
    "text_response: The model has answered.",
  ]);
});

test("[X1] what a crash interrupted ends where it was seen last, and what is open goes on", () => {
  const crashed = turn(
    [0, START],
    [10, attempt(1, 1)],
    [50, { type: "steer-accepted", steerId: "1", text: "hm" }],
    [3_600_000, { type: "turn-resumed" }],
    [3_600_010, attempt(2, 1)],
  );
  expect(pictureOf(crashed).rows).toMatchObject([
    { type: "attempt", startMs: 10, endMs: 50, end: { type: "lost" } },
    { type: "mark", mark: "steer" },
    { type: "mark", mark: "resumed", atMs: 3_600_000 },
    { type: "attempt", startMs: 3_600_010, endMs: null, end: null, tries: 2 },
  ]);
  const lines = pictureLines(pictureOf(crashed), { columns: 80, plain: true, language: "en" });
  expect(lines).toContain("Time in which nobody worked is drawn shorter than it was.");
  expect(lines.join("\n")).toContain("goes on");
});

test("[X1] an iteration that was given back is hatched and says so", () => {
  const refunded = turn([0, START], [1, attempt(1, 1)], [9, asking(1, ["a", "execute_code", { code: "1" }])]);
  expect(pictureOf(refunded)).toMatchObject({ rows: [{ refunded: true }], iterations: { refunded: 1 } });
  const lines = pictureLines(pictureOf(refunded), { columns: 120, plain: true, language: "en" });
  expect(lines[2]).toMatch(/%+ .*asks for 1 call \(given back\)$/u);
});

test("[X1] no line is wider than the screen, whatever a call or a receipt holds, and nothing hides in it", () => {
  const words = fc.string({ unit: "grapheme", maxLength: 60 });
  fc.assert(
    fc.property(words, words, fc.integer({ min: 60, max: 200 }), fc.boolean(), (command, text, columns, plain) => {
      const facts = turn(
        [0, START],
        [1, attempt(1, 1)],
        [5, asking(1, ["a", "terminal", { command: `运行检查👨‍👩‍👧${command}` }])],
        [5, segment("a")],
        [400, { type: "injection-accepted", injectionId: "1", text }],
        [900, receipt(2, "a", text)],
        [900, END],
      );
      for (const language of ["en", "zh"] as const) {
        const lines = pictureLines(pictureOf(facts), { columns, plain, language });
        for (const line of lines.slice(1, -2)) expect(textWidth(line)).toBeLessThanOrEqual(columns);
        expect(lines.join("")).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
      }
    }),
  );
});

test("[X1] without a terminal every sign of the drawing is ASCII", () => {
  const lines = pictureLines(pictureOf(FULL), { columns: 80, plain: true, language: "en" });
  expect(lines.join("")).toMatch(/^[\u0020-\u007E]*$/u);
  expect(pictureLines(pictureOf(FULL), { columns: 80, plain: false, language: "zh" }).join("")).toContain("█");
});
