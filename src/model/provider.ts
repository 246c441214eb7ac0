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

export type ProviderAnswer =
  | {
      readonly type: "found";
      readonly provider: string;
      readonly baseUrl: string;
      readonly apiKey: string | undefined;
      readonly model: string;
      /** The flag or variable that named the provider. */
      readonly source: string;
    }
  /** The built-in practice model was asked for by name. */
  | { readonly type: "practice" }
  | {
      readonly type: "none";
      readonly cause: "no_provider" | "unknown_provider" | "bad_base_url" | "missing_key" | "bad_key" | "no_model";
      /** One sentence. */
      readonly message: string;
      readonly next: readonly NextStep[];
      /** What the server offers, when it was asked and a choice is needed. */
      readonly models?: readonly string[];
    };

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
  const place = findPlace(query);
  if (place.type !== "place") return place;
  const opened = openPlace(place);
  if (opened.type === "none") return opened;
  try {
    return await chooseModel(query, place, opened.endpoint);
  } finally {
    opened.endpoint.close();
  }
}

/** A server that may be called; which model it should run is still open. */
export interface Place {
  readonly type: "place";
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly source: string;
}

/** The pure part: which server, with which key. */
export function findPlace(query: ProviderQuery): Place | Extract<ProviderAnswer, { type: "practice" | "none" }> {
  const named = said(query.provider);
  if (named === PRACTICE || said(query.model) === PRACTICE) return { type: "practice" };
  const baseUrl = said(query.env["OPENAI_BASE_URL"]);
  if (named !== undefined) return placeOfPreset(named, query.env);
  if (baseUrl !== undefined) {
    const key = said(query.env["OPENAI_API_KEY"]);
    return checked(
      { type: "place", provider: nameOf(baseUrl), baseUrl, apiKey: key, source: "OPENAI_BASE_URL" },
      "OPENAI_API_KEY",
    );
  }
  if (said(query.env["OPENAI_API_KEY"]) === undefined) return noProvider();
  const place = placeOfPreset("openai", query.env);
  return place.type === "place" ? { ...place, source: "OPENAI_API_KEY" } : place;
}

function placeOfPreset(name: string, env: ProviderQuery["env"]): Place | None {
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
  const place: Place = {
    type: "place",
    provider,
    baseUrl: own ?? preset.baseUrl,
    apiKey,
    source: `--provider ${name}`,
  };
  return preset.keyVariable === undefined ? place : checked(place, preset.keyVariable);
}

/** A key is needed only off loopback. */
function checked(place: Place, keyVariable: string): Place | None {
  const url = URL.parse(place.baseUrl);
  // An address that is none is refused where it is opened.
  const usable = url !== null && /^https?:$/.test(url.protocol);
  if (place.apiKey !== undefined || !usable || isLoopbackHost(url.hostname)) return place;
  return none("missing_key", `${url.hostname} needs a key, and ${keyVariable} is not set.`, [
    step(`Set ${keyVariable} (any word, if that server asks for none)`, `export ${keyVariable}=YOUR_KEY`),
    PRACTICE_STEP,
  ]);
}

type Opened = { readonly type: "opened"; readonly endpoint: Endpoint } | None;

function openPlace({ baseUrl, apiKey, source }: Place): Opened {
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

async function chooseModel(query: ProviderQuery, place: Place, endpoint: Endpoint): Promise<ProviderAnswer> {
  const { provider, baseUrl, apiKey, source } = place;
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
