import { expect, test } from "vitest";
import type { ExitReason, RefusalReason } from "../../src/protocol/exit.ts";
import { ENDINGS, type Ending } from "../support/endings.ts";

const reached = Object.entries(ENDINGS).flatMap(([reason, endings]) =>
  "later" in endings
    ? []
    : endings.map((ending) => [reason as ExitReason | RefusalReason, ending.fault, ending] as const),
);

/** Exactly then there is an answer, and it is the model's own. */
const ANSWERS: ReadonlySet<string> = new Set([
  "text_response",
  "partial_stream_recovery",
  "fallback_prior_turn_content",
  "max_iterations_reached",
  "output_truncated",
  "interrupted_during_api_call",
]);

test.each(reached)("[J1][J3] %s: %s", async (reason: string, _fault: string, { code, run }: Ending) => {
  const [english, chinese] = [await run("en"), await run("zh")];
  for (const result of [english, chinese]) {
    expect(result.exit).toMatchObject({ reason, code });
    expect(result.ok).toBe(code === 0);
    expect(result.error === null).toBe(code === 0);
    expect(result.answer !== null).toBe(ANSWERS.has(reason));
  }
  if (reason === "text_response") return;
  // What a tool said itself may follow, in its own words.
  expect(english.exit.explain).toMatch(/^[A-Z][^。]*\./u);
  expect(chinese.exit.explain).toMatch(/^[^.]*\p{Script=Han}[^.]*。/u);
  expect(chinese.exit.next.map((step) => step.do)).toEqual(english.exit.next.map((step) => step.do));
});
