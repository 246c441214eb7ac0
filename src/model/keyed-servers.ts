import { apiAt, type Hosted, HOSTED } from "./discovery/catalogue.ts";
import { type Candidate, candidateOf, candidatesIn, type Environment, said } from "./discovery/environment.ts";
import { LOCAL_PROGRAMS } from "./discovery/local-servers.ts";
import type { BorrowedKey } from "../protocol/keys.ts";
import type { ProviderFound } from "../protocol/provider.ts";
import type { ConfiguredProvider } from "./configured.ts";
import type { Server } from "./hosted-server.ts";

export interface ProviderQuery {
  /** `--provider`. */
  readonly provider?: string | undefined;
  /** The model was named by something stronger than what pinned the provider: a name before it may be another one's. */
  readonly providerYields?: boolean | undefined;
  /** `--model`. */
  readonly model?: string | undefined;
  readonly env: Environment;
  /** The variables of the project's `.env`, when its folder is trusted. */
  readonly dotEnv?: Environment | undefined;
  /** Nothing beyond this machine may be asked; EVANDER_OFFLINE says the same. */
  readonly offline?: boolean | undefined;
  /** Where the provider was named, for results; a flag when absent. */
  readonly namedBy?: string | undefined;
  /** Providers that the user's config describes, in its order. */
  readonly configured?: readonly ConfiguredProvider[] | undefined;
  /** How long servers on this machine may take to answer, ms; as long as people can wait, when absent. */
  readonly lookMs?: number | undefined;
  /** Where things are kept that can be learnt again. */
  readonly cacheFolder?: string | undefined;
}

export const isOffline = ({ env, offline }: ProviderQuery): boolean =>
  offline ?? !["0", "false", undefined].includes(said(env["EVANDER_OFFLINE"]));

/** A server of the user's own, at any address. */
export function customServer(baseUrl: string, { env, model }: ProviderQuery): Server {
  return {
    provider: nameOf(baseUrl),
    baseUrl,
    apiKey: said(env["OPENAI_API_KEY"]),
    keySource: "OPENAI_API_KEY",
    source: "OPENAI_BASE_URL",
    model: said(model) ?? said(env["OPENAI_MODEL"]),
    prefer: [],
  };
}

/** The provider whose server this is, or `custom`. */
export function nameOf(baseUrl: string): string {
  const host = URL.parse(baseUrl)?.host.replace("localhost", "127.0.0.1");
  const entry = HOSTED.find((each) => URL.parse(each.baseUrl)?.host === host);
  return entry?.id ?? LOCAL_PROGRAMS.find(({ port }) => `127.0.0.1:${port}` === host)?.id ?? "custom";
}

/** The server a key leads to; undefined while a variable is missing from its address. */
export function serverOf(
  { entry, apiKey, keySource, baseUrl }: Candidate,
  { env, model }: ProviderQuery,
  source: string,
): Server | undefined {
  if (baseUrl === undefined) return undefined;
  const variable = entry.models?.find((name) => said(env[name]) !== undefined);
  const { id: provider, prefer } = entry;
  const named = said(model) ?? (variable === undefined ? undefined : said(env[variable]));
  return { provider, baseUrl, api: apiAt(entry, baseUrl), apiKey, keySource, source, model: named, prefer };
}

/** Every key that is there; the environment's own come before those of a file. */
export function allKeys({ env, dotEnv = {} }: Pick<ProviderQuery, "env" | "dotEnv">): Candidate[] {
  const own = candidatesIn(env);
  const more = candidatesIn(dotEnv, ".env").filter(({ entry }) => !own.some((known) => known.entry === entry));
  return [...own, ...more];
}

/** The other keys in these variables that lead to a server that was found. */
export function otherKeys(
  { provider, baseUrl, apiKey }: Pick<ProviderFound, "provider" | "baseUrl" | "apiKey">,
  { env, dotEnv = {} }: Pick<ProviderQuery, "env" | "dotEnv">,
): BorrowedKey[] {
  const entry = HOSTED.find(({ id }) => id === provider);
  if (entry === undefined || entry.signing !== undefined) return [];
  const places = [[env], [dotEnv, ".env"]] as const;
  return places.flatMap(([from, file]) =>
    entry.keys.flatMap((variable) => {
      const found = candidateOf({ ...entry, keys: [variable] }, from, file);
      if (found === undefined || found.apiKey === apiKey || found.baseUrl !== baseUrl) return [];
      return [{ secret: found.apiKey, source: found.keySource }];
    }),
  );
}

/** Words in the names of models, and who makes those models. */
const WORDS: readonly (readonly [words: RegExp, provider: string])[] = [
  [/claude/iu, "anthropic"],
  [/gpt|^o\d/iu, "openai"],
  [/gemini|gemma/iu, "gemini"],
  [/deepseek/iu, "deepseek"],
  [/qwen|qwq/iu, "dashscope"],
  [/kimi|moonshot/iu, "moonshot"],
  [/glm/iu, "zai"],
  [/grok/iu, "xai"],
  [/[dm]istral|[dc]o(?:de)?stral|ministral|pixtral/iu, "mistral"],
  [/minimax/iu, "minimax"],
  [/mimo/iu, "xiaomi"],
  [/\bcommand\b/iu, "cohere"],
];

/** They serve models of many makers, and name each with its maker before a slash. */
const GATEWAYS: ReadonlySet<string> = new Set(["openrouter", "vercel", "huggingface"]);

/**
 * The keys that are used without being named, in this order (nanobot.md §19.4): a provider to whose families the named
 * model belongs, its maker, a gateway for a name with a maker before it, then the order of the catalogue.
 */
export function keysInOrder(query: ProviderQuery): Candidate[] {
  const usable = allKeys(query).filter(({ entry, baseUrl }) => entry.byName === undefined && baseUrl !== undefined);
  const model = said(query.model);
  if (model === undefined) return usable;
  const rules: readonly ((entry: Hosted) => boolean)[] = [
    ({ prefer }) => prefer.some((family) => family.test(model)),
    ({ id }) => WORDS.some(([words, maker]) => maker === id && words.test(model)),
    ({ id }) => model.includes("/") && GATEWAYS.has(id),
    () => true,
  ];
  const rank = ({ entry }: Candidate): number => rules.findIndex((rule) => rule(entry));
  return usable.toSorted((a, b) => rank(a) - rank(b));
}
