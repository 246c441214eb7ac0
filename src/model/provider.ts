import type { ProviderAnswer } from "../protocol/provider.ts";
import type { NextStep } from "../protocol/result.ts";
import { type Endpoint, isLoopbackHost, openEndpoint } from "./endpoint.ts";
import { listModels } from "./models.ts";

/** What the user said about where the model is; empty strings count as nothing. */
export interface ProviderQuery {
  /** `--provider`. */
  readonly provider?: string | undefined;
  /** `--model`. */
  readonly model?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

type None = Extract<ProviderAnswer, { type: "none" }>;

interface Preset {
  readonly baseUrl: string;
  /** Where its key is looked for; undefined: it needs none. */
  readonly keyVariable: string | undefined;
}

const PRESETS: ReadonlyMap<string, Preset> = new Map([
  ["openai", { baseUrl: "https://api.openai.com/v1", keyVariable: "OPENAI_API_KEY" }],
  ["openrouter", { baseUrl: "https://openrouter.ai/api/v1", keyVariable: "OPENROUTER_API_KEY" }],
  ["ollama", { baseUrl: "http://127.0.0.1:11434/v1", keyVariable: undefined }],
  ["lmstudio", { baseUrl: "http://127.0.0.1:1234/v1", keyVariable: undefined }],
  ["llama-cpp", { baseUrl: "http://127.0.0.1:8080/v1", keyVariable: undefined }],
  ["vllm", { baseUrl: "http://127.0.0.1:8000/v1", keyVariable: undefined }],
]);

const PRACTICE = "practice";

/** Finds the provider and the model in flags and environment; asks the server for its models only when none is named. */
export async function resolveProvider(query: ProviderQuery): Promise<ProviderAnswer> {
  const server = findServer(query);
  if (server.type !== "server") return server;
  const opened = openServer(server);
  if (opened.type === "none") return opened;
  try {
    return await chooseModel(query, server, opened.endpoint);
  } finally {
    opened.endpoint.close();
  }
}

/** A server that may be called; which model it should run is still open. */
export interface Server {
  readonly type: "server";
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly source: string;
}

/** The pure part: which server, with which key. */
export function findServer(query: ProviderQuery): Server | Extract<ProviderAnswer, { type: "practice" | "none" }> {
  const named = said(query.provider);
  if (named === PRACTICE || said(query.model) === PRACTICE) return { type: "practice" };
  const baseUrl = said(query.env["OPENAI_BASE_URL"]);
  if (named !== undefined) return serverOfPreset(named, query.env);
  if (baseUrl !== undefined) {
    const key = said(query.env["OPENAI_API_KEY"]);
    return checked(
      { type: "server", provider: nameOf(baseUrl), baseUrl, apiKey: key, source: "OPENAI_BASE_URL" },
      "OPENAI_API_KEY",
    );
  }
  if (said(query.env["OPENAI_API_KEY"]) === undefined) return noProvider();
  const server = serverOfPreset("openai", query.env);
  return server.type === "server" ? { ...server, source: "OPENAI_API_KEY" } : server;
}

function serverOfPreset(name: string, env: ProviderQuery["env"]): Server | None {
  const preset = PRESETS.get(name.toLowerCase());
  if (preset === undefined) {
    const known = [...PRESETS.keys(), PRACTICE].join(", ");
    return none("unknown_provider", `There is no provider ${JSON.stringify(name)}; known are ${known}.`, [
      step("Use a server of your own", "OPENAI_BASE_URL=http://127.0.0.1:8080/v1 evander"),
    ]);
  }
  const provider = name.toLowerCase();
  const own = provider === "openai" ? said(env["OPENAI_BASE_URL"]) : undefined;
  const apiKey = preset.keyVariable === undefined ? undefined : said(env[preset.keyVariable]);
  const server: Server = {
    type: "server",
    provider,
    baseUrl: own ?? preset.baseUrl,
    apiKey,
    source: `--provider ${name}`,
  };
  return preset.keyVariable === undefined ? server : checked(server, preset.keyVariable);
}

/** A key is needed only off loopback. */
function checked(server: Server, keyVariable: string): Server | None {
  const url = URL.parse(server.baseUrl);
  // An address that is none is refused where it is opened.
  const usable = url !== null && /^https?:$/.test(url.protocol);
  if (server.apiKey !== undefined || !usable || isLoopbackHost(url.hostname)) return server;
  return none("missing_key", `${url.hostname} needs a key, and ${keyVariable} is not set.`, [
    step(`Set ${keyVariable} (any word, if that server asks for none)`, `export ${keyVariable}=YOUR_KEY`),
    PRACTICE_STEP,
  ]);
}

type Opened = { readonly type: "opened"; readonly endpoint: Endpoint } | None;

function openServer({ baseUrl, apiKey, source }: Server): Opened {
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    return none("bad_key", "The API key holds white space or other characters that no key has; set it again.", []);
  }
  try {
    return { type: "opened", endpoint: openEndpoint(baseUrl) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return none("bad_base_url", `${why} It comes from ${source}.`, [
      step("Give the address below which /chat/completions lies", "export OPENAI_BASE_URL=http://127.0.0.1:8080/v1"),
    ]);
  }
}

async function chooseModel(query: ProviderQuery, server: Server, endpoint: Endpoint): Promise<ProviderAnswer> {
  const { provider, baseUrl, apiKey, source } = server;
  const found = (model: string): ProviderAnswer => ({ type: "found", provider, baseUrl, apiKey, model, source });
  const named = said(query.model) ?? said(query.env["OPENAI_MODEL"]);
  if (named !== undefined) return found(named);
  const listed = await listModels(endpoint, apiKey);
  if (listed.type === "failed") {
    return none(
      "no_model",
      `No model is named, and ${endpoint.where} could not be asked for its models: ${listed.why}.`,
      [step("Name a model", "evander --model NAME"), PRACTICE_STEP],
    );
  }
  const [only, ...others] = listed.models;
  if (only !== undefined && others.length === 0) return found(only);
  if (only === undefined) {
    return none("no_model", `${endpoint.where} has no model; load one there first.`, [PRACTICE_STEP]);
  }
  const shown = listed.models.slice(0, 10).join(", ");
  const more = listed.models.length > 10 ? ` and ${listed.models.length - 10} more` : "";
  const message = `${endpoint.where} has ${listed.models.length} models and none is named: ${shown}${more}.`;
  const next = [step("Name one of them", `evander --model ${JSON.stringify(only)}`)];
  return { ...none("no_model", message, next), models: listed.models };
}

/** The preset whose server this is, or `custom`. */
function nameOf(baseUrl: string): string {
  const host = URL.parse(baseUrl)?.host.replace("localhost", "127.0.0.1");
  for (const [name, preset] of PRESETS) if (URL.parse(preset.baseUrl)?.host === host) return name;
  return "custom";
}

const said = (value: string | undefined): string | undefined => {
  const trimmed = value?.trim();
  return trimmed === "" ? undefined : trimmed;
};

const step = (text: string, command: string | null): NextStep => ({ do: "configure", text, command });
const PRACTICE_STEP: NextStep = {
  do: "practice",
  text: "Use the practice model: rule-based, on this machine, without a key",
  command: "evander --model practice",
};

const none = (cause: None["cause"], message: string, next: readonly NextStep[]): None => ({
  type: "none",
  cause,
  message,
  next,
});

const noProvider = (): None =>
  none("no_provider", "No model provider is configured.", [
    PRACTICE_STEP,
    step("Use a hosted provider", "export OPENAI_API_KEY=YOUR_KEY"),
    step("Use a local server", "evander --provider ollama"),
  ]);
