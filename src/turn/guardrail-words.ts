import type { GuardrailCode, Halt } from "../protocol/guardrails.ts";

type Trouble = "same-failure" | "failing-tool" | "nothing-new" | "going-round" | "refused";

const TROUBLE: Readonly<Record<GuardrailCode, Trouble>> = {
  repeated_exact_failure_warning: "same-failure",
  repeated_exact_failure_block: "same-failure",
  same_tool_failure_warning: "failing-tool",
  same_tool_failure_halt: "failing-tool",
  idempotent_no_progress_warning: "nothing-new",
  idempotent_no_progress_block: "nothing-new",
  repeated_call_warning: "nothing-new",
  repeated_call_block: "nothing-new",
  nothing_new_warning: "going-round",
  nothing_new_halt: "going-round",
  repeated_denial_halt: "refused",
};

const WHAT: Readonly<Record<Trouble, (tool: string, count: number) => string>> = {
  "same-failure": (tool, count) => `${tool} failed ${count} times with the same arguments.`,
  "failing-tool": (tool, count) => `${tool} failed ${count} times in a row.`,
  "nothing-new": (tool, count) =>
    `${tool} was called ${count} times with the same arguments and gave the same result each time.`,
  "going-round": (tool, count) =>
    `${count} rounds of calls in a row, the last with ${tool}, only repeated calls and gave the results they gave before.`,
  refused: (tool, count) => `the same call of ${tool} was refused ${count} times.`,
};

const ADVICE: Readonly<Record<Trouble, string>> = {
  "same-failure": "Do not repeat it: read the error, then change the arguments or try another way.",
  "failing-tool": "Find out why before you call it again, or use something else.",
  "nothing-new": "Use what it returned, or ask something else.",
  "going-round": "Use what they returned, or try something you have not tried.",
  refused: "Do not ask for it again, in this or any other way.",
};

/** What a model is told of a call that repeats itself. */
export const advice = (code: GuardrailCode, tool: string, count: number): string =>
  `${WHAT[TROUBLE[code]](tool, count)} ${ADVICE[TROUBLE[code]]}`;

/** Why a guardrail stopped the turn. */
export const haltText = ({ code, tool, count }: Halt): string => `Stopped: ${WHAT[TROUBLE[code]](tool, count)}`;
