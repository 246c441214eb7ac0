export type { Prices, PriceTier, Rates } from "../../protocol/model-facts.ts";
