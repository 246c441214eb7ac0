import { injectionsBy, loopAnswers, loopLimit, loopTools, responsesIn, STOPS } from "../adapters/agent-loop.ts";
import { isObject, type Json, type JsonObject } from "../case-file.ts";
import { objectOf } from "../input.ts";
import { tell } from "../loop-model.ts";
import type { Mark, Note, Told, ToldReply, ToldRow } from "../told.ts";
import { toldReply } from "../told-reply.ts";
import type { Deviation } from "./deviation.ts";

/** Rules of docs/decisions/0019-turns-that-deviate.md; see turn.ts. */
interface Rule {
  readonly concerns: (input: JsonObject) => boolean;
  readonly reason: string;
  readonly spec: string;
}

const repliesOf = (input: JsonObject): readonly ToldReply[] => responsesIn(input).map(toldReply);
const callsIn = (input: JsonObject): ToldReply["calls"] => repliesOf(input).flatMap(({ calls }) => calls);
const namesIn = (input: JsonObject): readonly string[] => loopTools(input).tools.map(({ name }) => name);

const RULES: readonly Rule[] = [
  {
    concerns: (input) =>
      repliesOf(input).some(({ type, text, calls }) => type === "reply" && text.trim() === "" && calls.length === 0),
    reason: "empty replies: a nudge behind tools, two silent tries, then one finalisation without tools",
    spec: "features.md C9",
  },
  {
    concerns: (input) => repliesOf(input).some(({ cut }) => cut),
    reason:
      "a reply in several pieces is one message; three continuations, then what there is is the answer, and the end says that it is cut",
    spec: "design.md §4; features.md C8",
  },
  {
    concerns: (input) => repliesOf(input).some(({ type }) => type === "refusal"),
    reason: "a refusal is an end of its own, and no answer",
    spec: "features.md D13, J1",
  },
  {
    concerns: (input) => callsIn(input).some(({ name }) => !namesIn(input).includes(name)),
    reason: "each call gets its receipt: one without a name says so, one whose name is surely meant is run",
    spec: "features.md B6, C11; design.md §5.6",
  },
  {
    concerns: (input) =>
      repliesOf(input).some(
        ({ calls }) => new Set(calls.map(({ name, input: args }) => name + args)).size < calls.length,
      ),
    reason: "of calls that stand twice in a batch one is run",
    spec: "features.md E2; hermes.md §8.1c",
  },
  {
    concerns: (input) => injectionsBy(input).flat().length > 0,
    reason:
      "a message joins behind a batch or an answer, as one of its own, three at a time; an end that is no answer is not revived: the message comes back for a turn of its own",
    spec: "features.md B10; nanobot.md §28.2",
  },
  {
    concerns: (input) => repliesOf(input).some(({ type }) => type === "rejected"),
    reason: "people are told what happened in our words, with those of the server behind them",
    spec: "features.md J3; nanobot.md §28.8",
  },
  {
    concerns: (input) => callsIn(input).some(({ name }) => loopAnswers(input)(name).failed),
    reason: "a receipt says what was wrong; the advice to try another way comes with the second failure of a call",
    spec: "features.md E7",
  },
];

/** What the plain model says of everything the recording speaks of. */
function stated(input: JsonObject, expect: JsonObject): Json {
  const { tools } = loopTools(input);
  const told = tell({
    replies: repliesOf(input),
    before: ["user"],
    tools,
    answer: loopAnswers(input),
    maxIterations: loopLimit(input),
    failOnToolError: input["fail_on_tool_error"] === true,
    injections: injectionsBy(input),
  });
  const events = told.rows.flatMap((row) =>
    row.role === "tool" ? [[row.name, row.as === "ran" ? "ok" : "error"]] : [],
  );
  const counts = tools.map(({ name }) => [name, told.runs.filter(([ran]) => ran === name).length]);
  const all: JsonObject = {
    final_content: finalOf(told),
    stop_reason: STOPS.get(told.exit) ?? told.exit,
    llm_calls: told.requests.length,
    tools_offered_per_call: told.requests.map(({ noTools }) => !noTools),
    last_message_per_call: told.requests.map(({ last }) => (typeof last === "string" ? NOTES[last] : messageOf(last))),
    new_messages: told.rows.map(rowOf),
    tools_used: events.flatMap(([name = "", status]) => (status === "ok" ? [name] : [])),
    tool_events: events,
    had_injections: told.rows.some(({ role }) => role === "user"),
    checkpoints: told.marks.map(checkpointOf),
    tool_run_counts: Object.fromEntries(counts) as JsonObject,
  };
  return Object.fromEntries(Object.entries(expect).map(([key, recorded]) => [key, all[key] ?? recorded]));
}

const NOTES: Readonly<Record<Note, Json>> = {
  nudge: { role: "user", content: { $NUDGE: true } },
  finalise: { role: "user", content: "$FINALIZE" },
  continue: { role: "user", content: "$CONTINUE_AFTER_LENGTH" },
  budget: { role: "user", content: "$BUDGET_FINALIZE" },
};

const finalOf = ({ answer, because }: Told): Json => answer?.trim() ?? { $NONEMPTY: true, $CONTAINS: because };

function messageOf(row: ToldRow): Json {
  if (row.role === "user") return { role: "user", content: row.text === "" ? "hi" : row.text };
  if (row.role === "assistant") return { role: "assistant", content: row.text };
  return { role: "tool", content: row.says === "" ? { $NONEMPTY: true } : { $CONTAINS: row.says } };
}

function rowOf(row: ToldRow): Json {
  const message = objectOf(messageOf(row), "row");
  if (row.role === "tool") return { ...message, name: row.name };
  if (row.role === "user") return message;
  if (row.closes) return { role: "assistant", content: { $CONTAINS: row.text } };
  return row.names.length === 0 ? message : { ...message, tool_calls: row.names };
}

const checkpointOf = ({ phase, iteration, calls }: Mark): Json => ({
  phase,
  iteration,
  completed: phase === "tools_completed" ? calls : 0,
  pending: phase === "awaiting_tools" ? calls : 0,
});

export const AGENT_LOOP_DEVIATIONS: readonly Deviation[] = RULES.map(({ concerns, reason, spec }) => ({
  area: "agent_loop",
  applies: (input) => isObject(input) && concerns(input),
  ours: (input, expect) => stated(objectOf(input, "input"), objectOf(expect, "expect")),
  reason,
  spec,
}));
