import { modelAsked } from "../../config/model-asked.ts";
import type { ModelSettings } from "../../config/settings.ts";
import type { Prices } from "../../protocol/model-facts.ts";
import type { ModelNote, ProviderRow } from "../../protocol/provider.ts";
import { printable } from "../../session/plain-text.ts";
import { type Language, wordsIn } from "../../words/language.ts";
import { IMAGES, MODEL_WORDS, priceWord } from "../../words/models.ts";
import type { Adapters } from "../adapters.ts";
import { lookHere } from "../config/look.ts";
import type { Asked } from "../context.ts";
import { modelLine } from "../doctor/providers.ts";
import { say, sayJson } from "../io.ts";

/** One model, for machines: null where nobody knows. */
interface Listed extends ModelNote {
  readonly provider: string;
  readonly source: string;
  /** Tokens. */
  readonly maxOutput: number | null;
  readonly images: boolean | null;
  readonly prices: Prices | null;
  readonly included: boolean;
}

interface Found extends ModelNote {
  readonly provider: string;
  readonly baseUrl?: string;
  readonly source: string;
}

interface Request extends Asked {
  readonly provider?: string;
  /** Every model of the snapshot, and nobody is asked. */
  readonly known?: boolean;
}

/** `evander model list`: one model a line, behind its provider. */
export async function listModels(adapters: Adapters, text: string | undefined, request: Request): Promise<void> {
  const { io, json, language, provider } = request;
  const config = await lookHere(io);
  const rows =
    request.known === true
      ? []
      : (await adapters.surveyProviders({ ...modelAsked(config, io, io.cwd), ask: "lists" })).filter(
          (row) => provider === undefined || row.provider === provider,
        );
  const all = request.known === true ? await known(adapters, provider) : usable(rows);
  const found = all.filter((model) => matches(model, text));
  const models = await Promise.all(found.map((model) => listed(adapters, model, config.settings.models)));
  if (json) return sayJson(io, models);
  for (const model of models) say(io.stdout, printable(line(model, language)));
  for (const { name, problem } of rows)
    if (problem !== null) say(io.stderr, printable(`${name}: ${wordsIn(problem, language)}`));
  if (models.length === 0 && text !== undefined)
    say(io.stderr, printable(MODEL_WORDS.noMatch(JSON.stringify(text))[language]));
}

const usable = (rows: readonly ProviderRow[]): Found[] =>
  rows.flatMap(({ provider, source, state, baseUrl, models }) =>
    state === "ready"
      ? models.map((model) => ({ provider, source, ...(baseUrl !== null && { baseUrl }), ...model }))
      : [],
  );

async function known(adapters: Adapters, provider: string | undefined): Promise<Found[]> {
  const all = await adapters.knownModels();
  return all
    .filter((each) => provider === undefined || each.provider === provider)
    .map(({ provider: name, model }) => ({
      provider: name,
      id: model,
      source: "snapshot",
      contextWindow: null,
      longestContext: null,
      tools: null,
    }));
}

const matches = ({ provider, id }: Found, text = ""): boolean =>
  `${provider}/${id}`.toLowerCase().includes(text.toLowerCase());

/** What its server says of a model, and what else is known of it. */
async function listed(adapters: Adapters, found: Found, settings: readonly ModelSettings[]): Promise<Listed> {
  const { baseUrl, ...model } = found;
  const query = { provider: found.provider, model: found.id, ...(baseUrl !== undefined && { baseUrl }) };
  const facts = await adapters.describeModel(query, settings);
  return {
    ...model,
    contextWindow: model.contextWindow ?? (model.longestContext === null ? (facts.contextWindow ?? null) : null),
    tools: model.tools ?? facts.takesTools ?? null,
    maxOutput: facts.maxOutput ?? null,
    images: facts.input?.includes("image") ?? null,
    prices: facts.prices ?? null,
    included: facts.included === true,
  };
}

function line(model: Listed, language: Language): string {
  const price = priceWord({
    ...(model.prices !== null && { prices: model.prices }),
    ...(model.included && { included: true }),
  });
  const more = [...(model.images === true ? [IMAGES] : []), ...(price === undefined ? [] : [price])];
  return `${model.provider.padEnd(14)} ${modelLine(model, language, more)}`;
}
