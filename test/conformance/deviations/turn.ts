import { listOf, numberOf, objectOf, textOrNone } from "../input.ts";
import { agentOf, answersOf, toolsOf } from "../adapters/turn.ts";
import { isObject, type Json, type JsonObject } from "../case-file.ts";
import { tell } from "../loop-model.ts";
import type { Told, ToldReply, ToldRow } from "../told.ts";
import { TOLD_NOTHING, toldError, toldReply } from "../told-reply.ts";
import type { Deviation } from "./deviation.ts";

/**
 * Rules of docs/decisions/0019-turns-that-deviate.md. What each concerns is read from the input or the shape of the
 * expectation; what our output must be then is told by the plain model of the loop, whatever else the turn holds.
 */
interface Rule {
  readonly concerns: (input: JsonObject, expect: JsonObject) => boolean;
  readonly reason: string;
  readonly spec: string;
}

const repliesOf = (input: JsonObject): readonly ToldReply[] => listOf(input["script"], "script").map(replyOf);

function replyOf(step: Json): ToldReply {
  const { response = null, error } = objectOf(step, "script entry");
  if (response !== null) return toldReply(objectOf(response, "response"));
  return error === undefined ? TOLD_NOTHING : toldError(objectOf(error, "error"));
}

const rolesIn = (expect: JsonObject): readonly Json[] => listOf(expect["roles"] ?? [], "roles");

const RULES: readonly Rule[] = [
  {
    concerns: (_input, expect) => expect["early_return"] === true || rolesIn(expect).at(-1) !== "assistant",
    reason: "every way out passes finalise, and the history ends with a word of the assistant",
    spec: "design.md §5.3; features.md B7",
  },
  {
    concerns: (_input, expect) => "final_response" in expect && expect["final_response"] === null,
    reason: "an end without an answer says why",
    spec: "features.md J3",
  },
  {
    concerns: (_input, expect) => expect["compaction_disabled"] === true || expect["compression_exhausted"] === true,
    reason: "that nothing more could be left out is an exit reason of its own, not a flag beside a partial answer",
    spec: "features.md J1, J7, D14",
  },
  {
    concerns: (input) => repliesOf(input).some((reply) => reply.type === "reply" && isBlank(reply)),
    reason:
      "empty replies: one finalisation without tools comes last; notes are private to their attempt and never stored; nothing is not an answer",
    spec: "features.md C9, G4, J4",
  },
  {
    concerns: (input) => repliesOf(input).some(({ cut }) => cut),
    reason: "a reply in several pieces is one message; three continuations, then what there is is the answer",
    spec: "design.md §4; features.md C8",
  },
  {
    concerns: (input) => repliesOf(input).some(({ calls }) => calls.length > 0),
    reason: "each call gets its receipt: a copy that it stands twice, one that cannot run why, and its siblings run",
    spec: "design.md §5.6; features.md B6, C11, E2",
  },
  {
    concerns: (_input, expect) => /^(?:max_iterations|budget)/u.test(textOrNone(expect["turn_exit_reason"])),
    reason: "the grace call keeps its tools in the head, and its note is private",
    spec: "features.md B4; docs/decisions/0008",
  },
  {
    concerns: (input) => JSON.stringify(input["history"] ?? []).includes('"role"'),
    reason: "the history is an archive: what is merged or left out is so in what is sent alone",
    spec: "features.md F1",
  },
];

const isBlank = ({ text, calls }: ToldReply): boolean => text.trim() === "" && calls.length === 0;

/** What the plain model says of everything the recording speaks of. */
function stated(input: JsonObject, expect: JsonObject): Json {
  const agent = agentOf(input);
  const kept = [...listOf(input["history"] ?? [], "history").flatMap(keptOf), "user"];
  const maxIterations = numberOf(agent["max_iterations"], "max_iterations");
  const told = tell({
    replies: repliesOf(input),
    before: sentOf(kept),
    tools: toolsOf(input).tools,
    answer: answersOf(input),
    maxIterations,
    ...(typeof agent["max_tokens"] === "number" && { maxOutput: agent["max_tokens"] }),
  });
  const all: JsonObject = { ...countsOf(told), ...endOf(told, maxIterations), ...rowsOf(told, kept) };
  return Object.fromEntries(Object.entries(expect).map(([key, recorded]) => [key, all[key] ?? recorded]));
}

