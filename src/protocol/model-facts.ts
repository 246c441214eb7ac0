import type { ApiMode } from "./provider.ts";

/** How hard a model may be told to think. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** US dollars for a million tokens of each kind. A price that nobody knows is absent, never zero. */
export interface Rates {
  /** Input that is read from no cache. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  /** Input that is written to a cache for five minutes. */
  readonly cacheWrite5m?: number;
  /** Input that is written to a cache for an hour. */
  readonly cacheWrite1h?: number;
  /** Reasoning, where it has a price of its own; else it costs what output costs. */
  readonly reasoning?: number;
}

/** What holds for a whole request whose input, cached or not, has more tokens than this. */
export interface PriceTier extends Rates {
  readonly aboveInputTokens: number;
}

/** What a model costs, as of a day. */
export interface Prices extends Rates {
  /** From the lowest bound to the highest. */
  readonly tiers?: readonly PriceTier[];
  /** `YYYY-MM-DD`: prices change, and these are of this day. */
  readonly asOf: string;
  /** Who says so: the snapshot, or the place in the config. */
  readonly source: string;
}

/** What a config says of a model. It wins over the snapshot. */
export interface ModelOverrides {
  /** Tokens. */
  readonly contextWindow?: number;
  /** Tokens. */
  readonly maxOutput?: number;
  readonly images?: boolean;
  readonly api?: ApiMode;
  /** Without one of `input` and `output` no price is known of it. */
  readonly prices?: Partial<Rates>;
  /** Where the config speaks of it. */
  readonly place: string;
}

/** What is known of a model before it is asked. What nobody knows is absent. */
export interface ModelFacts {
  readonly provider: string;
  readonly model: string;
  /** Tokens that a request and its reply may have together. */
  readonly contextWindow?: number;
  /** The longest reply, tokens. */
  readonly maxOutput?: number;
  /** What a message to it may hold. */
  readonly input?: readonly ("text" | "image")[];
  readonly takesTools?: boolean;
  /** One way in which it is known to be served, and where. */
  readonly dialect?: ApiMode;
  readonly baseUrl?: string;
  /** The levels it can think at, each with the provider's word for it; none for a model that does not think. */
  readonly thinking?: Readonly<Partial<Record<ThinkingLevel, string>>>;
  /** What its provider does otherwise than the dialect has it, as the snapshot names it. */
  readonly quirks: readonly string[];
  readonly prices?: Prices;
  /** Nobody is billed by the token: a subscription, a free offer, a model of one's own. */
  readonly included?: true;
  /** The entry of the snapshot that it was found under; absent: not in there. */
  readonly entry?: ModelEntry;
}

/** An entry of the snapshot. */
export interface ModelEntry {
  readonly provider: string;
  readonly id: string;
  /**
   * `exact`: this provider's own id; `edition`: its id but for a date, a region or a spelling; `elsewhere`: the same
   * model at another provider, of which only what cannot differ between providers is taken.
   */
  readonly match: "exact" | "edition" | "elsewhere";
  /** `YYYY-MM-DD`, the day of the snapshot. */
  readonly asOf: string;
  /** The list that the snapshot was made of. */
  readonly source: string;
}
