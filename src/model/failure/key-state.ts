import type { Failure } from "../../protocol/failure.ts";
import type { FailureFacts } from "./facts.ts";
import type { Verdict } from "./verdict.ts";
import { KEY_REVOKED } from "./words/access.ts";
import { PLAN_USED_UP, PLAN_USED_UP_CODES } from "./words/money.ts";

/** What the server says of the key that was sent, beside why it refused it (hermes.md §11.2, §11.4). */
export function keyStateOf(
  { status, codes, text }: Pick<FailureFacts, "status" | "codes" | "text">,
  { reason }: Verdict,
): Pick<Failure, "keyState"> {
  if (reason === "auth" && status === 401 && codes.some((code) => KEY_REVOKED.has(code)))
    return { keyState: "revoked" };
  const isUsedUp =
    codes.some((code) => PLAN_USED_UP_CODES.has(code)) || PLAN_USED_UP.some((words) => text.includes(words));
  return reason === "rate_limit" && isUsedUp ? { keyState: "used-up" } : {};
}
