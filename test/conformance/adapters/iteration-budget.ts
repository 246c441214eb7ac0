import { consume, iterationBudget, refund, remaining } from "../../../src/turn/budget.ts";
import type { Json } from "../case-file.ts";
import { listOf, numberOf, objectOf, textOf } from "../input.ts";

/** `{max, ops}`: what each operation gives back (a refund gives nothing), then the counters. */
export function iterationBudgetCase(input: Json): unknown {
  const { max, ops } = objectOf(input, "input");
  const budget = iterationBudget(numberOf(max, "max"));
  const results = listOf(ops, "ops").map((op) => {
    switch (textOf(op, "op")) {
      case "consume":
        return consume(budget);
      case "refund":
        refund(budget);
        return null;
      case "remaining":
        return remaining(budget);
      case "used":
        return budget.used;
      default:
        throw new Error(`unknown operation ${JSON.stringify(op)}`);
    }
  });
  return { results, used: budget.used, remaining: remaining(budget) };
}
