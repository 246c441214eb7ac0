import { said } from "./discovery/environment.ts";
import { localProgram } from "./discovery/local-servers.ts";
import { allKeys, type ProviderQuery } from "./keyed-servers.ts";

/** Reached by signing in, not by a key: whoever writes their name before a model means them and nobody else. */
const SIGN_INS: ReadonlySet<string> = new Set(["github-copilot"]);

/**
 * The query with the provider that a model is written with: PROVIDER/MODEL names a provider that is described in the
 * config, whose key is there, that runs here, or that is signed in to (nanobot.md §19.4). Any other slash is the model's
 * own: gateways name models by their makers.
 */
export async function withNamedProvider(query: ProviderQuery): Promise<ProviderQuery> {
  const provider = providerNamed(query);
  if (provider === undefined) return query;
  const whole = said(query.model) ?? "";
  const { isOwnId } = await import("./catalogue/facts.ts");
  const model = (await isOwnId(provider, whole)) ? whole : whole.slice(whole.indexOf("/") + 1);
  return { ...query, provider, model, namedBy: `model ${whole}` };
}

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
