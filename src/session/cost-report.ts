import { classesOf, type Cost, costOfBill, type MoneyLimit } from "../protocol/money.ts";
import type { Usage } from "../protocol/outcome.ts";
import type { StoredTurn } from "../protocol/store.ts";
import type { ChargeEnd } from "../turn/ledger.ts";
import type { Language, Text } from "../words/language.ts";
import { COST_COLUMNS, COST_WORDS, exactDollars } from "../words/money.ts";
import { oneLine } from "./plain-text.ts";
import { accountOf, chargesOfTurn, type TimedCharge } from "./spending.ts";
import { aligned } from "./table.ts";

/** The five classes of a request's tokens, and of what is written to a cache how long it is kept. */
export interface TokenCounts {
  readonly uncached: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  /** All of it; `reasoning` is a part. */
  readonly output: number;
  readonly reasoning: number;
}

/** One request of a turn, or what was done beside it. */
export interface CostRow {
  /** The number of the attempt, or the purpose of an auxiliary run. */
  readonly request: number | string;
  readonly model: string;
  readonly end: ChargeEnd | null;
  /** Null: nobody said. */
  readonly tokens: TokenCounts | null;
  readonly cost: Cost;
}

export interface CostReport {
  readonly turnId: string;
  readonly sessionId: string;
  readonly rows: readonly CostRow[];
  readonly tokens: TokenCounts;
  readonly cost: Cost;
  /** What is known of the sum, US dollars: all of it, where no part is unknown. */
  readonly knownUsd: number;
  readonly limit: MoneyLimit | null;
}

/** What a turn cost, request by request. */
export function costReport(turn: StoredTurn): CostReport {
  const { turnId, sessionId, facts } = turn;
  const charges = [...chargesOfTurn(turn)];
  const { usage, bill } = accountOf(charges);
  const start = facts[0]?.fact;
  return {
    turnId,
    sessionId,
    rows: charges.map(rowOf),
    tokens: countsOf(usage),
    cost: costOfBill(bill),
    knownUsd: bill.usd,
    limit: (start?.type === "turn-start" ? start.limit : undefined) ?? null,
  };
}

function rowOf({ charge }: TimedCharge): CostRow {
  const { model, usage, bill } = charge;
  const own = { model, tokens: usage === undefined ? null : countsOf(usage), cost: costOfBill(bill) };
  return charge.type === "attempt"
    ? { request: charge.attempt, end: charge.end, ...own }
    : { request: charge.purpose, end: null, ...own };
}

function countsOf(usage: Usage): TokenCounts {
  const { uncached, cacheRead, cacheWrite5m, cacheWrite1h, spoken, reasoning } = classesOf(usage);
  return { uncached, cacheRead, cacheWrite5m, cacheWrite1h, output: spoken + reasoning, reasoning };
}

/** The report as a table, and where its prices come from. */
export function costLines({ rows, tokens, cost, knownUsd }: CostReport, language: Language): string[] {
  if (rows.length === 0) return [COST_WORDS.nothing[language]];
  const known = cost.usd === null && knownUsd > 0 ? ` (≥ ${exactDollars(knownUsd)})` : "";
  const sum = [COST_WORDS.sum[language], "", "", ...cellsOf(tokens), `${amount(cost)}${known}`];
  const table = [
    Object.values<Text>(COST_COLUMNS).map((head) => head[language]),
    ...rows.map(({ request, model, end, ...row }) => [
      String(request),
      oneLine(model),
      end ?? "",
      ...cellsOf(row.tokens),
      amount(row.cost),
    ]),
    sum,
  ];
  const sources = [...new Set(rows.flatMap((row) => row.cost.source ?? []))];
  return [...aligned(table, WORDS), ...sources.map((source) => `${COST_WORDS.source[language]} ${oneLine(source)}`)];
}

const amount = ({ usd, status }: Cost): string => (usd === null ? status : `${exactDollars(usd)} ${status}`);

const cellsOf = (tokens: TokenCounts | null): string[] =>
  tokens === null
    ? Array.from({ length: 6 }, () => "?")
    : [
        tokens.uncached,
        tokens.cacheRead,
        tokens.cacheWrite5m,
        tokens.cacheWrite1h,
        tokens.output,
        tokens.reasoning,
      ].map((count) => count.toLocaleString("en-US"));

/** How many columns are words. */
const WORDS = 3;
