import { isStopped, seenCalls, settle } from "./told-calls.ts";
import type { Loop, Note, Told, ToldReply, ToldRow, ToldScript } from "./told.ts";

/**
 * What a scripted turn does, told a second time in the plainest way from features.md B4, B10, B13, C4, C8, C9, C11, C17, E2,
 * E6 and design.md §4: no loop, ladder or fold of the product. What one call means (its name, its arguments, a copy of
 * another call) is proved by areas of its own and asked of the product.
 */
const begin = (script: ToldScript): Loop => ({
  script,
  rows: [],
  requests: [],
  runs: [],
  lookUps: [],
  inbox: [],
  marks: [],
  exit: undefined,
  answer: null,
  because: "",
  iteration: 0,
  refunded: 0,
  again: false,
  failures: 0,
  grace: false,
  blank: undefined,
  rungs: [],
  rung: undefined,
  cut: undefined,
  invalid: 0,
  housekeeping: undefined,
  toolError: undefined,
  drains: 0,
});

const hasRoom = ({ iteration, script }: Loop): boolean => iteration < script.maxIterations;

/** The whole turn. A script that is over goes on with its last entry. */
export function tell(script: ToldScript): Told {
  const loop = begin(script);
  while (loop.exit === undefined) {
    const reply = script.replies[loop.requests.length] ?? script.replies.at(-1);
    if (reply === undefined) throw new Error("the script is empty");
    ask(loop);
    loop.inbox.push(...(script.injections?.[loop.requests.length - 1] ?? []).filter((text) => text.trim() !== ""));
    hear(loop, reply);
  }
  const last = loop.rows.at(-1);
  if (last?.role !== "assistant" || last.names.length > 0) loop.rows.push(closing(loop, loop.exit));
  const { requests, rows, runs, marks, exit, iteration, refunded } = loop;
  return {
    requests,
    rows,
    runs,
    exit,
    answer: loop.answer,
    because: loop.because,
    iterations: iteration,
    refunded,
    marks,
  };
}

function closing(loop: Loop, exit: string): ToldRow {
  const kept = exit === "content_policy" ? "" : (loop.cut?.text ?? "");
  const failed = exit === "tool_error" ? (loop.toolError ?? "") : "";
  if (kept !== "") loop.answer ??= kept;
  loop.because ||= failed;
  return { role: "assistant", text: kept || failed || `[no answer: ${exit}]`, names: [], closes: true };
}

function beginIteration(loop: Loop): void {
  if (!hasRoom(loop)) loop.grace = true;
  else loop.iteration++;
  loop.rung = loop.grace || loop.blank === undefined ? undefined : nextRung(loop, loop.blank.thoughts);
  if (loop.rung !== undefined) loop.rungs.push(loop.rung);
}

function ask(loop: Loop): void {
  const batch = loop.marks.at(-1);
  if (batch?.phase === "awaiting_tools") loop.marks.push({ ...batch, phase: "tools_completed" });
  if (!loop.again) beginIteration(loop);
  const tail = tailOf(loop);
  const note = tail.at(-1);
  loop.requests.push({
    roles: ["system", ...loop.script.before, ...loop.rows.map(({ role }) => role), ...tail.map((one) => one.role)],
    last: note?.note ?? loop.rows.at(-1) ?? { role: "user", text: "" },
    noTools: loop.script.tools.length === 0 || loop.grace || loop.rung === "finalise",
    maxOutput: outputOf(loop),
  });
}

interface TailMessage {
  readonly role: "assistant" | "user";
  readonly note?: Note;
}

function tailOf({ grace, rung, cut }: Loop): readonly TailMessage[] {
  const said: readonly TailMessage[] = [{ role: "assistant" }];
  if (grace) return [...(cut !== undefined && cut.text !== "" ? said : []), { role: "user", note: "budget" }];
  if (rung === "nudge" || rung === "finalise") return [...said, { role: "user", note: rung }];
  if (rung !== undefined || cut === undefined || (cut.text === "" && !cut.dropped)) return [];
  return [...said, { role: "user", note: "continue" }];
}

/** Row C8: 2×, 3×, 3× of what was configured or 4,096; at most 32,768 or what was configured. */
function outputOf({ cut, script: { maxOutput } }: Loop): number | null {
  if (cut === undefined) return maxOutput ?? null;
  const base = maxOutput ?? 4_096;
  return Math.min(base * Math.min(cut.times + 1, 3), Math.max(32_768, base));
}

/** Row C9. */
function nextRung({ rows, rungs }: Loop, thoughts: boolean): string | undefined {
  const taken = (rung: string): number => rungs.filter((one) => one === rung).length;
  if (rows.slice(-5).some(({ role }) => role === "tool") && taken("nudge") < 1) return "nudge";
  if (thoughts && taken("prefill") < 2) return "prefill";
  if (taken("recall") < 2) return "recall";
  return taken("finalise") < 1 ? "finalise" : undefined;
}

