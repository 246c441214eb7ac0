import { askedFor, modelAsked, type NamedModel } from "../../config/model-asked.ts";
import type { ModelSettings } from "../../config/settings.ts";
import type { ModelFacts } from "../../protocol/model-facts.ts";
import type { ProviderFound } from "../../protocol/provider.ts";
import { printable } from "../../session/plain-text.ts";
import { providerRefusal } from "../../session/result.ts";
import { entryLine, factLines, MODEL_WORDS, priceWord } from "../../words/models.ts";
import { nextSteps } from "../../words/steps.ts";
import type { Adapters } from "../adapters.ts";
import { lookHere } from "../config/look.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { stepLine } from "../next-steps.ts";
import { RefusalError } from "../refusal.ts";

/** `evander model show`: everything that is known of one model, and who says so. No model is asked anything. */
export async function showModel(adapters: Adapters, named: NamedModel, asked: Asked): Promise<void> {
  const { io, json, language } = asked;
  const config = await lookHere(io);
  const { models } = config.settings;
  const found = await adapters.findModel(askedFor(modelAsked(config, io, io.cwd), named));
  if (found.type === "found") return tell(await factsAt(found, adapters, models), asked);
  if (found.type === "practice") return tell(await adapters.describeModel(PRACTICE, models), asked);
  if (named.model === undefined) throw new RefusalError(providerRefusal(found));
  const known = await withoutProvider(adapters, { ...named, model: named.model }, models);
  const [only, ...more] = known;
  if (only === undefined)
    throw new RefusalError({
      reason: "no_provider",
      message: MODEL_WORDS.nobody(JSON.stringify(named.model)),
      steps: [MODEL_WORDS.allKnown],
    });
  if (more.length === 0) return tell(only, asked);
  if (json) return sayJson(io, known);
  say(io.stdout, printable(MODEL_WORDS.servedBy(named.model)[language]));
  for (const facts of known) {
    const price = priceWord(facts);
    say(io.stdout, printable(`  ${name(facts)}${price === undefined ? "" : `  (${price[language]})`}`));
  }
}

/** Where it is asked, and in which dialect, is as the config has it. */
async function factsAt(
  found: ProviderFound,
  adapters: Adapters,
  settings: readonly ModelSettings[],
): Promise<ModelFacts> {
  const { baseUrl, api = "chat_completions" } = found;
  return { ...(found.facts ?? (await adapters.describeModel(found, settings))), baseUrl, dialect: api };
}

const PRACTICE = { provider: "practice", model: "practice" };

/** Nobody is set up here: what the snapshot knows under this name. */
async function withoutProvider(
  adapters: Adapters,
  { provider, model }: NamedModel & { readonly model: string },
  settings: readonly ModelSettings[],
): Promise<ModelFacts[]> {
  if (provider !== undefined) return [await adapters.describeModel({ provider, model }, settings)];
  const all = await adapters.knownModels();
  const own = all.filter((each) => `${each.provider}/${each.model}` === model);
  const served = own.length > 0 ? own : all.filter(({ model: id }) => id === model || id.endsWith(`/${model}`));
  return Promise.all(served.map((each) => adapters.describeModel(each, settings)));
}

const name = ({ provider, model }: ModelFacts): string => `${provider}/${model}`;

function tell(facts: ModelFacts, { io, json, language }: Asked): void {
  if (json) return sayJson(io, facts);
  say(io.stdout, printable(name(facts)));
  for (const text of [...factLines(facts), entryLine(facts.entry)]) say(io.stdout, printable(`  ${text[language]}`));
  if (facts.contextWindow !== undefined) return;
  for (const step of nextSteps([MODEL_WORDS.setIt(name(facts))], undefined, language))
    say(io.stdout, printable(`  ${stepLine(step, io.env)}`));
}
