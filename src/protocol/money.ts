import type { ModelFacts, Prices, Rates } from "./model-facts.ts";
import type { Usage } from "./outcome.ts";

/** What a model costs, as it is kept with an attempt: a price list that changes later changes no history. */
export type Price = Prices | IncludedPrice;

/** Nobody is billed by the token. */
export interface IncludedPrice {
  readonly included: true;
  /** Whose subscription, free offer or machine it is. */
  readonly source: string;
}

/** Whether two say the same; undefined: nobody knows. */
export const isSamePrice = (one: Price | undefined, other: Price | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && JSON.stringify(one) === JSON.stringify(other));

/** What a model costs, as far as it is known. */
export function priceOf(facts: ModelFacts | undefined): Price | undefined {
  if (facts?.included === true) return { included: true, source: facts.provider };
  return facts?.prices;
}

/** From the best to the worst: a sum has the worst status of its parts, but what costs nothing is no part of it. */
export const COST_STATUSES = ["included", "actual", "estimated", "unknown"] as const;
/**
 * `actual`: the provider said it; `estimated`: reckoned from a price list; `included`: nobody is billed by the token;
 * `unknown`: never told as zero.
 */
export type CostStatus = (typeof COST_STATUSES)[number];

export interface Cost {
  /** US dollars; null where any part of it is unknown. */
  readonly usd: number | null;
  readonly status: CostStatus;
  /** Who says so: the provider, or a price list with its day and tier. */
  readonly source: string | null;
}

/** What several attempts took. */
export interface Bill {
  /** US dollars that are known. */
  readonly usd: number;
  /** US dollars that attempts of which nobody said anything may have taken: a limit counts them too. */
  readonly guessUsd: number;
  /** Null: nothing was asked. */
  readonly status: CostStatus | null;
  readonly source: string | null;
}

export const NO_BILL: Bill = { usd: 0, guessUsd: 0, status: null, source: null };

/** A billionth of a dollar: what is left behind that is the noise of binary fractions. */
const GRAIN = 1e9;
export const rounded = (usd: number): number => Math.round(usd * GRAIN) / GRAIN;

/** What one call cost; `usage` is undefined where nobody said what it took. */
export function costOf(usage: Usage | undefined, price: Price | undefined): Cost {
  if (usage?.costUsd !== undefined) return { usd: rounded(usage.costUsd), status: "actual", source: "the provider" };
  if (price !== undefined && "included" in price) return { usd: 0, status: "included", source: price.source };
  const usd = usage === undefined || price === undefined ? undefined : estimate(usage, price);
  if (usage === undefined || price === undefined || usd === undefined) return UNKNOWN;
  return { usd, status: "estimated", source: sourceOf(price, usage.input) };
}

const UNKNOWN: Cost = { usd: null, status: "unknown", source: null };

/** The rates of a whole request: those of the highest tier that its input, cached or not, is above. */
const tierOf = (prices: Prices, input: number): (Rates & { readonly aboveInputTokens?: number }) | undefined =>
  prices.tiers?.findLast(({ aboveInputTokens }) => input > aboveInputTokens);

/**
 * US dollars for what a call took: each token is in one class, and is counted once. Where a list has no rate for what a
 * cache brings or is given for five minutes, it costs what input costs; an hour's rate is never guessed.
 */
function estimate(usage: Usage, prices: Prices): number | undefined {
  const rates: Rates = tierOf(prices, usage.input) ?? prices;
  const { uncached, cacheRead, cacheWrite5m, cacheWrite1h, spoken, reasoning } = classesOf(usage);
  if (cacheWrite1h > 0 && rates.cacheWrite1h === undefined) return undefined;
  const perMillion =
    uncached * rates.input +
    cacheRead * (rates.cacheRead ?? rates.input) +
    cacheWrite5m * (rates.cacheWrite5m ?? rates.input) +
    cacheWrite1h * (rates.cacheWrite1h ?? 0) +
    spoken * rates.output +
    reasoning * (rates.reasoning ?? rates.output);
  return rounded(perMillion / 1e6);
}

function sourceOf(prices: Prices, input: number): string {
  const above = tierOf(prices, input)?.aboveInputTokens;
  const tier = above === undefined ? "" : `, above ${above.toLocaleString("en-US")} input tokens`;
  return `${prices.source}, ${prices.asOf}${tier}`;
}

/** The tokens of a call, each in one class. */
export interface TokenClasses {
  readonly uncached: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  /** Output that is no reasoning. */
  readonly spoken: number;
  readonly reasoning: number;
}

/** Servers that count badly never make less than nothing. */
export function classesOf({ input, output, cacheRead, cacheWrite, cacheWrite1h = 0, reasoning }: Usage): TokenClasses {
  const hour = Math.min(cacheWrite1h, cacheWrite);
  const thought = Math.min(reasoning, output);
  return {
    uncached: Math.max(0, input - cacheRead - cacheWrite),
    cacheRead,
    cacheWrite5m: cacheWrite - hour,
    cacheWrite1h: hour,
    spoken: output - thought,
    reasoning: thought,
  };
}

const rank = (status: CostStatus | null): number => (status === null ? -1 : COST_STATUSES.indexOf(status));

export const billOf = ({ usd, status, source }: Cost, guessUsd = 0): Bill => ({
  usd: usd ?? 0,
  guessUsd: usd === null ? guessUsd : 0,
  status,
  source,
});

export function addBills(a: Bill, b: Bill): Bill {
  const { status, source } = rank(b.status) > rank(a.status) ? b : a;
  const sources = [
    ...new Set([a, b].flatMap((bill) => (bill.status === status ? (bill.source?.split("; ") ?? []) : []))),
  ];
  return {
    usd: rounded(a.usd + b.usd),
    guessUsd: rounded(a.guessUsd + b.guessUsd),
    status,
    source: sources.length > 0 ? sources.join("; ") : source,
  };
}

/** Nothing asked is nothing spent. */
export function costOfBill({ usd, status, source }: Bill): Cost {
  return status === "unknown" ? { ...UNKNOWN, source } : { usd, status: status ?? "actual", source };
}

/** All that a limit counts, US dollars. */
export const spentUsd = ({ usd, guessUsd }: Bill): number => rounded(usd + guessUsd);

/** What a limit of money is for. */
export type LimitScope = "turn" | "session" | "day";

/** US dollars that may be spent; what is absent has no limit. */
export type Caps = Partial<Readonly<Record<LimitScope, number>>>;

/** The limit that a turn runs under, as it was when the turn began. */
export interface MoneyLimit {
  readonly of: LimitScope;
  /** The limit itself, US dollars. */
  readonly usd: number;
  /** What was left of it when the turn began, US dollars; zero or more. */
  readonly leftUsd: number;
}