function hear(loop: Loop, reply: ToldReply): void {
  loop.because = reply.type === "reply" ? "" : reply.text.trim();
  switch (reply.type) {
    case "line":
      loop.again = true;
      loop.failures++;
      if (loop.failures === 3) giveUp(loop, "all_retries_exhausted_no_response");
      return;
    case "smaller":
      loop.again = true;
      return;
    case "rejected":
      return giveUp(loop, "request_rejected");
    case "overflow":
      return giveUp(loop, "context_overflow");
    case "refusal":
      loop.exit = loop.grace ? "max_iterations_reached" : "content_policy";
      return;
    case "reply":
      loop.failures = 0;
      loop.again = false;
      return hearReply(loop, reply);
  }
}

function giveUp(loop: Loop, exit: string): void {
  const shown = loop.cut !== undefined && loop.cut.text !== "";
  loop.exit = shown ? "partial_stream_recovery" : loop.grace ? "max_iterations_reached" : exit;
}

function hearReply(loop: Loop, reply: ToldReply): void {
  if (reply.cut) return hearCut(loop, reply);
  const goesOn = loop.cut !== undefined && loop.cut.text !== "";
  const nothing = goesOn ? reply.text === "" : reply.text.trim() === "";
  if (nothing && reply.calls.length === 0) return hearNothing(loop, reply);
  const text = together(loop.cut?.text ?? "", reply.text, true);
  loop.cut = undefined;
  loop.blank = undefined;
  loop.rungs = [];
  loop.rows.push({ role: "assistant", text, names: reply.calls.map(({ name }) => name) });
  const calls = reply.calls.length;
  const phase = calls > 0 ? "awaiting_tools" : "final_response";
  if (!loop.grace) loop.marks.push({ phase, iteration: loop.iteration - 1, calls });
  if (calls > 0) return hearCalls(loop, reply, text);
  loop.invalid = 0;
  loop.answer = text;
  loop.exit = loop.grace ? "max_iterations_reached" : "text_response";
  drain(loop);
}

/** A reply in pieces. A model that begins again instead of going on is heard once; `whole`: this piece is the last. */
function together(before: string, text: string, whole: boolean): string {
  const said = text.trimStart();
  if (before === "") return said;
  if (said.startsWith(before)) return said;
  return !whole && before.startsWith(said) ? before : before + text;
}

function hearCut(loop: Loop, { text, thoughts, calls }: ToldReply): void {
  const cut = (loop.cut ??= { text: "", times: 0, thought: 0, dropped: false });
  cut.text = together(cut.text, text, false);
  cut.times++;
  cut.dropped = calls.length > 0;
  loop.blank = undefined;
  if (text.trim() === "" && thoughts && calls.length === 0) cut.thought++;
  if (loop.grace) loop.exit = "max_iterations_reached";
  else if (cut.text === "" && cut.thought > 1) loop.exit = "thinking_exhausted";
  else if (cut.times > 3 || (cut.text !== "" && !hasRoom(loop))) loop.exit = "output_truncated";
  else if (cut.text === "") drain(loop);
}

function hearNothing(loop: Loop, { thoughts }: ToldReply): void {
  loop.blank = { thoughts };
  if (loop.grace) loop.exit = "max_iterations_reached";
  else if (loop.cut !== undefined && loop.cut.text !== "") loop.exit = "output_truncated";
  else if (loop.housekeeping !== undefined) {
    loop.exit = "fallback_prior_turn_content";
    loop.answer = loop.housekeeping;
  } else if (nextRung(loop, thoughts) === undefined) loop.exit = "empty_response_exhausted";
  else drain(loop);
}

const HOUSEKEEPING = ["todo", "memory", "skill_manage", "session_search"];

function hearCalls(loop: Loop, { calls }: ToldReply, text: string): void {
  const asked = seenCalls(loop.script.tools, calls);
  settle(loop, asked);
  for (const { written, says, as } of asked)
    loop.rows.push({ role: "tool", name: written, says, as: as ?? "cancelled" });
  loop.invalid = asked.every(({ refuse }) => refuse !== undefined) ? loop.invalid + 1 : 0;
  const tidy = asked.every(({ name }) => HOUSEKEEPING.includes(name));
  loop.housekeeping = tidy ? text.trim() || loop.housekeeping : undefined;
  if (asked.every(({ name }) => name === "execute_code")) loop.refunded++;
  if (loop.grace) loop.exit = "max_iterations_reached";
  else if (isStopped(loop)) loop.exit = "tool_error";
  else if (loop.invalid === 3) loop.exit = "invalid_tool_calls";
  else drain(loop);
}

/** Row B10: behind a batch, an answer and a reply with nothing in it, three at a time, five times. */
function drain(loop: Loop): void {
  if (loop.inbox.length === 0 || loop.grace || !hasRoom(loop) || loop.drains === 5) return;
  loop.drains++;
  loop.rows.push(...loop.inbox.splice(0, 3).map((text) => ({ role: "user", text }) as const));
  loop.exit = undefined;
  loop.answer = null;
  loop.blank = undefined;
  loop.rungs = [];
  loop.housekeeping = undefined;
}
