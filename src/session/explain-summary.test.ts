import { expect, test } from "vitest";
import { asking, attempt, CHILD, END, receipt, RICH, segment, START, turn } from "../../test/support/told-turns.ts";
import { summaryLines } from "./explain-summary.ts";
import { pictureOf } from "./picture/picture-of.ts";

const told = (stored: typeof RICH, language: "en" | "zh" = "en"): string[] =>
  summaryLines(pictureOf(stored), "evander turn cache t", language);

test("[X1] [G3] of a turn that outlived its process it is told when it died, at what, and what nobody knows", () => {
  expect(told(RICH)).toEqual([
    "The last thing that happened: $ npm test → error: 1 failed.",
    "Its process died 2 s after the start, while it ran $ npm test; the same turn was resumed 0.6 s later.",
    "Whether $ npm test had its effect is unknown: it was not run again by itself, and the model was told so.",
    "Unusual: a guardrail warned 1 time (repeated_exact_failure_warning).",
    "Unusual: 2 of 5 requests failed (rate_limit, overloaded).",
    "Unusual: other models took over (q/n).",
    "The prompt cache broke at iteration 2: evander turn cache t says why.",
    "It took: about $0.0824; 25,000 tokens in (cache 0 %), 90 out; 5 requests, iterations 3 / 10.",
  ]);
  expect(told(RICH, "zh")).toContain("$ npm test 是否已生效未知：没有自动再次运行，并已告知模型。");
});

test("[X1] [G3] a look-up that a crash had cut off and that ran again is told as such, and who was being asked", () => {
  const again = turn(
    [0, START],
    [10, attempt(1, 1)],
    [20, asking(1, ["a", "read_file", { path: "a.txt" }])],
    [20, segment("a")],
    [3_000, { type: "turn-resumed" }],
    [3_001, segment("a")],
    [3_010, receipt(2, "a", "a.txt: lines 1-3")],
    [3_020, attempt(2, 2)],
    [5_000, { type: "turn-resumed" }],
    [5_010, attempt(3, 2)],
    [5_020, END],
  );
  expect(told(again).slice(0, 3)).toEqual([
    "Its process died 0 s after the start, while it ran read a.txt; the same turn was resumed 3 s later.",
    "Run again after that, since it does no harm twice: read a.txt.",
    "Its process died 3 s after the start, while m was being asked; the same turn was resumed 2 s later.",
  ]);
});

test("[X1] a call that failed again and again is told; of a turn without anything unusual, what it took", () => {
  const facts = [1, 2, 3, 4].flatMap((n) => [
    [n * 10, attempt(n, n)] as const,
    [n * 10 + 1, asking(n * 2, [`c${n}`, "terminal", { command: "npm test" }])] as const,
    [n * 10 + 2, segment(`c${n}`)] as const,
    [n * 10 + 3, receipt(n * 2 + 1, `c${n}`, n === 4 ? "ok" : "Exit code 1", n === 4 ? "ok" : "error")] as const,
  ]);
  expect(told(turn([0, START], ...facts, [100, END]))).toEqual([
    "Unusual: 3 of 4 calls were the same failing one: $ npm test.",
    "It took: cost unknown; 40 tokens in (cache 0 %), 8 out; 4 requests, iterations 4 / 10.",
  ]);
  expect(told(CHILD)).toEqual([expect.stringMatching(/^It took: /u)]);
});
