import type { ModelAsked } from "../config/model-asked.ts";
import type { ModelSettings, ProviderSettings } from "../config/settings.ts";
import { rootFolders, type Surroundings } from "../config/folders.ts";
import { describeModel } from "../model/catalogue/facts.ts";
import type { ModelQuery } from "../model/catalogue/find-entry.ts";
import type { ConfiguredProvider } from "../model/configured.ts";
import type { ProviderQuery } from "../model/keyed-servers.ts";
import { resolveProvider } from "../model/provider.ts";
import { keysFor, projectVariables, withKeptKeys } from "./provider-keys.ts";
import { withoutSlash } from "../protocol/base-url.ts";
import { KeyFileError } from "../protocol/keys.ts";
import type { ModelFacts } from "../protocol/model-facts.ts";
import type { ApiMode, PracticeChosen, ProviderAnswer, ProviderFound } from "../protocol/provider.ts";

/** Discovery, wired: what the command line and the library ask in the same way. */
export async function findModel(asked: ModelAsked, around: Surroundings): Promise<ProviderAnswer> {
  const { models, ...rest } = asked;
  try {
    const query = await providerQuery(rest, around);
    const answer = await resolveProvider(query);
    if (answer.type !== "found") return answer;
    const keys = keysFor(answer, asked, query);
    return await withFacts({ ...answer, ...(keys && { keys }) }, models);
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    const { keyFileSteps } = await import("../words/keys.ts");
    return { type: "none", cause: "bad_key", message: error.message, next: keyFileSteps(error) };
  }
}

/** What the user says of a model wins over its server, and that over what is known. */
async function withFacts(found: ProviderFound, settings: readonly ModelSettings[]): Promise<ProviderFound> {
  const facts = await factsOf(found, settings);
  const own: Partial<ModelSettings> = settingsOf(found, settings) ?? {};
  const { contextWindow = found.contextWindow, api = found.api ?? apiOf(found, facts) } = own;
  return {
    ...found,
    ...(api !== undefined && { api }),
    ...(contextWindow !== undefined && { contextWindow }),
    facts: { ...facts, ...(contextWindow !== undefined && { contextWindow }) },
  };
}

/** A model that thinks is asked in the dialect that gives it its thoughts back, where its provider has that one there. */
function apiOf(
  { baseUrl }: ProviderFound,
  { dialect, baseUrl: known, thinking = {} }: ModelFacts,
): ApiMode | undefined {
  const thinks = Object.keys(thinking).some((level) => level !== "off");
  const isThere = withoutSlash(baseUrl) === known;
  return dialect === "codex_responses" && isThere && thinks ? dialect : undefined;
}

/** What the config and the snapshot say of a model. */
export const factsOf = (query: ModelQuery, settings: readonly ModelSettings[]): Promise<ModelFacts> =>
  describeModel(query, settingsOf(query, settings));

/** What the config says of this model. */
const settingsOf = (
  { provider, model }: Pick<ProviderFound, "provider" | "model">,
  settings: readonly ModelSettings[],
): ModelSettings | undefined => settings.find(({ name }) => name === `${provider}/${model}`);

/** What discovery may look at. */
export async function providerQuery(
  { cwd, providers, secrets, keyFolder, ...asked }: Omit<ModelAsked, "models">,
  around: Surroundings,
): Promise<ProviderQuery> {
  const { env } = around;
  const { cache } = rootFolders(around);
  const dotEnv = await projectVariables(cwd, around);
  const configured = await withKeptKeys(described(providers, { env, folders: secrets }), keyFolder);
  return { ...asked, configured, env, dotEnv, cacheFolder: cache };
}

interface Secrets {
  readonly env: NodeJS.ProcessEnv;
  readonly folders: readonly string[];
}

/** Providers of the config; a key is read when its provider is asked. */
const described = (providers: readonly ProviderSettings[], secrets: Secrets): ConfiguredProvider[] =>
  providers.map(({ apiKey, ...provider }) => {
    if (apiKey === undefined) return provider;
    const readKey = async (): Promise<string> => (await import("../config/secrets.ts")).readSecret(apiKey, secrets);
    return { ...provider, readKey };
  });

/** A model that can be asked, until it is closed. */
export interface ServedModel {
  readonly model: ProviderFound;
  readonly close: () => Promise<void>;
}

/** The practice model is served in this process, over the same wire as any other. */
export async function serveModel(model: ProviderFound | PracticeChosen): Promise<ServedModel> {
  if (model.type === "found") return { model, close: () => Promise.resolve() };
  const { startPracticeServer } = await import("../practice/server.ts");
  const server = await startPracticeServer({ refuses: model.refuses });
  const practice = { type: "found", provider: "practice", model: "practice", baseUrl: server.baseUrl } as const;
  return { model: { ...practice, apiKey: undefined, source: "built in" }, close: () => server.close() };
}
