import type { Fact } from "../../../src/protocol/fact.ts";
import { callsOf, type Message } from "../../../src/protocol/message.ts";
import type { TurnLog } from "../../../src/protocol/ports.ts";
import { EXCLUSIVE, type Inspection } from "../../../src/protocol/tool.ts";
import { apply } from "../../../src/turn/apply.ts";
import { decide } from "../../../src/turn/decide.ts";
import { closeCall } from "../../../src/turn/perform-tools.ts";
import { initialState, type Setup, type TurnState, UNATTENDED } from "../../../src/turn/state.ts";
import { isObject, type Json, type JsonObject } from "../case-file.ts";
import { listOf, objectOf } from "../input.ts";
import { takeOver, writeBack } from "./openai-rows.ts";

const SETUP: Setup = {
  model: "m",
  provider: "p",
  maxIterations: 1,
  approvals: "never",
  ...UNATTENDED,
};
/** What was recorded before is not cut again. */
const UNCUT = { maxReceiptChars: Infinity };
/** Nothing is known of the calls but that they were begun. */
const BEGUN: Inspection = { claim: EXCLUSIVE, effect: "effect" };

/** `{messages, metadata}`: a session and the checkpoint it was left with, as the facts of a turn that never ended. */
export function checkpointRestoreCase(input: Json): unknown {
  const { messages, metadata } = objectOf(input, "input");
  const {
    runtime_checkpoint: checkpoint,
    pending_user_turn: _pending,
    ...others
  } = objectOf(metadata ?? {}, "metadata");
  const session = takeOver(listOf(messages, "messages"), UNCUT);
  if (checkpoint === undefined || !isObject(checkpoint)) {
    const keys = Object.keys(objectOf(metadata ?? {}, "metadata"));
    return { restored: false, messages: writeBack(session.messages, session.rows), metadata_keys: keys };
  }
  const kept = takeOver(rowsOf(checkpoint), UNCUT);
  const state = initialState(SETUP, []);
  for (const fact of factsOf(session.messages, kept.messages, pendingIds(checkpoint))) apply(state, fact);
  closeOpenCalls(state);
  const history = state.history.filter((message) => message !== undefined);
  const rows = new Map([...session.rows, ...kept.rows]);
  return { restored: true, messages: writeBack(history, rows), metadata_keys: Object.keys(others) };
}

const rowsOf = (checkpoint: JsonObject): readonly Json[] => [
  checkpoint["assistant_message"] ?? null,
  ...listOf(checkpoint["completed_tool_results"] ?? [], "completed_tool_results"),
];

const pendingIds = (checkpoint: JsonObject): string[] =>
  listOf(checkpoint["pending_tool_calls"] ?? [], "pending_tool_calls").flatMap((call) => {
    const id = isObject(call) ? call["id"] : undefined;
    return typeof id === "string" ? [id] : [];
  });

/** A row the checkpoint speaks of: as it was kept, or only the id of the call it would answer. */
type Row = Message | string;

/** The session may hold part of the checkpoint as rows already; a fact has one place, so both are one. */
function factsOf(session: readonly Message[], kept: readonly Message[], pending: readonly string[]): Fact[] {
  const [reply] = kept;
  if (reply?.role !== "assistant") return [{ type: "history-imported", seq: 0, messages: session }];
  const rows: readonly Row[] = [...kept, ...pending];
  const stored = overlap(session, rows);
  const seq = session.length - stored;
  const calls = callsOf(reply);
  const callIds = calls.map((call) => call.callId);
  const receipts = rows
    .slice(1)
    .map((row, at) => (typeof row !== "string" ? row : at + 1 < stored ? session[seq + 1 + at] : undefined));
  const finish = calls.length > 0 ? "tool_calls" : "stop";
  return [
    { type: "history-imported", seq: 0, messages: session.slice(0, seq) },
    { type: "assistant-message", seq, message: reply, finish, inspections: calls.map(() => BEGUN) },
    ...(calls.length > 0 ? [{ type: "segment-start", callIds, effect: "effect" } as const] : []),
    ...receipts.flatMap((message): Fact[] =>
      message?.role === "tool" ? [{ type: "receipt", seq: seq + 1 + callIds.indexOf(message.callId), message }] : [],
    ),
  ];
}

/** How many rows at the end of the session are the first of these. */
function overlap(session: readonly Message[], rows: readonly Row[]): number {
  for (let length = Math.min(session.length, rows.length); length > 0; length--)
    if (session.slice(-length).every((message, at) => isRow(message, rows[at]))) return length;
  return 0;
}

const isRow = (message: Message, row: Row | undefined): boolean =>
  typeof row === "string" ? message.role === "tool" && message.callId === row : said(message) === (row && said(row));

/** What a row says, without what came along, such as the time it was written. */
const said = (message: Message): string => JSON.stringify({ ...message, extra: undefined });

/** What a resumed turn does first, and no further: calls that were begun and never answered get their receipt. */
function closeOpenCalls(state: TurnState): void {
  const log: TurnLog = {
    signal: new AbortController().signal,
    record: (fact) => apply(state, fact),
    keepRequest: () => {},
    emit: () => {},
    barrier: async () => {},
    nextArrival: async () => {},
    requestSignal: () => new AbortController().signal,
  };
  for (let action = decide(state); action.do === "close-calls"; action = decide(state))
    for (const call of action.calls) closeCall(call, action.as, log);
}
