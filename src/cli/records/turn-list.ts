import { textOf } from "../../protocol/message.ts";
import { type Cost, costOfBill } from "../../protocol/money.ts";
import type { Usage } from "../../protocol/outcome.ts";
import type { ListedTurn, Store, TurnFilter } from "../../protocol/store.ts";
import type { ExitReason } from "../../protocol/exit.ts";
import { oneLine } from "../../session/plain-text.ts";
import { accountOf, chargesOfTurn } from "../../session/spending.ts";
import { readTurn } from "../../session/unfinished.ts";
import { duration } from "../../words/durations.ts";
import { type Language, wordsIn } from "../../words/language.ts";
import { costWords } from "../../words/money.ts";
import { OPEN_TURN_WORDS } from "../../words/open-turns.ts";
import { tokensOf } from "../../words/picture.ts";
import { RECORD_WORDS } from "../../words/records.ts";
import { iterationsOf } from "../../words/totals.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { existingSession } from "../refusal.ts";
import { readCount, readTime } from "./filter.ts";

export interface ListFlags {
  readonly limit?: string;
  readonly since?: string;
  readonly until?: string;
  readonly exit?: ExitReason;
  readonly unfinished?: boolean;
}

/** So many are listed where nobody says how many. */
const LISTED = 20;
/** Characters of what was asked. */
const FIRST_WORDS = 48;

/** `evander turn list`: each is written as soon as it is read; as JSON all at once. */
export function listTurns(store: Store, session: string | undefined, asked: Asked & ListFlags): void {
  const { io, json, language, limit } = asked;
  const most = limit === undefined ? LISTED : readCount("--limit", limit);
  const rows: Row[] = [];
  let running: ReadonlySet<string> | undefined;
  for (const turn of store.turns(filterOf(store, session, asked))) {
    if (turn.unfinished) running ??= runningIn(store);
    const row = rowOf(turn, store, running?.has(turn.turnId) === true);
    rows.push(row);
    if (!json) say(io.stdout, lineOf(row, language));
    if (rows.length === most) break;
  }
  if (json) return sayJson(io, rows);
  if (rows.length > 0) return;
  say(io.stderr, wordsIn(RECORD_WORDS[hasTurns(store) ? "noTurnLikeThat" : "noTurn"], language));
}

function hasTurns(store: Store): boolean {
  for (const _turn of store.turns({})) return true;
  return false;
}

/** The turns that a process works on now. */
const runningIn = (store: Store): ReadonlySet<string> =>
  new Set(store.openTurns().flatMap(({ turnId, owner }) => (owner?.alive === true ? [turnId] : [])));

function filterOf(
  store: Store,
  session: string | undefined,
  { since, until, exit, unfinished }: ListFlags,
): TurnFilter {
  const nowMs = Date.now();
  return {
    ...(session !== undefined && { sessionId: existingSession(store, session) }),
    ...(since !== undefined && { sinceMs: readTime("--since", since, nowMs) }),
    ...(until !== undefined && { untilMs: readTime("--until", until, nowMs) }),
    ...(exit !== undefined && { exit }),
    ...(unfinished === true && { unfinished }),
  };
}

interface Row extends ListedTurn {
  /** Of a turn without an end until its last fact, ms. */
  readonly tookMs: number;
  /** Of one without an end. */
  readonly standing: "running" | "parked" | "left" | null;
  readonly iterations: number;
  readonly usage: Usage;
  readonly cost: Cost;
  readonly asked: string;
}

function rowOf(listed: ListedTurn, store: Store, runs: boolean): Row {
  const turn = store.turn(listed.turnId);
  if (turn === undefined) throw new Error(`turn ${listed.turnId} is listed and not there`);
  const { state } = readTurn(turn);
  const { usage, bill } = accountOf(chargesOfTurn(turn));
  const [first, last] = [turn.facts[0], turn.facts.at(-1)];
  return {
    ...listed,
    tookMs: (last?.atMs ?? 0) - (first?.atMs ?? 0),
    standing: listed.exit !== null ? null : runs ? "running" : state.parked ? "parked" : "left",
    iterations: state.iteration,
    usage,
    cost: costOfBill(bill),
    asked: first?.fact.type === "turn-start" ? oneLine(textOf(first.fact.message), FIRST_WORDS) : "",
  };
}

function lineOf(row: Row, language: Language): string {
  const { turnId, startedMs, tookMs, exit, standing, iterations, usage, cost, asked } = row;
  const end = exit ?? OPEN_TURN_WORDS[standing ?? "left"][language];
  return [
    turnId,
    new Date(startedMs).toISOString().slice(0, 16).replace("T", " "),
    duration(tookMs, language),
    end,
    iterationsOf(iterations)[language],
    tokensOf(usage)[language],
    costWords(cost)[language],
    asked,
  ].join("  ");
}
