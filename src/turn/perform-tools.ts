import type { Unapproved } from "../protocol/approval.ts";
import type { ReceiptFact } from "../protocol/fact.ts";
import { type ImagePart, type ReceiptStatus, type TextPart, textOf, type ToolMessage } from "../protocol/message.ts";
import type { TurnLog, TurnPorts } from "../protocol/ports.ts";
import {
  type DiskTrace,
  type Effect,
  EFFECTS,
  FailedCall,
  type Movable,
  type ToolContext,
  type ToolResult,
} from "../protocol/tool.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import { BatchRoom } from "./batch-room.ts";
import type { Close } from "./decide.ts";
import { guidance, type Observed } from "./guardrails.ts";
import { Patience } from "./patience.ts";
import { APPROVAL_MS, type OpenCall, type View } from "./state.ts";

type Call = Readonly<OpenCall>;

/** One fact names the whole segment; it is durable first when anything in it is not pure. */
export async function runSegment(calls: readonly Call[], state: View, ports: TurnPorts, log: TurnLog): Promise<void> {
  const expired = calls.filter((call) => isOver(call, state.setup, ports.clock.now())).map((call) => call.part.callId);
  if (expired.length > 0) return log.record({ type: "approval-expired", callIds: expired });
  const effect = strongestEffect(calls);
  const runs = calls.map((call) => ({ call, again: call.started }));
  log.record({ type: "segment-start", callIds: calls.map((call) => call.part.callId), effect });
  if (effect !== "pure") await log.barrier();
  const patience = new Patience(ports, log.signal);
  const room = new BatchRoom(toldOf(state), calls.length);
  await Promise.all(runs.map((run) => runCall(run, { state, patience, ports, log, room })));
  patience.end();
}

/**
 * A yes is one to what stood there when it was given. A call that has started has used it. One of the future was given
 * before the clock was set back: it does not hold for as long as that.
 */
const isOver = (
  { started, approval, answeredMs }: Call,
  { approvalMs = APPROVAL_MS }: View["setup"],
  nowMs: number,
): boolean =>
  !started && approval === "allowed" && answeredMs !== undefined && Math.abs(nowMs - answeredMs) > approvalMs;

function strongestEffect(calls: readonly Call[]): Effect {
  const found = calls.map(({ inspection }) => EFFECTS.indexOf(inspection.effect));
  return EFFECTS[Math.max(0, ...found)] ?? "effect";
}

/** `again`: a process that died had started it, and nobody knows how far it came. */
interface Run {
  readonly call: Call;
  readonly again: boolean;
}

interface Surroundings {
  readonly state: View;
  readonly patience: Patience;
  readonly ports: TurnPorts;
  readonly log: TurnLog;
  readonly room: BatchRoom;
}

/** Characters that the newest reply's calls have been told so far. */
function toldOf({ history }: View): number {
  let chars = 0;
  for (let seq = history.length - 1; seq >= 0; seq--) {
    const message = history[seq];
    if (message?.role === "assistant") break;
    if (message?.role === "tool") chars += textOf(message).length;
  }
  return chars;
}

/** Whatever the tool does, the call gets its receipt. An interrupt that lands before the start is not lost (row E5). */
async function runCall({ call, again }: Run, around: Surroundings): Promise<void> {
  const { state, patience, ports, log, room } = around;
  if (log.signal.aborted) {
    room.leave(0);
    return closeCall(call, again ? "interrupted" : "cancelled", log);
  }
  const { callId } = call.part;
  const context: ToolContext = {
    callId,
    sessionId: ports.sessionId,
    turnId: state.turnId,
    iteration: state.iteration,
    history: state.history,
    ...sentFrom(state),
    ...(state.asked.route && { route: state.asked.route }),
    ...permission(call, again || state.setup.approvals === "all"),
    ...(again && { resumed: true }),
    ...unaskedBy(state.setup.approvals),
    signal: log.signal,
    output: (text) => log.emit([{ type: "tool-output-delta", callId, text }]),
  };
  let left = false;
  try {
    const result = await Promise.race([ports.tools.run(call.part, context), patience.over]);
    if (result === undefined) return closeCall(call, "interrupted", log);
    const { text: whole, movable, images = [], files, disk, ...observed } = result;
    left = true;
    const text = await fitting(whole, movable, call, room);
    answer(call, { text, images, files, disk }, { status: "ok", ...observed }, around);
  } catch (error) {
    const disk = error instanceof FailedCall ? error.disk : undefined;
    if (log.signal.aborted) interrupted(call, disk, log);
    else answer(call, { text: reasonOf(error), images: [], disk }, { status: "error" }, around);
  } finally {
    if (!left) room.leave(0);
  }
}

/** What is told of a result, where all of its batch have to fit. */
async function fitting(
  text: string,
  movable: Movable | undefined,
  { inspection, seq }: Call,
  room: BatchRoom,
): Promise<string> {
  const chars = text.length;
  if (movable === undefined) {
    room.leave(chars);
    return text;
  }
  const waits = inspection.effect === "pure" || inspection.effect === "idempotent";
  return (await room.take({ ...movable, chars, place: seq }, waits)) ? ((await movable.move()) ?? text) : text;
}

function sentFrom({ compaction }: View): Pick<ToolContext, "sentFrom"> {
  return compaction === undefined ? {} : { sentFrom: Math.max(compaction.from, compaction.cutBefore) };
}

