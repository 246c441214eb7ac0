import { isObject, type Json, type JsonObject } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

/** Rules of docs/decisions/0012-repairs-that-cannot-do-harm.md. */
const rowsOf = (value: Json): readonly Json[] => {
  const rows = isObject(value) ? value["messages"] : undefined;
  return Array.isArray(rows) ? (rows as readonly Json[]) : [];
};

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const roleOf = (row: Json): Json => (isObject(row) ? (row["role"] ?? null) : null);

const callsOf = (row: Json): readonly JsonObject[] => {
  const calls = isObject(row) ? row["tool_calls"] : undefined;
  return Array.isArray(calls) ? (calls as readonly Json[]).filter(isObject) : [];
};

const isReceiptOf = (row: Json, id: Json | undefined): boolean =>
  isObject(row) && row["role"] === "tool" && row["tool_call_id"] === id;

/** Each receipt directly behind the message that asks for it, in the order asked; one that came before its call is lost. */
function behindTheirCalls(rows: readonly Json[]): readonly Json[] {
  return rows.flatMap((row, at): Json[] => {
    if (roleOf(row) === "tool") return [];
    const answers = callsOf(row).flatMap(({ id, call_id: callId = id }): Json[] => {
      const receipt = rows.slice(at).find((other) => isReceiptOf(other, callId));
      const lost = { role: "tool", tool_call_id: callId ?? null, content: "$BACKFILL" };
      return receipt !== undefined ? [receipt] : rows.some((other) => isReceiptOf(other, callId)) ? [lost] : [];
    });
    return [row, ...answers];
  });
}

const systemFirst = (rows: readonly Json[]): readonly Json[] => [
  ...rows.filter((row) => roleOf(row) === "system"),
  ...rows.filter((row) => roleOf(row) !== "system"),
];

/** Calls without an id get one, and the receipt that none could answer before. */
const withIds = (rows: readonly Json[]): readonly Json[] => {
  let made = 0;
  return rows.flatMap((row): Json[] => {
    const calls = callsOf(row);
    if (!isObject(row) || calls.every(({ id }) => typeof id === "string" && id !== "")) return [row];
    const named = calls.map((call) => (call["id"] ? call : { ...call, id: `imported_${++made}` }));
    const lost = named.filter((call, at) => call !== calls[at]);
    const receipts = lost.map(({ id }): Json => ({ role: "tool", tool_call_id: id ?? null, content: "$BACKFILL" }));
    return [{ ...row, tool_calls: named }, ...receipts];
  });
};

interface RowRule {
  readonly areas: readonly string[];
  readonly change: (rows: readonly Json[]) => readonly Json[];
  readonly reason: string;
  readonly spec: string;
}

const ROW_RULES: readonly RowRule[] = [
  {
    areas: ["orphan_repair", "gov_drop_orphans", "gov_backfill"],
    change: behindTheirCalls,
    reason: "every receipt stands directly behind its call, in the order asked: strict servers refuse any other place",
    spec: "features.md B6, F2; bugs HIST-01",
  },
  {
    areas: ["orphan_repair"],
    change: systemFirst,
    reason: "the system prompt is no part of the history: it stands before it",
    spec: "features.md A7; design.md §3",
  },
  {
    areas: ["gov_backfill"],
    change: withIds,
    reason: "a call without an id is given one and answered: no server takes the history otherwise",
    spec: "features.md C5; hermes.md §8.1d",
  },
];

const rowDeviations = ROW_RULES.flatMap(({ areas, change, reason, spec }) =>
  areas.map((area): Deviation => {
    const all = (rows: readonly Json[]): readonly Json[] =>
      ROW_RULES.filter((rule) => rule.areas.includes(area)).reduce((changed, rule) => rule.change(changed), rows);
    return {
      area,
      applies: (_input, expect) => !same(change(rowsOf(expect)), rowsOf(expect)),
      ours: (_input, expect) => ({ ...(isObject(expect) ? expect : {}), messages: all(rowsOf(expect)) }),
      reason,
      spec,
    };
  }),
);

const textIn = (value: Json): string => (typeof value === "string" ? value : "");

function wordsOf(row: Json): string {
  const content = isObject(row) ? (row["content"] ?? "") : "";
  if (!Array.isArray(content)) return textIn(content);
  return (content as readonly Json[]).map((block) => textIn(isObject(block) ? (block["text"] ?? "") : block)).join("");
}

/** Of rows with a list of blocks among them, all blocks. */
function blocksOf(row: Json): readonly Json[] {
  const content = isObject(row) ? (row["content"] ?? "") : "";
  return Array.isArray(content) ? (content as readonly Json[]) : [{ type: "text", text: textIn(content) }];
}

const hasBlocks = (row: Json): boolean => isObject(row) && Array.isArray(row["content"]);

/** The same where the form of the rows is kept. */
const inTheirForm = (last: Json, row: Json): Json =>
  hasBlocks(last) || hasBlocks(row)
    ? { role: roleOf(row), content: [...blocksOf(last), ...blocksOf(row)] }
    : together(last, row);

/** Two neighbours of one role as one row: all their words, and the calls of both. */
function together(last: Json, row: Json): Json {
  const content = [last, row].map(wordsOf).filter((words) => words !== "");
  const calls = [last, row].flatMap(callsOf);
  return { role: roleOf(row), content: content.join("\n\n"), ...(calls.length > 0 && { tool_calls: calls }) };
}

const SYNTHETIC = "$SYNTHETIC_USER";

