import type { ApiMode, ProviderAnswer } from "../protocol/provider.ts";
import { secretsIn, withoutSecrets } from "./secrets.ts";
import { loadDialect } from "./dialects.ts";
import { defaultModel } from "./discovery/default-model.ts";
import type { Notes } from "./discovery/notes.ts";
import { type Endpoint, isLoopbackHost, openEndpoint } from "./endpoint.ts";
import { strangeInKey } from "./key-check.ts";
import type { ModelList } from "./models.ts";
import { inBoth, keyStep, none, type None, noModelAt, offline, PRACTICE_STEP, step } from "./no-provider.ts";

/** A server that may be called; which model it should run may still be open. */
export interface Server {
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** The variable its key is read from. */
  readonly keySource: string;
  readonly source: string;
  /** What was named: by flag, else by variable. */
  readonly model: string | undefined;
  /** Of which families the default model is. */
  readonly prefer: readonly RegExp[];
  /** How it is spoken to; `chat_completions` when absent. */
  readonly api?: ApiMode | undefined;
}

interface Around {
  readonly notes: Notes;
  readonly offline: boolean;
}

/** The model of a server that was named or whose key is there; asks it for its models only when none is named. */
export async function askServer(server: Server, { notes, offline: isOffline }: Around): Promise<ProviderAnswer> {
  const opened = openServer(server);
  if (opened.type === "none") return opened;
  const { endpoint } = opened;
  try {
    if (isOffline && !isLoopbackHost(endpoint.host)) return offline(endpoint.host);
    if (server.model !== undefined) return found(server, server.model);
    const kept = server.prefer.length === 0 ? undefined : notes.defaultModel(`${server.provider} ${server.baseUrl}`);
    if (kept !== undefined) return found(server, kept);
    return chosen(server, endpoint, { notes, listed: await modelsOf(server, endpoint) });
  } finally {
    endpoint.close();
  }
}

const found = ({ provider, baseUrl, api, apiKey, keySource, source }: Server, model: string): ProviderAnswer => ({
  type: "found",
  provider,
  baseUrl,
  ...(api !== undefined && { api }),
  apiKey,
  model,
  source,
  ...(apiKey !== undefined && { keySource }),
});

/** The models of a server, in its own words. */
export async function modelsOf(server: Server, endpoint: Endpoint): Promise<ModelList> {
  const { api = "chat_completions", apiKey, baseUrl } = server;
  const [{ listModels }, dialect] = await Promise.all([import("./models.ts"), loadDialect(api)]);
  const place = dialect.listedAt?.(baseUrl) ?? baseUrl;
  if (place === baseUrl) return listModels(endpoint, dialect, apiKey);
  const other = openEndpoint(place);
  try {
    return await listModels(other, dialect, apiKey);
  } finally {
    other.close();
  }
}

type Opened = { readonly type: "opened"; readonly endpoint: Endpoint } | None;

function openServer({ baseUrl, apiKey, keySource, source }: Server): Opened {
  const strange = apiKey === undefined ? undefined : strangeInKey(apiKey);
  if (strange !== undefined)
    return none(
      "bad_key",
      inBoth(
        `${keySource} cannot be used as a key: ${strange.en}; copy it again, as plain text.`,
        `${keySource} 不能用作密钥：${strange.zh}；请以纯文本重新复制。`,
      ),
      [keyStep(keySource)],
    );
  try {
    const endpoint = openEndpoint(baseUrl);
    // A key is needed only off loopback.
    if (apiKey !== undefined || isLoopbackHost(endpoint.host)) return { type: "opened", endpoint };
    endpoint.close();
    return none(
      "missing_key",
      inBoth(
        `${endpoint.host} needs a key, and ${keySource} is not set (any word will do, if that server asks for none).`,
        `${endpoint.host} 需要密钥，而 ${keySource} 没有设置（如果该服务器不需要密钥，任意词即可）。`,
      ),
      [keyStep(keySource), PRACTICE_STEP],
    );
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return none("bad_base_url", inBoth(`${why} It comes from ${source}.`, `${why} 它来自 ${source}。`), [
      step(
        inBoth("Give the address below which /chat/completions lies", "填写 /chat/completions 所在的地址"),
        "export OPENAI_BASE_URL=http://127.0.0.1:8080/v1",
      ),
    ]);
  }
}

interface Asked {
  readonly notes: Notes;
  readonly listed: ModelList;
}

function chosen(server: Server, endpoint: Endpoint, { notes, listed }: Asked): ProviderAnswer {
  if (listed.type === "failed") return unlisted(server, endpoint, listed);
  const usual = defaultModel(server.prefer, listed.models);
  if (usual !== undefined) {
    notes.keepDefaultModel(`${server.provider} ${server.baseUrl}`, usual);
    return found(server, usual);
  }
  const [only, ...others] = listed.models;
  if (only !== undefined && others.length === 0) return found(server, only);
  if (only === undefined) return noModelAt(endpoint.where);
  const shown = listed.models.slice(0, 10).join(", ");
  const more = listed.models.length > 10 ? ` and ${listed.models.length - 10} more` : "";
  const count = listed.models.length;
  const message = inBoth(
    `${endpoint.where} has ${count} models and none is named: ${shown}${more}.`,
    `${endpoint.where} 有 ${count} 个模型，但没有指定：${shown}${count > 10 ? " 等" : ""}。`,
  );
  const next = [step(inBoth("Name one of them", "指定其中一个"), `evander --model ${JSON.stringify(only)}`)];
  return { ...none("no_model", message, next), models: listed.models };
}

const UNLISTED = { rejected: "key_rejected", unreachable: "unreachable", other: "no_model" } as const;

function unlisted(
  { apiKey, keySource }: Server,
  { where }: Endpoint,
  { cause, why }: Extract<ModelList, { type: "failed" }>,
): None {
  const open = withoutSecrets(why, secretsIn(apiKey));
  const en = `No model is named, and ${where} could not be asked for its models: ${open}.`;
  const zh = `没有指定模型，也无法向 ${where} 查询模型：${open}。`;
  if (cause === "rejected") {
    const message = inBoth(`${en} The key comes from ${keySource}.`, `${zh}密钥来自 ${keySource}。`);
    return none(UNLISTED[cause], message, [keyStep(keySource), PRACTICE_STEP]);
  }
  const name = step(inBoth("Name a model", "指定一个模型"), "evander --model NAME");
  return none(UNLISTED[cause], inBoth(en, zh), [name, PRACTICE_STEP]);
}
