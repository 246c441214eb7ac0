import type { ModelFacts, ModelOverrides, Prices, Rates } from "../../protocol/model-facts.ts";
import { PRACTICE } from "../../protocol/provider.ts";
import { hosted } from "../discovery/catalogue.ts";
import { localProgram } from "../discovery/local-servers.ts";
import { isLocalHost } from "../endpoint.ts";
import { findEntry, type Found, type ModelQuery } from "./find-entry.ts";
import { idIn, loadSnapshot, type PriceRow, type RateRow, type Snapshot } from "./snapshot.ts";

/**
 * What is known of a model without asking anybody: what the config says of it, then the snapshot. The snapshot is not
 * even read for a model on this machine or its network, which only its own server knows.
 */
export async function describeModel(query: ModelQuery, overrides?: ModelOverrides): Promise<ModelFacts> {
  const own = isOwn(query);
  const snapshot = own || isUnknownHere(query) ? undefined : await loadSnapshot();
  const described = snapshot === undefined ? unknown(query) : describeIn(snapshot, query);
  return overridden(own ? { ...described, included: true } : described, overrides);
}

/** Every model of the snapshot, under its provider's own id. */
export async function knownModels(): Promise<Pick<ModelFacts, "provider" | "model">[]> {
  const { providers } = await loadSnapshot();
  return Object.entries(providers).flatMap(([provider, { models }]) =>
    models.map((line) => ({ provider, model: idIn(line) })),
  );
}

/** Whether a provider itself lists a model under exactly this id. */
export async function isOwnId(provider: string, model: string): Promise<boolean> {
  return findEntry({ provider, model }, await loadSnapshot())?.match === "exact";
}

/** Whether a provider may have models with a slash in their ids: surely not where none is known that has. */
export async function namesMakers(provider: string): Promise<boolean> {
  const { providers } = await loadSnapshot();
  const { models } = (Object.hasOwn(providers, provider) ? providers[provider] : undefined) ?? {};
  return models?.some((line) => idIn(line).includes("/")) ?? true;
}

/** Programs that run a model on this machine or its network: nobody sends a bill. */
const isOwn = ({ provider }: ModelQuery): boolean => provider === PRACTICE || localProgram(provider) !== undefined;

/** A server of one's own of any name; a known provider may be reached through one too. */
function isUnknownHere({ provider, baseUrl }: ModelQuery): boolean {
  const host = URL.parse(baseUrl ?? "")?.hostname.replace(/^\[(.*)\]$/u, "$1");
  return host !== undefined && isLocalHost(host) && hosted(provider) === undefined;
}

/** The practice model reads text alone; of a model that nobody knows nothing is sure. */
const unknown = ({ provider, model }: ModelQuery): ModelFacts => ({
  provider,
  model,
  ...(provider === PRACTICE && { input: ["text"] }),
  quirks: [],
});

/** What a snapshot says of a model. */
export function describeIn(snapshot: Snapshot, query: ModelQuery): ModelFacts {
  const found = findEntry(query, snapshot);
  if (found === undefined) return unknown(query);
  const { provider, id, row, match } = found;
  const [contextWindow, , images] = row;
  const { asOf, source } = snapshot;
  return {
    provider: query.provider,
    model: query.model,
    contextWindow,
    input: images === 1 ? ["text", "image"] : ["text"],
    takesTools: true,
    quirks: [],
    ...(match !== "elsewhere" && ownFacts(snapshot, found)),
    entry: { provider, id, match: match === "region" ? "edition" : match, asOf, source },
  };
}

/** What holds for this provider alone. */
function ownFacts(snapshot: Snapshot, { provider, row, match }: Found): Partial<ModelFacts> {
  const [, maxOutput, , way, thinking, quirks, price] = row;
  const [dialect, baseUrl] = snapshot.providers[provider]?.ways[way] ?? [];
  const levels = snapshot.thinking[thinking];
  return {
    maxOutput,
    ...(dialect !== undefined && { dialect }),
    ...(baseUrl !== undefined && baseUrl !== "" && { baseUrl }),
    ...(levels !== undefined && { thinking: levels }),
    quirks: snapshot.quirks[quirks] ?? [],
    ...(price === "included" && { included: true }),
    ...(price !== "included" && price !== null && match !== "region" && { prices: pricesOf(price, snapshot) }),
  };
}

function pricesOf(price: PriceRow, { asOf, source }: Snapshot): Prices {
  const rates = price.filter((cell) => typeof cell === "number");
  const tiers = price.filter((cell): cell is RateRow => typeof cell !== "number");
  return {
    ...ratesOf(rates),
    ...(tiers.length > 0 && {
      tiers: tiers.map(([aboveInputTokens = 0, ...row]) => ({ aboveInputTokens, ...ratesOf(row) })),
    }),
    asOf,
    source,
  };
}

const ratesOf = ([input = 0, output = 0, cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0]: RateRow): Rates => ({
  input,
  output,
  ...(cacheRead > 0 && { cacheRead }),
  ...(cacheWrite5m > 0 && { cacheWrite5m }),
  ...(cacheWrite1h > 0 && { cacheWrite1h }),
});

/** The config knows better. */
function overridden(facts: ModelFacts, overrides: ModelOverrides | undefined): ModelFacts {
  if (overrides === undefined) return facts;
  const { images, api, prices } = overrides;
  const { prices: known, included, ...rest } = facts;
  const own = prices === undefined ? known : ownPrices(prices, known, overrides.place);
  return {
    ...rest,
    ...limitsOf(facts, overrides),
    ...(images !== undefined && { input: images ? ["text", "image"] : ["text"] }),
    ...(api !== undefined && { dialect: api }),
    ...(own !== undefined && { prices: own }),
    ...(prices === undefined && included !== undefined && { included }),
  };
}

/** No reply is longer than the window. */
function limitsOf(known: ModelFacts, own: ModelOverrides): Pick<ModelFacts, "contextWindow" | "maxOutput"> {
  const { contextWindow = known.contextWindow, maxOutput = known.maxOutput } = own;
  return {
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutput !== undefined && { maxOutput: Math.min(maxOutput, contextWindow ?? maxOutput) }),
  };
}

/** Whoever sets a price sets it for every request, from now on: tiers of the snapshot do not outlive it. */
function ownPrices(own: Partial<Rates>, known: Prices | undefined, place: string): Prices | undefined {
  const { input = known?.input, output = known?.output } = own;
  if (input === undefined || output === undefined) return undefined;
  const { tiers: _, ...base } = known ?? {};
  return { ...base, ...own, input, output, asOf: new Date().toISOString().slice(0, 10), source: place };
}