function merge(rows: readonly Json[], join: (last: Json, row: Json) => Json): Json[] {
  const merged: Json[] = [];
  for (const row of rows) {
    const last = merged.at(-1) ?? null;
    const isNeighbour = roleOf(last) === roleOf(row) && (roleOf(row) === "user" || roleOf(row) === "assistant");
    if (isNeighbour) merged[merged.length - 1] = join(last, row);
    else merged.push(row);
  }
  return merged;
}

/** What we send of recorded rows: each receipt behind its call, neighbours of one role as one, a user first. */
function sentOf(input: Json): readonly Json[] {
  const merged = merge(systemFirst(behindTheirCalls(rowsOf(input))), together);
  const first = merged.findIndex((row) => roleOf(row) !== "system");
  if (first >= 0 && roleOf(merged[first] ?? null) !== "user")
    merged.splice(first, 0, { role: "user", content: SYNTHETIC });
  return merged;
}

const hasOrphan = (input: Json): boolean =>
  behindTheirCalls(rowsOf(input)).filter((row) => roleOf(row) === "tool").length <
  rowsOf(input).filter((row) => roleOf(row) === "tool").length;

const beginsWithCalls = (input: Json): boolean =>
  callsOf(rowsOf(input).find((row) => roleOf(row) !== "system") ?? null).length > 0;

const said = (rows: readonly Json[]): readonly string[] =>
  rows
    .filter((row) => roleOf(row) !== "tool")
    .map(wordsOf)
    .filter((words) => words !== "" && words !== SYNTHETIC);

interface SentRule extends Pick<Deviation, "reason" | "spec"> {
  readonly when: (input: Json, expect: Json) => boolean;
}

const SENT_RULES: readonly SentRule[] = [
  {
    when: hasOrphan,
    reason: "a receipt that no call asked for is not sent: strict servers refuse it",
    spec: "features.md B6, F2",
  },
  {
    when: beginsWithCalls,
    reason: "whatever was said first, a request begins with a user: strict servers refuse any other beginning",
    spec: "hermes.md §5.2",
  },
  {
    when: (input, expect) => !same(said(sentOf(input)), said(rowsOf(expect))),
    reason: "all that was said is sent: neighbours that become one keep all their words, and an answer stays the last",
    spec: "features.md C17; hermes.md §5.7",
  },
];

const sentDeviations = SENT_RULES.map(({ when, reason, spec }): Deviation => ({
  area: "role_alternation",
  applies: (input, expect) => when(input, expect) && !same(sentOf(input), rowsOf(expect)),
  ours: (input, expect) => ({ ...(isObject(expect) ? expect : {}), messages: sentOf(input) }),
  reason,
  spec,
}));

const repairedOf = (input: Json): readonly Json[] => merge(behindTheirCalls(rowsOf(input)), inTheirForm);

const field = (value: Json, key: string): Json => (isObject(value) ? (value[key] ?? null) : null);

const isNothing = (raw: Json): boolean =>
  raw === null || (typeof raw === "string" && ["", "None", "null", "{}"].includes(raw.trim()));

export const REPAIR_DEVIATIONS: readonly Deviation[] = [
  ...rowDeviations,
  ...sentDeviations,
  {
    area: "alternation_repair",
    applies: (input, expect) => !same(repairedOf(input), rowsOf(expect)),
    ours: (input) => ({ repairs: rowsOf(input).length - repairedOf(input).length, messages: [...repairedOf(input)] }),
    reason: "neighbours of one role are one message, whatever is in them, and a late receipt is moved to its call",
    spec: "features.md B6, C17, F2; bugs HIST-15",
  },
  {
    area: "tool_args_repair",
    applies: (input, expect) => field(expect, "repaired") === "{}" && !isNothing(field(input, "raw")),
    ours: () => ({ repaired: null }),
    reason: "arguments nobody can read are refused: a tool that runs without its arguments does something else",
    spec: "bugs ARG-04; features.md C11",
  },
  {
    area: "tool_prepare",
    applies: (_input, expect) =>
      field(expect, "error_kind") === "not_found" && typeof field(expect, "suggestion") === "string",
    ours: (input) => ({ error: false, params: field(input, "arguments") }),
    reason: "a name that differs in case and separators alone is run, not suggested",
    spec: "features.md C11; hermes.md §23.1; bugs ARG-07",
  },
  {
    area: "tool_prepare",
    applies: (input, expect) =>
      field(expect, "error_kind") === "not_found" && /^"read_?fil?e?s?"$/iu.test(JSON.stringify(field(input, "tool"))),
    ours: (input) => ({ error: false, params: field(input, "arguments") }),
    reason: "a name that is surely meant is run",
    spec: "features.md C11; hermes.md §23.1",
  },
  {
    area: "tool_prepare",
    applies: (input, expect) =>
      field(expect, "error_kind") === "invalid_params" &&
      /:null[,}]|:"-?\d+\.0+"/u.test(JSON.stringify(field(input, "arguments"))),
    ours: () => ({ error: false }),
    reason: "null for what need not be given is not given, and a text that is a whole number is read as one",
    spec: "nanobot.md §9.1 (casts)",
  },
  {
    area: "tool_prepare",
    applies: (input, expect) =>
      field(expect, "error_kind") === "invalid_params" &&
      Object.values(field(input, "arguments") ?? {}).some((value) => isObject(value)),
    ours: () => ({ error: false }),
    reason: "what lies deeper is left to the tool",
    spec: "hermes.md §23; src/tools/arguments.ts",
  },
  {
    area: "should_execute_tools",
    applies: (input, expect) =>
      field(expect, "execute") === false &&
      field(input, "tool_call_count") !== 0 &&
      field(input, "finish_reason") !== "content_filter",
    ours: () => ({ execute: true }),
    reason: "complete calls decide, whatever word the server ended its reply with",
    spec: "features.md C4; hermes.md §7.2",
  },
];