/** What is kept of a row from before: each call with one receipt behind it, and no other. */
function keptOf(row: Json): readonly string[] {
  const { role, content, tool_calls: calls = [], ...others } = objectOf(row, "row");
  const asked = listOf(calls, "tool_calls").map(() => "tool");
  if (asked.length > 0) return ["assistant+tc", ...asked];
  if (role === "user" || role === "assistant") return content ? [role] : others["reasoning_content"] ? [SILENT] : [];
  return [];
}

/** A message of the assistant that holds nothing but thoughts. */
const SILENT = "assistant+thoughts";

/** Thoughts alone are not sent; neighbours of one role are sent as one message. */
const sentOf = (kept: readonly string[]): readonly string[] =>
  kept
    .filter((role) => role !== SILENT)
    .map((role) => role.replace("+tc", ""))
    .filter((role, at, all) => role === "tool" || role !== all[at - 1]);

const countsOf = ({ requests, iterations, refunded }: Told): JsonObject => ({
  api_calls: iterations,
  budget_used: iterations - refunded,
  model_calls: requests.length,
  request_roles: requests.map(({ roles }) => roles),
  request_max_tokens: requests.map(({ maxOutput }) => maxOutput),
});

const FAILED = ["content_policy", "context_overflow", "request_rejected", "all_retries_exhausted_no_response"];
const PARTIAL = ["partial_stream_recovery", "output_truncated", "thinking_exhausted", "invalid_tool_calls"];

const PREVIEWED = ["partial_stream_recovery", "fallback_prior_turn_content", "output_truncated"];

function exitWord(exit: string, iterations: number, limit: number): string {
  if (exit === "text_response") return "text_response(finish_reason=stop)";
  return exit === "max_iterations_reached" ? `${exit}(${iterations}/${limit})` : exit;
}

function endOf({ exit, answer, because, iterations }: Told, limit: number): JsonObject {
  const failed = FAILED.includes(exit) || exit === "empty_response_exhausted";
  return {
    early_return: false,
    completed: answer !== null && !failed && (iterations < limit || exit === "text_response"),
    failed,
    partial: PARTIAL.includes(exit),
    interrupted: false,
    compaction_disabled: false,
    compression_exhausted: false,
    turn_exit_reason: exitWord(exit, iterations, limit),
    response_previewed: PREVIEWED.includes(exit) && answer !== null,
    final_response: answer?.trim() ?? { $NONEMPTY: true, $CONTAINS: because },
  };
}

const rowsOf = (told: Told, kept: readonly string[]): JsonObject => ({
  roles: [...kept.map((role) => (role === SILENT ? "assistant" : role)), ...told.rows.map(roleOf)],
  tools_run: told.runs as unknown as Json,
  tool_results: [
    ...kept.filter((role) => role === "tool").map(() => ({ $NONEMPTY: true })),
    ...told.rows.flatMap((row) => (row.role === "tool" ? [resultOf(row)] : [])),
  ],
});

const roleOf = (row: ToldRow): string => (row.role === "assistant" && row.names.length > 0 ? "assistant+tc" : row.role);

function resultOf({ says, as }: Extract<ToldRow, { role: "tool" }>): Json {
  const unknown = as === "unknown" ? { $IS_UNKNOWN_TOOL_ERROR: true } : {};
  return says === "" ? { $NONEMPTY: true } : { $CONTAINS: says, ...unknown };
}

export const TURN_DEVIATIONS: readonly Deviation[] = RULES.map(({ concerns, reason, spec }) => ({
  area: "turn",
  applies: (input, expect) => isObject(input) && isObject(expect) && concerns(input, expect),
  ours: (input, expect) => stated(objectOf(input, "input"), objectOf(expect, "expect")),
  reason,
  spec,
}));
