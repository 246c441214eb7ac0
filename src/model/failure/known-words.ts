import type { FailureReason } from "../../protocol/failure.ts";

interface Known {
  readonly status: number;
  /** Each of them stands in what the server says, in lower case; of a list, one of it does. */
  readonly words: readonly (string | readonly string[])[];
  readonly reason: FailureReason;
}

/** What only one thing can mean, whoever says it; asked before all other rules (hermes.md §10.3). */
const KNOWN: readonly Known[] = [
  {
    status: 400,
    words: ["thinking", ["signature", "cannot be modified", "must remain as they were"]],
    reason: "thinking_signature",
  },
  { status: 429, words: ["extra usage", "long context"], reason: "long_context_tier" },
  { status: 400, words: ["long context beta", "not yet available"], reason: "oauth_long_context_beta_forbidden" },
  { status: 404, words: ["not_found_error model:"], reason: "model_not_found" },
];

/** `text`: code and words, in lower case. */
export const reasonInWords = (status: number | undefined, text: string): FailureReason | undefined =>
  KNOWN.find(
    (known) =>
      known.status === status &&
      known.words.every((word) => (typeof word === "string" ? [word] : word).some((each) => text.includes(each))),
  )?.reason;
