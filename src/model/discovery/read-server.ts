import { isObject, type JsonObject } from "../../protocol/json.ts";
import { type Answer, goodJson } from "../ask.ts";
import { askLocal, type Question } from "./local-address.ts";
import { localProgram, type Reads, type Target } from "./local-servers.ts";

export interface LocalModel {
  readonly id: string;
  /** Tokens that hold now, as the model is loaded or will be; undefined where the server does not say. */
  readonly contextWindow: number | undefined;
  /** Tokens the model was made for. */
  readonly longestContext: number | undefined;
  readonly takesTools: boolean | undefined;
  readonly loaded: boolean;
  /** The server hands it on to another machine. */
  readonly remote: boolean;
  /** Changes when the model behind the name does. */
  readonly edition: string;
}

/** A server that answers. */
export interface LocalServer {
  readonly target: Target;
  /** Those that can be talked to, in the server's own order. */
  readonly models: readonly LocalModel[];
  /** A clause without a full stop. */
  readonly problem?: string;
}

type Asks = (path: string, body?: object) => Promise<Answer>;
type Reader = (asks: Asks) => Promise<Omit<LocalServer, "target"> & { readonly id?: string }>;

/** Undefined where nobody answers before the signal. */
export async function readServer(target: Target, signal: AbortSignal): Promise<LocalServer | undefined> {
  let answered = false;
  const asks: Asks = async (path, body) => {
    const question: Question = {
      method: body === undefined ? "GET" : "POST",
      path,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const answer = await askLocal(target.address, question, signal);
    answered ||= answer.type !== "silent";
    return answer;
  };
  const { id, ...read } = await READERS[target.program.reads](asks);
  const program = (id === undefined ? undefined : localProgram(id)) ?? target.program;
  return answered ? { ...read, target: { ...target, program } } : undefined;
}

const READERS: Readonly<Record<Reads, Reader>> = {
  ollama: readOllama,
  lmstudio: readLmStudio,
  "llama-cpp": readLlamaCpp,
  openai: async (asks) => readOpenAi(await asks("/v1/models")),
};

/** Details are asked for so many models, the most recent ones. */
const DETAILED = 12;

/** docs.ollama.com: /api/tags, /api/ps, /api/show. */
async function readOllama(asks: Asks): ReturnType<Reader> {
  const [tags, loaded] = await Promise.all([asks("/api/tags"), asks("/api/ps")]);
  const list = objectsOf(goodJson(tags), "models");
  if (list === undefined) return { models: [], problem: problemOf(tags) };
  const named = list.flatMap((entry) => (typeof entry["name"] === "string" ? [{ id: entry["name"], entry }] : []));
  const details = await Promise.all(
    named.slice(0, DETAILED).map(async ({ id }) => goodJson(await asks("/api/show", { model: id }))),
  );
  const running = objectsOf(goodJson(loaded), "models") ?? [];
  const models = named.flatMap(({ id, entry }, index) => {
    const detail = details[index];
    const info = isObject(detail) ? detail : {};
    const now = running.find((each) => each["name"] === id);
    const can = words(info["capabilities"]);
    if (can === undefined ? NO_CHAT.test(id) : !can.includes("completion")) return [];
    return [
      {
        id,
        contextWindow: count(now?.["context_length"]) ?? numberOfContext(info["parameters"]),
        longestContext: trainedContext(info["model_info"]),
        takesTools: can?.includes("tools"),
        loaded: now !== undefined,
        remote: typeof entry["remote_host"] === "string",
        edition: typeof entry["digest"] === "string" ? entry["digest"] : "",
      },
    ];
  });
  return { models };
}

/** `num_ctx 8192` among the parameters of a model. */
function numberOfContext(parameters: unknown): number | undefined {
  const [, digits] = typeof parameters === "string" ? (/^num_ctx\s+(\d+)/mu.exec(parameters) ?? []) : [];
  return digits === undefined ? undefined : count(Number(digits));
}

/** `ARCHITECTURE.context_length`. */
function trainedContext(info: unknown): number | undefined {
  if (!isObject(info)) return undefined;
  const found = Object.entries(info).find(([key]) => key.endsWith(".context_length"));
  return count(found?.[1]);
}

/** lmstudio.ai/docs: /api/v1/models, before 0.4 /api/v0/models. Models not trained for tools get them by prompt. */
async function readLmStudio(asks: Asks): ReturnType<Reader> {
  const [newer, older, plain] = await Promise.all([asks("/api/v1/models"), asks("/api/v0/models"), asks("/v1/models")]);
  const models = objectsOf(goodJson(newer), "models") ?? objectsOf(goodJson(older), "data");
  if (models === undefined) return readOpenAi(plain);
  return {
    models: models.flatMap((entry) => {
      const id = entry["key"] ?? entry["id"];
      if (typeof id !== "string" || String(entry["type"]).startsWith("embedding")) return [];
      const instances = objectsOf(entry, "loaded_instances") ?? [];
      const config = instances[0]?.["config"];
      const now = count(isObject(config) ? config["context_length"] : entry["loaded_context_length"]);
      const can = entry["capabilities"];
      const trained = isObject(can) ? can["trained_for_tool_use"] === true : words(can)?.includes("tool_use");
      return [
        {
          ...UNKNOWN,
          id,
          contextWindow: now,
          longestContext: count(entry["max_context_length"]),
          takesTools: trained === true ? true : undefined,
          loaded: instances.length > 0 || entry["state"] === "loaded",
        },
      ];
    }),
  };
}

/** llama.cpp, tools/server: /props says what is loaded. A template without tools drops them without a word. */
async function readLlamaCpp(asks: Asks): ReturnType<Reader> {
  const [list, props] = await Promise.all([asks("/v1/models"), asks("/props")]);
  const read = readOpenAi(list);
  const known = goodJson(props);
  if (!isObject(known) || !isObject(known["default_generation_settings"])) return { ...read, id: "localai" };
  const contextWindow = count(known["default_generation_settings"]["n_ctx"]);
  const caps = known["chat_template_caps"];
  const can = isObject(caps) ? caps["supports_tools"] : undefined;
  const takesTools = typeof can === "boolean" ? can : undefined;
  const only = read.models.length === 1;
  return {
    ...read,
    id: "llama-cpp",
    models: only ? read.models.map((model) => ({ ...model, contextWindow, takesTools, loaded: true })) : read.models,
  };
}

/** `GET /v1/models`, with what vLLM (`max_model_len`) and llama.cpp (`meta`) add to it. */
function readOpenAi(answer: Answer): Omit<LocalServer, "target"> {
  const list = objectsOf(goodJson(answer), "data");
  if (list === undefined) return { models: [], problem: problemOf(answer) };
  return {
    models: list.flatMap((entry) => {
      const { id, meta } = entry;
      if (typeof id !== "string" || id === "" || NO_CHAT.test(id)) return [];
      const longest = count(isObject(meta) ? meta["n_ctx_train"] : undefined);
      return [{ ...UNKNOWN, id, contextWindow: count(entry["max_model_len"]), longestContext: longest }];
    }),
  };
}

const UNKNOWN: Omit<LocalModel, "id"> = {
  contextWindow: undefined,
  longestContext: undefined,
  takesTools: undefined,
  loaded: false,
  remote: false,
  edition: "",
};

/** Models that answer no messages, by the words their names have. */
const NO_CHAT = /embed|rerank|whisper|minilm|\bbge\b|\btts\b|diffusion|\bclip\b/iu;

function problemOf(answer: Answer): string {
  if (answer.type === "other") return answer.why;
  if (answer.type === "silent") return "it says nothing about its models";
  if (answer.status === 401 || answer.status === 403) return "it wants a key";
  return answer.status >= 400 ? `it answers HTTP ${answer.status}` : "its answer is no list of models";
}

/** The objects in the array under this key; undefined when there is no array. */
function objectsOf(json: unknown, key: string): JsonObject[] | undefined {
  const list = isObject(json) ? json[key] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : undefined;
}

const words = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : undefined;

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
