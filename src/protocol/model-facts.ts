/** How a model is spoken to: the name of a dialect. */
export type ApiMode = "chat_completions" | "anthropic_messages" | "bedrock_converse" | "codex_responses" | "gemini";

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
