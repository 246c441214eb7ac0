import type { ThinkingLevel } from "../../protocol/model-facts.ts";
import type { ApiMode } from "../../protocol/provider.ts";

/**
 * Input, output, cache read, cache write for five minutes and for an hour, in US dollars for a million tokens; what is
 * zero or not there is not known.
 */
export type RateRow = readonly number[];

/** Rates, then a row for each tier: the tokens above which it holds, and its rates. */
export type PriceRow = readonly (number | RateRow)[];

/** Context window and longest output in tokens, takes images, places in `ways`, `thinking` and `quirks`, price. */
export type ModelRow = readonly [
  contextWindow: number,
  maxOutput: number,
  images: 0 | 1,
  way: number,
  thinking: number,
  quirks: number,
  price: PriceRow | "included" | null,
];

export interface ProviderModels {
  /** Dialect, and the address up to where that dialect's path begins; in braces what its user has to fill in. */
  readonly ways: readonly (readonly [ApiMode, string])[];
  /** An id, a space, and its row as JSON: few of them are ever read. */
  readonly models: readonly string[];
}

/** What `scripts/models.mjs` wrote: the models of a day. All of them take tools. */
export interface Snapshot {
  /** `YYYY-MM-DD`. */
  readonly asOf: string;
  readonly source: string;
  readonly thinking: readonly Readonly<Partial<Record<ThinkingLevel, string>>>[];
  readonly quirks: readonly (readonly string[])[];
  readonly providers: Readonly<Record<string, ProviderModels>>;
}

export const idIn = (line: string): string => line.slice(0, line.indexOf(" "));

export const rowIn = (line: string): ModelRow => JSON.parse(line.slice(line.indexOf(" "))) as ModelRow;

/** Read once, and only where a model is looked up. */
export async function loadSnapshot(): Promise<Snapshot> {
  const { default: snapshot }: { readonly default: unknown } = await import("./snapshot.json", {
    with: { type: "json" },
  });
  return snapshot as Snapshot;
}
