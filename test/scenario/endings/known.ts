/** Rows that fail today, with the reason. A row that holds again must leave this list. */
export const KNOWN: Readonly<Record<string, string>> = {
  "loop/same-call": "no guardrail yet: the turn goes on to its iteration limit",
  "loop/same-failing-call": "no guardrail yet: the turn goes on to its iteration limit",
  "loop/failing-in-new-ways": "no guardrail yet: the turn goes on to its iteration limit",
  "loop/two-calls-in-turn": "each of two calls is stopped at its own sixth time, and that is the eleventh request",
  "loop/same-command": "no guardrail yet: the turn goes on to its iteration limit",
  "loop/same-denied-call": "no guardrail yet: the turn goes on to its iteration limit",
  "loop/text-and-same-call": "no guardrail yet: the turn goes on to its iteration limit",
};
