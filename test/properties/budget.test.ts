import { expect, test } from "vitest";
import fc from "fast-check";
import { consume, iterationBudget, refund, remaining } from "../../src/turn/budget.ts";

test("[B2 B3] whatever is consumed and refunded, the budget stays between nothing and its limit and never lies", () => {
  const limit = fc.oneof(fc.nat(6), fc.constant(Infinity));
  fc.assert(
    fc.property(limit, fc.array(fc.constantFrom("consume", "refund"), { maxLength: 40 }), (max, moves) => {
      const budget = iterationBudget(max);
      let taken = 0;
      for (const move of moves) {
        const succeeded = move === "refund" ? refund(budget) : consume(budget);
        expect(succeeded).toBe(move === "refund" ? undefined : taken < max);
        taken = move === "refund" ? Math.max(0, taken - 1) : Math.min(max, taken + 1);
        expect(remaining(budget)).toBe(max - taken);
      }
    }),
  );
});
