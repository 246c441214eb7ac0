import fc from "fast-check";
import { expect, test } from "vitest";
import {
  asking,
  attempt,
  CHILD,
  END,
  FULL,
  receipt,
  RICH,
  segment,
  START,
  turn,
} from "../../../test/support/told-turns.ts";
import { textWidth } from "../text-width.ts";
import { pictureLines } from "./draw.ts";
import { pictureOf } from "./picture-of.ts";

test("[X1] the picture of a turn is a fold over its facts: attempts, waits, tools, people, arrivals, the end", () => {
  const picture = pictureOf(FULL);
  expect(
    picture.rows.map((row) => ("startMs" in row ? [row.type, row.startMs, row.endMs] : [row.type, row.atMs])),
  ).toEqual([
    ["phase", 0, 10],
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
    ["phase", 2_000, 2_000],
    ["end", 2_000],
  ]);
  expect(picture).toMatchObject({
    tookMs: 2_000,
    retries: 1,
    exit: "text_response",
    iterations: { used: 3, limit: 10, refunded: 0 },
    usage: { input: 20, output: 4 },
  });
  expect(picture.rows[3]).toMatchObject({ tries: 2, end: { type: "calls", count: 2 } });
});

test("[X1] in 80 columns it stands as a table with bars on one axis of time", () => {
  expect(pictureLines(pictureOf(FULL), { columns: 80, plain: true, language: "en" })).toEqual([
    "p m | 3 iterations | 1 retry | 3 tool calls (1 failed) | 2 s | cost unknown",
    "   start     took what                     0        2.00 s result",
    "    0 ms    10 ms prepare                  _",
    "   10 ms    10 ms 1 m                      #               429 rate_limit, $0",
    "   20 ms   500 ms   wait                   ....",
    "  520 ms    80 ms 1 m (try 2)                 ##           asks for 2 calls",
    "  600 ms   100 ms | read a.txt                 =           a.txt: lines 1-3",
    '  600 ms   300 ms | grep "x"                   ===         No line matches',
    "  900 ms    50 ms 2 m                            #         asks for 1 call",
    "  950 ms   250 ms   ? $ make check                ??       allowed",
    "  1.20 s   600 ms   $ make check                    =====  + steer, error: Ex...",
    "  1.30 s          steer: also tell me why           ^",
    "  1.80 s   200 ms 3 m                                   ## answer, cost unknown",
    "  2.00 s          finalise                               _",
    "  2.00 s          end                                      text_response",
    "# model  = tool  . wait  ? person  ^ arrival  _ this program",
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
  expect(pictureOf(crashed).rows.slice(1)).toMatchObject([
    { type: "attempt", startMs: 10, endMs: 50, end: { type: "lost" } },
    { type: "mark", mark: "steer" },
    { type: "gap", startMs: 50, endMs: 3_600_000 },
    { type: "attempt", startMs: 3_600_010, endMs: null, end: null, tries: 2 },
  ]);
  const lines = pictureLines(pictureOf(crashed), { columns: 80, plain: true, language: "en" });
  expect(lines).toContain("Time in which nobody worked is drawn shorter than it was.");
  expect(lines.join("\n")).toContain("goes on");
});

test("[X1] an iteration that was given back is hatched and says so", () => {
  const refunded = turn([0, START], [1, attempt(1, 1)], [9, asking(1, ["a", "execute_code", { code: "1" }])]);
  expect(pictureOf(refunded)).toMatchObject({ rows: [{}, { refunded: true }], iterations: { refunded: 1 } });
  const lines = pictureLines(pictureOf(refunded), { columns: 120, plain: true, language: "en" });
  expect(lines[3]).toMatch(/%+ .*asks for 1 call \(given back\)$/u);
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

test("[X3] a summary that a redirect has cut short ends where the next one begins", () => {
  const { rows } = pictureOf(
    turn([0, START], [10, { type: "summary-start" }], [30, { type: "summary-start" }], [50, END]),
  );
  const summaries = rows.flatMap((row) => (row.type === "summary" ? [[row.startMs, row.endMs]] : []));
  expect(summaries).toEqual([
    [10, 30],
    [30, 50],
  ]);
});

test("[X3] keys, models, a crash, a child, a summary, a park, what is left of the limits: all of it has its place", () => {
  const picture = pictureOf(RICH, { children: [CHILD] });
  const told = picture.rows.map((row) => {
    if (row.type === "mark") return row.mark;
    return row.type === "beside" ? `beside ${row.purpose}` : row.type;
  });
  expect(told).toEqual(
    [
      [
        "phase",
        "context",
        "attempt",
        "key",
        "attempt",
        "tool",
        "tool",
        "child",
        "summary",
        "compacted",
        "beside summary",
      ],
      [
        "attempt",
        "tool",
        "gap",
        "attempt",
        "model",
        "attempt",
        "person",
        "parked",
        "tool",
        "interrupt",
        "phase",
        "end",
      ],
      ["beside review"],
    ].flat(),
  );
  expect(picture.rows).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: "gap", startMs: 2_000, endMs: 2_600 }),
      expect.objectContaining({ type: "child", turnId: "u", sessionId: "c", iterations: 1, exit: "text_response" }),
      expect.objectContaining({ callId: "c", status: "interrupted", endMs: 2_000 }),
      expect.objectContaining({ attempt: 3, cacheBroke: true }),
      expect.objectContaining({ callId: "d", files: 1, warning: { code: "repeated_exact_failure_warning", count: 2 } }),
      expect.objectContaining({ type: "beside", purpose: "review", after: true, atMs: 3_606_000 }),
    ]),
  );
  expect(picture.budget[0]).toEqual({ atMs: 0, iterations: 10, usd: 0.5 });
  expect(picture.budget.at(-1)?.iterations).toBe(7);
  expect(picture.budget.at(-1)?.usd).toBeLessThan(0.5);
  expect(picture.cost).toMatchObject({ status: "estimated" });
});

test("[X3] a turn that goes on is drawn until now", () => {
  const goesOn = turn([0, START], [10, attempt(1, 1)]);
  expect(pictureOf(goesOn, { nowMs: 1_000_000 + 5_000 }).tookMs).toBe(5_000);
  expect(pictureOf(FULL, { nowMs: 1_000_000 + 5_000 }).tookMs).toBe(2_000);
});
