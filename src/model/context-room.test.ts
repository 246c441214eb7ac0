import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutRoom } from "./context-room.ts";

const where = "127.0.0.1:11434";

test("[C15] the window must hold the request and a reply of 4,096 tokens, or of what was asked for", () => {
  const fits = (bytes: number, contextWindow: number, maxOutput?: number): boolean =>
    withoutRoom({ bytes, contextWindow, maxOutput, where }) === undefined;
  expect(fits(4_000, 5_096)).toBe(true);
  expect(fits(4_001, 5_096)).toBe(false);
  expect(fits(4_000, 1_100, 100)).toBe(true);
  expect(withoutRoom({ bytes: 1, contextWindow: 4_096, maxOutput: undefined, where })).toMatchObject({
    reason: "context_overflow",
    shouldCompress: true,
    retryable: false,
    loadedWindow: 4_096,
  });
});

test("[C15] a window that is not known refuses nothing", () => {
  fc.assert(
    fc.property(fc.nat(), (bytes) => {
      expect(withoutRoom({ bytes, maxOutput: undefined, contextWindow: undefined, where })).toBeUndefined();
    }),
  );
});
