import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutRoom } from "./context-room.ts";

const where = "127.0.0.1:11434";

test("[C15] the window must hold the request and a reply of 4,096 tokens, or of what was asked for", () => {
  const fits = (tokens: number, contextWindow: number, maxOutput?: number): boolean =>
    withoutRoom({ tokens, contextWindow, maxOutput, where }) === undefined;
  expect(fits(1_000, 5_096)).toBe(true);
  expect(fits(1_001, 5_096)).toBe(false);
  expect(fits(1_000, 1_100, 100)).toBe(true);
  expect(withoutRoom({ tokens: 1, contextWindow: 4_096, maxOutput: undefined, where })).toMatchObject({
    reason: "context_overflow",
    shouldCompress: true,
    retryable: false,
    loadedWindow: 4_096,
  });
});

test("[C15] a window that is not known refuses nothing", () => {
  fc.assert(
    fc.property(fc.nat(), (tokens) => {
      expect(withoutRoom({ tokens, maxOutput: undefined, contextWindow: undefined, where })).toBeUndefined();
    }),
  );
});
