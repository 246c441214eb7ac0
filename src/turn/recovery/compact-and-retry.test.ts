import { expect, test } from "vitest";
import type { Failure } from "../../protocol/failure.ts";
import { apply } from "../apply.ts";
import { initialState, UNATTENDED } from "../state.ts";
import { compactAndRetry } from "./compact-and-retry.ts";

const setup = { model: "m", provider: "p", maxIterations: 3, approvals: "never", ...UNATTENDED } as const;

function sharesOf(reason: Failure["reason"], bytes: number): (number | undefined)[] {
  const state = initialState(setup, []);
  apply(state, { type: "attempt-start", attempt: 1, iteration: 1, model: "m", size: { messages: 1, bytes } });
  const hints = { retryable: true, shouldCompress: true, shouldRotateCredential: false, shouldFallback: false };
  return Array.from({ length: 4 }, () => {
    const recovery = compactAndRetry({ reason, message: "too long", ...hints }, state);
    const compaction = { through: 1, from: 0, instruction: 0, cutBefore: 1 };
    apply(state, { type: "history-compacted", compaction });
    return recovery?.do === "compact" ? recovery.share : undefined;
  });
}

test("[D3] [D14] above the tier of an account no more is left out than has to be, at first; else half", () => {
  expect(sharesOf("context_overflow", 1_000_000)).toEqual([0.5, 0.2, 0, undefined]);
  // 250,000 tokens, of which 180,000 are to be left.
  expect(sharesOf("long_context_tier", 1_000_000)).toEqual([0.72, 0.2, 0, undefined]);
  expect(sharesOf("long_context_tier", 400_000)).toEqual([0.5, 0.2, 0, undefined]);
});
