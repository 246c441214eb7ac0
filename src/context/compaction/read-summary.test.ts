import { expect, test } from "vitest";
import { readSummary, type SummaryRun } from "./read-summary.ts";

const run: SummaryRun = { ok: true, answer: "## Done\n1. It.", reason: "text_response", message: null, messages: [] };
const failed = { ok: false, answer: null } as const;

const TROUBLES: readonly (readonly [Partial<SummaryRun>, string])[] = [
  [{ answer: " \n" }, "the model said nothing"],
  [{ ...failed, reason: "empty_response_exhausted", message: "The model said nothing." }, "the model said nothing"],
  [{ ok: false, answer: "## Do", reason: "output_truncated" }, "the summary was cut off by the limit on output"],
  [{ ...failed, reason: "thinking_exhausted" }, "the summary was cut off by the limit on output"],
  [{ ...failed, reason: "content_policy" }, "the model refused to sum up"],
  [{ answer: "I cannot assist with that request." }, "the model refused to sum up"],
  [{ answer: "OK." }, "the model gave no summary"],
  [{ answer: "抱歉，我无法总结这段对话。" }, "the model refused to sum up"],
  [{ ...failed, reason: "time_limit" }, "the model took too long"],
  [{ ...failed, reason: "request_rejected", message: "No such model.\nMore." }, "No such model"],
  [{ ...failed, reason: "money_limit" }, "money_limit"],
];

test("[F3] [COMP-06] what is no summary is named in one line, and what is one is taken as it is", () => {
  for (const [more, trouble] of TROUBLES)
    expect(readSummary({ ...run, ...more })).toEqual({ type: "trouble", trouble });
  expect(readSummary(run)).toEqual({ type: "summary", text: "## Done\n1. It." });
  expect(readSummary({ ...run, answer: " (Nothing) " })).toEqual({ type: "nothing" });
  // A summary may tell of what could not be done.
  const tells = "## Blocked\nThe agent was unable to help with the build: exit code 1.";
  expect(readSummary({ ...run, answer: tells })).toEqual({ type: "summary", text: tells });
});