type Permission = Pick<ToolContext, "answer" | "approved" | "approvedPlan" | "byPerson" | "byRules">;

/**
 * By what a call that has a question runs all the same: a yes, rules, which must still hold when it does, or where neither
 * is needed. `unasked`: whoever runs the turn has allowed all.
 */
function permission({ approval, answer, inspection: { ask, plan, rules } }: Call, unasked: boolean): Permission {
  if (ask === undefined) return answer === undefined ? {} : { answer };
  const yes = { approved: ask, ...(plan !== undefined && { approvedPlan: plan.digest }) };
  if (approval === "allowed") return { ...yes, byPerson: true };
  if (rules !== undefined) return { byRules: true };
  return unasked ? yes : {};
}

/** For calls that it makes itself: in the middle of one, nobody is asked. */
const unaskedBy = (approvals: View["setup"]["approvals"]): Pick<ToolContext, "unasked"> =>
  approvals === "never" ? {} : { unasked: approvals === "all" ? "all" : "rules" };

interface Answer extends Pick<ToolResult, "text"> {
  readonly images: readonly ImagePart[];
  readonly files?: ToolMessage["files"];
  readonly disk: DiskTrace | undefined;
}

/** The receipt of a call that ran, with what the guardrails say of it: a part of its own, so the result stays what it was. */
function answer(call: Call, told: Answer, observed: Observed, { state, log }: Surroundings): void {
  const { text, images, files, disk } = told;
  const advice = guidance(state, call, observed);
  const { status, ...seen } = observed;
  const texts = textParts(advice === undefined ? [text] : [text, `\n\n${advice}`]);
  const { seq, message } = receiptOf(call, status, [...texts, ...images]);
  log.record({
    type: "receipt",
    seq,
    message: files === undefined ? message : { ...message, files },
    ...seen,
    ...(disk && { disk }),
  });
}

/** The receipt of a call that does not run, or whose end nobody saw. */
export function closeCall(call: Call, as: Close, log: TurnLog, timeUp = false): void {
  switch (as) {
    case "cancelled":
      return receipt(call, "cancelled", "Cancelled before it started: the turn was stopped.", log);
    case "interrupted":
      return interrupted(call, undefined, log);
    case "refused":
      return receipt(call, "error", call.inspection.refuse ?? "This call cannot run.", log);
    case "skipped":
      return receipt(call, "cancelled", call.inspection.skip ?? "This call was not needed.", log);
    case "unanswered":
      return unapproved(call, timeUp ? "timeout" : "cancelled", log);
    case "repeated":
      return receipt(call, "error", REPEATED, log);
    case "blocked":
      return receipt(call, "error", BLOCKED, log);
    case "denied":
      return unapproved(call, call.approval === "denied" ? "denied" : "undeliverable", log);
    case "outside":
      return receipt(call, "denied", STOP_OUTSIDE, log);
    case "denied-before":
      return receipt(call, { status: "denied", unapproved: "denied" }, REFUSED_BEFORE, log);
  }
}

const REPEATED =
  "Not run: this was looked up with the same arguments often enough in this turn. Use what it returned, or look up something else.";
const BLOCKED = "Not run: this very call was repeated too often without getting any further, so the turn was stopped.";

const STOP_OUTSIDE =
  "Not run: this is at least the third try of this turn at the same place outside the working folder, and it was not allowed. " +
  "Stop: do not try it again, by no other tool and in no other way. Ask the user how to go on.";

const REFUSED_BEFORE =
  "Not run: a person did not agree to this very call in this turn. Do not ask for it again, nor for the same in other words.";

/** What a model is told of a call that nobody has allowed: never what would let it run all the same (security §3.2). */
const UNAPPROVED: Readonly<Record<Unapproved, (why: string) => string>> = {
  denied: () => "Not run: the user denied this call. Do not try the same thing another way.",
  timeout: () =>
    "Not run: a person was asked, and nobody had agreed when the turn's time was over. Do not try the same thing another way.",
  cancelled: () => "Not run: the turn was stopped before anybody allowed this call.",
  undeliverable: (why) =>
    `Not run: this needs a person's approval (${why}) and nobody is here to give it. Do not try the same thing another way.`,
};

const unapproved = (call: Call, how: Unapproved, log: TurnLog): void =>
  receipt(call, { status: "denied", unapproved: how }, UNAPPROVED[how](call.inspection.ask ?? "unknown"), log);

type ReceiptHow = ReceiptStatus | (Pick<ReceiptFact, "unapproved"> & { readonly status: ReceiptStatus });

function receipt(call: Call, how: ReceiptHow, text: string, log: TurnLog): void {
  const { status, ...more } = typeof how === "string" ? { status: how } : how;
  log.record({ type: "receipt", ...receiptOf(call, status, textParts([text])), ...more });
}

/** `disk`: it came to its end after all, if not to a result. */
function interrupted(call: Call, disk: DiskTrace | undefined, log: TurnLog): void {
  const parts = textParts(["Interrupted before it finished: whether it took effect is unknown."]);
  log.record({ type: "receipt", ...receiptOf(call, "interrupted", parts), ...(disk && { disk }) });
}

const textParts = (texts: readonly string[]): TextPart[] => texts.map((text) => ({ type: "text", text }));

function receiptOf(call: Call, status: ReceiptStatus, parts: ToolMessage["parts"]): Omit<ReceiptFact, "type"> {
  return { seq: call.seq, message: { role: "tool", callId: call.part.callId, status, parts } };
}
