import { textOf } from "../../protocol/message.ts";
import { costOfBill } from "../../protocol/money.ts";
import type { StoredTurn, TimedFact } from "../../protocol/store.ts";
import { remaining } from "../../turn/budget.ts";
import { leftOf } from "../../turn/purse.ts";
import type { TurnState } from "../../turn/state.ts";
import { oneLine } from "../plain-text.ts";
import { accountOf, chargesOfTurn } from "../spending.ts";
import { stateBefore } from "../unfinished.ts";
import { besidesIn, childRow, merged } from "./beside.ts";
import { type BudgetPoint, type PictureRow, startOf, type TurnPicture } from "./picture.ts";
import { costsOfAttempts } from "./row-parts.ts";
import { Drawing } from "./rows.ts";

/** What belongs to a picture beside the turn's own record. */
export interface Beside {
  /** The turns of its child agents, the oldest first. */
  readonly children?: readonly StoredTurn[];
  /** What has not ended is drawn until then, ms since the epoch; absent: until the last fact. */
  readonly nowMs?: number;
}

/** The picture of a turn: a pure fold over what was recorded. */
export function pictureOf(turn: StoredTurn, { children = [], nowMs }: Beside = {}): TurnPicture {
  const { turnId, sessionId, facts, after } = turn;
  const [first] = facts;
  const startedMs = first?.atMs ?? 0;
  const lastMs = facts.at(-1)?.atMs ?? startedMs;
  const charges = [...chargesOfTurn(turn)];
  const state = stateBefore(facts.map(({ fact }) => fact));
  const drawing = new Drawing(startedMs, state, costsOfAttempts(charges));
  const budget: BudgetPoint[] = [];
  for (const { fact, atMs } of facts) note(budget, pointOf(state, drawing.add(fact, atMs)));
  const { setup, iteration, refunded, retries, usage, outcome, parked } = state;
  const { bill } = accountOf(charges);
  return {
    turnId,
    sessionId,
    asked: askedIn(first),
    startedMs,
    provider: setup.provider,
    model: setup.model,
    rows: [...rowsOf(drawing.rows, turn, children), ...afterRows(after, startedMs)],
    tookMs: (outcome === undefined ? Math.max(nowMs ?? lastMs, lastMs) : lastMs) - startedMs,
    iterations: { used: iteration, limit: setup.maxIterations, refunded },
    retries,
    exit: outcome?.exit ?? null,
    parked,
    usage,
    cost: costOfBill(bill),
    knownUsd: bill.usd,
    budget,
  };
}

const askedIn = (first: TimedFact | undefined): string =>
  first?.fact.type === "turn-start" ? oneLine(textOf(first.fact.message)) : "";

function rowsOf(own: readonly PictureRow[], { facts }: StoredTurn, children: readonly StoredTurn[]): PictureRow[] {
  const startedMs = facts[0]?.atMs ?? 0;
  const told = new Set(children.map((child) => child.sessionId));
  const more: PictureRow[] = [
    ...children.map((child) => childRow(child, startedMs)),
    ...besidesIn(facts, startedMs, told),
  ];
  return merged(
    own,
    more.toSorted((a, b) => startOf(a) - startOf(b)),
  );
}

const afterRows = (after: StoredTurn["after"], startedMs: number): PictureRow[] =>
  besidesIn(after, startedMs, new Set()).map((row) => ({ ...row, after: true }));

const pointOf = (state: TurnState, atMs: number): BudgetPoint => ({
  atMs,
  iterations: state.setup.maxIterations === Infinity ? null : remaining(state.budget),
  usd: leftOf(state)?.leftUsd ?? null,
});

/** Only what changes is told; of one moment, what stood at its end, but for the first one. */
function note(budget: BudgetPoint[], point: BudgetPoint): void {
  const last = budget.at(-1);
  if (last?.iterations === point.iterations && last.usd === point.usd) return;
  if (last?.atMs === point.atMs && budget.length > 1) budget.pop();
  budget.push(point);
}
