import type { Fact } from "../../protocol/fact.ts";
import { textOf } from "../../protocol/message.ts";
import { type Bill, costOf, costOfBill } from "../../protocol/money.ts";
import type { StoredTurn, TimedFact } from "../../protocol/store.ts";
import { oneLine } from "../plain-text.ts";
import { accountOf, chargesOfTurn } from "../spending.ts";
import { stateOf } from "../unfinished.ts";
import { type BesideRow, type ChildRow, type PictureRow, startOf } from "./picture.ts";

/** The work of a child agent, on the axis of the turn that gave it. */
export function childRow(child: StoredTurn, startMs: number): ChildRow {
  const { turnId, sessionId, facts } = child;
  const state = stateOf(facts.map(({ fact }) => fact));
  const [first] = facts;
  const exit = state.outcome?.exit ?? null;
  return {
    type: "child",
    sessionId,
    turnId,
    asked: first?.fact.type === "turn-start" ? oneLine(textOf(first.fact.message)) : "",
    iterations: state.iteration,
    calls: facts.filter(({ fact }) => fact.type === "receipt").length,
    exit,
    cost: costOfBill(accountOf(chargesOfTurn(child)).bill),
    startMs: Math.max(0, (first?.atMs ?? startMs) - startMs),
    endMs: exit === null ? null : (facts.at(-1)?.atMs ?? startMs) - startMs,
  };
}

type Run = Extract<Fact, { type: "auxiliary-run" }>;

const unknown = (): Bill => ({ usd: 0, guessUsd: 0, status: costOf(undefined, undefined).status, source: null });

function besideRow({ purpose, model, exit, usage, bill = unknown(), sessionId }: Run, atMs: number): BesideRow {
  const row = { purpose, model, exit, usage, cost: costOfBill(bill), sessionId: sessionId ?? null };
  return { type: "beside", atMs, after: false, ...row };
}

/** What was done beside these facts; a child that has a row of its own is not told twice. */
export const besidesIn = (facts: readonly TimedFact[], startMs: number, told: ReadonlySet<string>): BesideRow[] =>
  facts.flatMap(({ fact, atMs }) =>
    fact.type === "auxiliary-run" && !told.has(fact.sessionId ?? "") ? [besideRow(fact, atMs - startMs)] : [],
  );

/** Puts rows where they began, behind those that began in the same moment; both are in order. */
export function merged(rows: readonly PictureRow[], more: readonly PictureRow[]): PictureRow[] {
  const all: PictureRow[] = [];
  let at = 0;
  for (const row of more) {
    while (at < rows.length && startOf(rows[at] as PictureRow) <= startOf(row) && rows[at]?.type !== "end")
      all.push(rows[at++] as PictureRow);
    all.push(row);
  }
  return [...all, ...rows.slice(at)];
}
