import { isObject, type Json, type JsonObject } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

function callsIn(row: Json): readonly JsonObject[] {
  const calls = isObject(row) ? row["tool_calls"] : undefined;
  return Array.isArray(calls) ? (calls as readonly Json[]).filter(isObject) : [];
}

const idsAsked = (row: Json): readonly Json[] => callsIn(row).map((call) => call["id"] ?? null);

/** The rows with each run of receipts put into the order in which the calls before it were asked. */
function inOrderAsked(rows: readonly Json[]): readonly Json[] {
  const sorted: Json[] = [];
  let asked: readonly Json[] = [];
  let receipts: Json[] = [];
  const flush = (): void => {
    const place = (row: Json): number => asked.indexOf(isObject(row) ? (row["tool_call_id"] ?? null) : null);
    sorted.push(...receipts.toSorted((a, b) => place(a) - place(b)));
    receipts = [];
  };
  for (const row of rows) {
    if (isObject(row) && row["role"] === "tool") {
      receipts.push(row);
      continue;
    }
    flush();
    sorted.push(row);
    asked = idsAsked(row);
  }
  flush();
  return sorted;
}

const rowsOf = (expect: Json): readonly Json[] => {
  const rows = isObject(expect) ? expect["messages"] : undefined;
  return Array.isArray(rows) ? (rows as readonly Json[]) : [];
};

/** The rows without receipts of calls that no row before them asks. */
function withoutOrphans(rows: readonly Json[]): readonly Json[] {
  const asked = new Set<Json>();
  return rows.filter((row) => {
    for (const id of idsAsked(row)) asked.add(id);
    return !isObject(row) || row["role"] !== "tool" || asked.has(row["tool_call_id"] ?? null);
  });
}

/** The rows with each receipt under the name its call was asked by. */
function underAskedNames(rows: readonly Json[]): readonly Json[] {
  const names = new Map<Json, Json>();
  return rows.map((row) => {
    if (!isObject(row)) return row;
    for (const call of callsIn(row))
      if (isObject(call["function"])) names.set(call["id"] ?? null, call["function"]["name"] ?? null);
    const name = names.get(row["tool_call_id"] ?? null);
    return row["role"] === "tool" && name !== undefined ? { ...row, name } : row;
  });
}

/** The rows without those that say and ask nothing. */
const withoutEmpty = (rows: readonly Json[]): readonly Json[] =>
  rows.filter((row) => {
    const speaks = isObject(row) && (row["role"] === "user" || row["role"] === "assistant");
    return !speaks || (row["content"] !== "" && row["content"] !== null) || callsIn(row).length > 0;
  });

interface Rule {
  readonly change: (rows: readonly Json[]) => readonly Json[];
  readonly reason: string;
  readonly spec: string;
}

const RULES: readonly Rule[] = [
  {
    change: inOrderAsked,
    reason: "receipts are read in the order the calls were asked",
    spec: "features.md E2; design.md §4, tool batches",
  },
  { change: withoutOrphans, reason: "a receipt without its call is never stored", spec: "features.md B6, F2" },
  {
    change: underAskedNames,
    reason: "a receipt carries the name of the call it answers, also where the checkpoint lost it",
    spec: "features.md B6; design.md §3, tool-call",
  },
  {
    change: withoutEmpty,
    reason: "no message is empty: strict servers refuse the whole history because of one",
    spec: "features.md G4; bugs HIST-05, HIST-07",
  },
];

const all = (rows: readonly Json[]): readonly Json[] => RULES.reduce((changed, { change }) => change(changed), rows);

/** Several rules may speak of one session: ours is what all of them make of it. */
export const CHECKPOINT_DEVIATIONS: readonly Deviation[] = RULES.map(({ change, reason, spec }) => ({
  area: "checkpoint_restore",
  applies: (_input, expect) => JSON.stringify(change(rowsOf(expect))) !== JSON.stringify(rowsOf(expect)),
  ours: (_input, expect) => ({ ...(isObject(expect) ? expect : {}), messages: all(rowsOf(expect)) }),
  reason,
  spec,
}));
