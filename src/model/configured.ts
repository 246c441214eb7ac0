import type { ApiMode } from "../protocol/provider.ts";
import { apiAt, hosted, type Hosted } from "./discovery/catalogue.ts";
import { candidateOf, said } from "./discovery/environment.ts";
import { baseUrlOf } from "./discovery/local-address.ts";
import { localProgram, targetOf } from "./discovery/local-servers.ts";
import { isLoopbackHost } from "./endpoint.ts";
import type { Server } from "./hosted-server.ts";
import type { ProviderQuery } from "./keyed-servers.ts";
import { inBoth, none, type None, PRACTICE_STEP, step } from "./no-provider.ts";

/** A provider as the user's config describes it. */
export interface ConfiguredProvider {
  readonly name: string;
  readonly baseUrl?: string | undefined;
  /** How it is spoken to; what is known of the provider when absent. */
  readonly api?: ApiMode | undefined;
  /** Where the config speaks of it. */
  readonly place: string;
  /** Gets the key, where one is described; throws an Error with one sentence. */
  readonly readKey?: (() => Promise<string>) | undefined;
  /** Where the key is; `providers.NAME.apiKey` when absent. */
  readonly keySource?: string | undefined;
}

/** The description of a provider that was named, or the first there is when none was. */
export function configuredFor(
  named: string | undefined,
  { configured = [] }: ProviderQuery,
): ConfiguredProvider | undefined {
  return named === undefined ? configured[0] : configured.find(({ name }) => name.toLowerCase() === named);
}

type Described = { readonly type: "server"; readonly server: Server } | None;

/** The server that a description leads to; what it leaves open is what is known of the provider. Its key is read now. */
export async function describedServer(
  own: ConfiguredProvider,
  source: string,
  query: ProviderQuery,
): Promise<Described> {
  const key = await readKey(own);
  if (key.type === "none") return key;
  const known = knownOf(own, key.text, query);
  const baseUrl = own.baseUrl ?? known.baseUrl;
  if (baseUrl === undefined) return withoutAddress(own);
  if (known.apiKey === undefined && !isLoopbackHost(URL.parse(baseUrl)?.hostname ?? "")) return withoutKey(own);
  const api = own.api ?? known.api;
  return { type: "server", server: { ...known, baseUrl, api, source, model: said(query.model) ?? known.model } };
}

const withoutAddress = ({ name, place }: ConfiguredProvider): None =>
  none(
    "bad_base_url",
    inBoth(
      `${place}: providers.${name} has no baseUrl, and none is known.`,
      `${place}：providers.${name} 没有 baseUrl，也没有已知的地址。`,
    ),
    [
      step(
        inBoth("Say where it is served", "填写服务地址"),
        `evander config set providers.${name}.baseUrl http://127.0.0.1:8080/v1`,
      ),
    ],
  );

const withoutKey = ({ name, place }: ConfiguredProvider): None =>
  none(
    "missing_key",
    inBoth(
      `${place}: providers.${name} is not on this machine and has no apiKey.`,
      `${place}：providers.${name} 不在本机，也没有 apiKey。`,
    ),
    [
      step(
        inBoth("Keep its key (any word, if it asks for none)", "保存密钥（如果不需要，任意词即可）"),
        `evander auth login ${name}`,
      ),
      PRACTICE_STEP,
    ],
  );

type Key = { readonly type: "key"; readonly text: string | undefined } | None;

async function readKey({ name, place, readKey: read }: ConfiguredProvider): Promise<Key> {
  try {
    return { type: "key", text: await read?.() };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return none(
      "missing_key",
      inBoth(`The key of ${name} cannot be had (${place}). ${why}`, `无法取得 ${name} 的密钥（${place}）。${why}`),
      [step(inBoth("Keep the key for this program", "为本程序保存密钥"), `evander auth login ${name}`), PRACTICE_STEP],
    );
  }
}

interface Known extends Omit<Server, "baseUrl" | "source"> {
  readonly baseUrl: string | undefined;
}

function knownOf(own: ConfiguredProvider, key: string | undefined, query: ProviderQuery): Known {
  const entry = hosted(own.name.toLowerCase());
  const known =
    entry === undefined ? knownHere(own, key, query) : knownHosted(entry, { baseUrl: own.baseUrl, key }, query);
  return key === undefined ? known : { ...known, keySource: own.keySource ?? `providers.${own.name}.apiKey` };
}

/** A hosted provider: its key may lie in its own variable, and so may its address. */
function knownHosted(
  entry: Hosted,
  { baseUrl: own, key }: { readonly baseUrl: string | undefined; readonly key: string | undefined },
  { env }: ProviderQuery,
): Known {
  const [variable = ""] = entry.keys;
  const candidate = candidateOf(entry, key === undefined ? env : { ...env, [variable]: key });
  const isWhole = !entry.baseUrl.includes("{");
  const baseUrl = own ?? candidate?.baseUrl ?? (isWhole ? entry.baseUrl : undefined);
  return {
    provider: entry.id,
    apiKey: candidate?.apiKey,
    keySource: candidate?.keySource ?? variable,
    model: entry.models?.map((name) => said(env[name])).find((model) => model !== undefined),
    prefer: entry.prefer,
    api: baseUrl === undefined ? entry.api : apiAt(entry, baseUrl),
    baseUrl,
  };
}

/** A program on this machine, or any name of the user's choice. */
function knownHere({ name }: ConfiguredProvider, key: string | undefined, { env }: ProviderQuery): Known {
  const program = localProgram(name.toLowerCase());
  const target = program === undefined ? undefined : targetOf(program, env);
  const baseUrl = target === undefined ? undefined : baseUrlOf(target.address);
  return { provider: name, apiKey: key, keySource: name, model: undefined, prefer: [], baseUrl };
}
