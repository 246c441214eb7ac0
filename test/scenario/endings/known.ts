/** Rows that fail today, with the reason. A row that holds again must leave this list. */
export const KNOWN: Readonly<Record<string, string>> = {
  "thinking/native-to-the-limit": "a reply that is all thinking up to the limit is not yet told from an empty one",
  "thinking/inline-to-the-limit": "a reply that is all thinking up to the limit is not yet told from an empty one",
  "loop/same-call": "no guardrail yet: the turn goes on to its iteration limit",
  "loop/same-failing-call": "no guardrail yet: the turn goes on to its iteration limit",
  "loop/failing-in-new-ways": "no guardrail yet: the turn goes on to its iteration limit",
  "loop/two-calls-in-turn": "no guardrail yet: the turn goes on to its iteration limit",
  "loop/same-command": "no guardrail yet: the turn goes on to its iteration limit",
  "loop/same-denied-call": "no guardrail yet: the turn goes on to its iteration limit",
  "loop/text-and-same-call": "no guardrail yet: the turn goes on to its iteration limit",
  "loop/invalid-name": "three invalid names in a row do not yet end the turn",
  "loop/invalid-json": "invalid arguments in a row do not yet end the turn",
};
