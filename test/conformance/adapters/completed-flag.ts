import type { ExitReason } from "../../../src/protocol/exit.ts";
import { isCompleted } from "../../../src/session/result.ts";
import type { Json } from "../case-file.ts";
import { numberOf, objectOf, textOf } from "../input.ts";

/** `{final_response, api_calls, max_iterations, failed, exit}`; the recorded exit carries its detail in brackets. */
export function completedFlagCase(input: Json): unknown {
  const { final_response: answer, api_calls: used, max_iterations: limit, failed, exit } = objectOf(input, "input");
  const reason = textOf(exit, "exit").replace(/\(.*$/su, "") as ExitReason;
  const underLimit = numberOf(used, "api_calls") < numberOf(limit, "max_iterations");
  const completed = isCompleted({
    answer: answer === null ? null : textOf(answer, "final_response"),
    failed: failed === true,
    exit: reason,
    underLimit,
  });
  return { completed };
}
