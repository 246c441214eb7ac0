import { said } from "./discovery/environment.ts";
import { localProgram } from "./discovery/local-servers.ts";
import { allKeys, nameOf, type ProviderQuery } from "./keyed-servers.ts";

/** Reached by signing in, not by a key: whoever writes their name before a model means them and nobody else. */
const SIGN_INS: ReadonlySet<string> = new Set(["github-copilot"]);

/**
 * The query with the provider that a model is written with: PROVIDER/MODEL names a provider that is described in the
 * config, whose key is there, that runs here, or that is signed in to (nanobot.md §19.4). Any other slash is the model's
 * own: gateways name models by their makers.
 */
export async function withNamedProvider(query: ProviderQuery): Promise<ProviderQuery> {
  const [whole = "", prefix, rest] = /^([^/\s]+)\/(\S.*)$/u.exec(said(query.model) ?? "") ?? [];
  if (prefix === undefined) return query;
  const pinned = said(query.provider);
  const isThere = pinned === undefined && isOwnServer(prefix, query);
  const provider = isThere ? prefix : await providerMeant(pinned, query);
  if (provider === undefined) return query;
  const { isOwnId } = await import("./catalogue/facts.ts");
  const model = (await isOwnId(provider, whole)) ? whole : rest;
  if (isThere) return { ...query, model };
  return { ...query, provider, model, ...(provider !== pinned && { namedBy: `model ${whole}` }) };
}

/** The server at OPENAI_BASE_URL is called by the name that it has in results. */
function isOwnServer(name: string, { configured = [], env }: ProviderQuery): boolean {
  const baseUrl = said(env["OPENAI_BASE_URL"]);
  return configured.length === 0 && baseUrl !== undefined && nameOf(baseUrl) === name.toLowerCase();
}

/** Whom a model means that is written with a provider's name, where a provider is pinned; undefined: its slash is its own. */
async function providerMeant(pinned: string | undefined, query: ProviderQuery): Promise<string | undefined> {
  if (pinned === undefined) return providerNamed(query);
  const named = providerNamed({ ...query, provider: undefined });
  const whole = said(query.model) ?? "";
  if (isPrefix(pinned, whole)) return isElsewhere(pinned, query) ? undefined : (named ?? pinned);
  if (named === undefined || query.providerYields !== true) return undefined;
  const { isOwnId, namesMakers } = await import("./catalogue/facts.ts");
  const isDescribed = query.configured?.some(({ name }) => name === named) === true;
  const mayServe = isDescribed ? await isOwnId(pinned, whole) : await namesMakers(pinned);
  return mayServe ? undefined : named;
}

const isPrefix = (provider: string, model: string): boolean =>
  model.toLowerCase().replaceAll("_", "-").startsWith(`${provider.toLowerCase()}/`);

/** Its name stands for a server of the user's own, whose models may be named in any way. */
const isElsewhere = (provider: string, { env }: ProviderQuery): boolean =>
  provider.toLowerCase() === "openai" && said(env["OPENAI_BASE_URL"]) !== undefined;

/**
 * The provider whose name stands before a model. Whoever describes providers or has a server of their own means those:
 * there, what looks like the name of another one belongs to the model.
 */
export function providerNamed({ provider, model, ...query }: ProviderQuery): string | undefined {
  const [, prefix] = /^([^/\s]+)\/\S/u.exec(said(model) ?? "") ?? [];
  if (prefix === undefined || said(provider) !== undefined) return undefined;
  const { configured = [], env } = query;
  const own = configured.find(({ name }) => name.toLowerCase() === prefix.toLowerCase());
  if (own !== undefined) return own.name;
  if (configured.length > 0 || said(env["OPENAI_BASE_URL"]) !== undefined) return undefined;
  const name = prefix.toLowerCase().replaceAll("_", "-");
  if (SIGN_INS.has(name) || localProgram(name) !== undefined) return name;
  return allKeys(query).some(({ entry }) => entry.id === name) ? name : undefined;
}
