import { reasonOf } from "../protocol/reason-of.ts";
import type { TurnResult } from "../protocol/result.ts";
import { StoreError } from "../protocol/store.ts";
import type { Language } from "../words/language.ts";
import { refusalResult, storeRefusal } from "./result.ts";

interface LostTurn {
  readonly sessionId: string;
  readonly turnId: string;
  readonly language: Language | undefined;
  readonly cleanupErrors: readonly string[];
}

/** The result of a turn that cannot be kept any more. */
export function lostResult(error: unknown, { sessionId, turnId, language, cleanupErrors }: LostTurn): TurnResult {
  const refusal =
    error instanceof StoreError
      ? storeRefusal(error, sessionId)
      : ({ reason: "internal_error", message: reasonOf(error), sessionId } as const);
  return { ...refusalResult(refusal, language), turnId, cleanupErrors };
}
