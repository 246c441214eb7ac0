import { isObject, type Json } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

const idsAsked = (row: Json): readonly Json[] => {
  const calls = isObject(row) ? row["tool_calls"] : undefined;
  return Array.isArray(calls)
    ? (calls as readonly Json[]).map((call) => (isObject(call) ? (call["id"] ?? null) : null))
    : [];
};

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

/** A batch reserves the places of its receipts, so a restored one reads in order whatever had settled. */
export const CHECKPOINT_DEVIATIONS: readonly Deviation[] = [
  {
    area: "checkpoint_restore",
    applies: (_input, expect) => JSON.stringify(inOrderAsked(rowsOf(expect))) !== JSON.stringify(rowsOf(expect)),
    ours: (_input, expect) => ({ ...(isObject(expect) ? expect : {}), messages: inOrderAsked(rowsOf(expect)) }),
    reason: "receipts are read in the order the calls were asked",
    spec: "features.md E2; design.md §4, tool batches",
  },
  {
    area: "checkpoint_restore",
    applies: (_input, expect) => withoutOrphans(rowsOf(expect)).length < rowsOf(expect).length,
    ours: (_input, expect) => ({ ...(isObject(expect) ? expect : {}), messages: withoutOrphans(rowsOf(expect)) }),
    reason: "a receipt without its call is never stored",
    spec: "features.md B6, F2",
  },
];
