import type { Failure, FailureReason } from "../protocol/failure.ts";
import { type Step, EXPLAIN, RETRY } from "./steps.ts";

/** What a person is told when a model call could not be made good: who said no, then what helps. */
export interface FailureWords {
  readonly explain: string;
  readonly next: readonly Step[];
}

const OTHER_MODEL: Step = { do: "switch-model", text: "Name another model.", command: "evander --model NAME" };

const KEY: FailureWords = {
  explain: "The provider refused the key.",
  next: [
    {
      do: "set-key",
      text: "Set the key again (OPENROUTER_API_KEY for openrouter), and see that it may use this model.",
      command: "export OPENAI_API_KEY=YOUR_KEY",
    },
  ],
};

/** By failure reason, where the reason says more than the exit does (rows D1, J3). */
const FAILURE_WORDS: Partial<Record<FailureReason, FailureWords>> = {
  auth: KEY,
  auth_permanent: KEY,
  billing: {
    explain: "The provider wants to be paid before it answers.",
    next: [
      {
        do: "billing",
        text: "Look at the billing page of the provider's account: credit, plan, limits.",
        command: null,
      },
      OTHER_MODEL,
    ],
  },
  model_not_found: { explain: "The provider does not have this model.", next: [OTHER_MODEL] },
  provider_policy_blocked: {
    explain: "The provider's own policy for this account excludes this model.",
    next: [
      { do: "provider-policy", text: "Change the policy in the settings of the provider's account.", command: null },
      OTHER_MODEL,
    ],
  },
};

/** The words of a failure that ended a turn; `tries` counts the calls that failed for it. */
export function failureWords(failure: Failure, tries: number): FailureWords {
  const known = FAILURE_WORDS[failure.reason];
  if (known !== undefined) return known;
  if (!failure.retryable)
    return { explain: "The provider rejected the request; trying again would not change that.", next: [EXPLAIN] };
  const what =
    failure.status === undefined ? "The model could not be reached" : "The model's server answered with an error";
  return { explain: tries > 1 ? `${what}, ${tries} times.` : `${what}.`, next: [RETRY] };
}
