import type { Asked } from "../support/fake-server.ts";
import { inspectSchema } from "./gemini-schema.ts";
import type { CachedHead } from "./head-watch.ts";
import { sealTrouble } from "./seal.ts";
import {
  also,
  anything,
  base64,
  boolean,
  either,
  filled,
  integer,
  list,
  matching,
  number,
  object,
  objectsOf,
  oneOf,
  record,
  repeated,
  type Shape,
  string,
  tagged,
  textOf,
  turnsOf,
  union,
  isObject,
  type Json,
} from "./shape.ts";

const NAME = matching(/^[A-Za-z_][\w.:-]{0,63}$/);

const INLINE = object({
  mimeType: oneOf(
    "image/png",
    "image/jpeg",
    "image/webp",
    "image/heic",
    "image/heif",
    "application/pdf",
    "text/plain",
    "audio/wav",
    "audio/mp3",
    "video/mp4",
  ),
  data: base64,
});

const FILE = object({ fileUri: matching(/^(?:https?|gs):\/\/\S+/) }, { mimeType: filled });

const RESPONSE = object(
  { name: NAME, response: record() },
  { id: filled, parts: list(union({ inlineData: INLINE, fileData: FILE }, { displayName: string })) },
);

/** Two words that the API takes for calls that another model has made. */
const EXEMPT = ["context_engineering_is_the_way_to_go", "skip_thought_signature_validator"];

const BESIDE = { thought: boolean, thoughtSignature: either(base64, oneOf(...EXEMPT)) };

const PART = also(
  union(
    {
      text: string,
      inlineData: INLINE,
      fileData: FILE,
      functionCall: object({ name: NAME }, { id: filled, args: record() }),
      functionResponse: RESPONSE,
    },
    BESIDE,
  ),
  (part, at) => [
    ...(part["text"] !== undefined && textOf(part["text"]).trim() === "" && part["thoughtSignature"] === undefined
      ? [`${at}: the text is empty`]
      : []),
    ...sealTroubles(part, at),
  ],
);

function sealTroubles({ thoughtSignature, functionCall: call, text }: Json, at: string): readonly string[] {
  if (thoughtSignature === undefined || EXEMPT.includes(textOf(thoughtSignature))) return [];
  const content = isObject(call) ? textOf(call["name"]) : text === undefined ? "" : "text";
  const trouble = sealTrouble("gemini", content, thoughtSignature);
  return trouble === undefined ? [] : [`${at}: the thought signature ${trouble}`];
}

const DECLARATION: Shape = also(
  object(
    { name: NAME },
    { description: string, parameters: inspectSchema, parametersJsonSchema: record(), response: anything },
  ),
  (declaration, at) =>
    declaration["parameters"] !== undefined && declaration["parametersJsonSchema"] !== undefined
      ? [`${at}: parameters and parametersJsonSchema exclude each other`]
      : [],
);

const GENERATION = object(
  {},
  {
    maxOutputTokens: integer({ min: 1 }),
    temperature: number({ min: 0, max: 2 }),
    topP: number({ min: 0, max: 1 }),
    topK: integer({ min: 1 }),
    candidateCount: integer({ min: 1, max: 8 }),
    stopSequences: list(filled, { max: 5 }),
    seed: integer(),
    presencePenalty: number(),
    frequencyPenalty: number(),
    responseMimeType: oneOf("text/plain", "application/json"),
    responseSchema: inspectSchema,
    responseJsonSchema: anything,
    responseModalities: list(string),
    mediaResolution: string,
    thinkingConfig: also(
      object(
        {},
        {
          includeThoughts: boolean,
          thinkingBudget: integer({ min: -1 }),
          thinkingLevel: oneOf("MINIMAL", "LOW", "MEDIUM", "HIGH", "minimal", "low", "medium", "high"),
        },
      ),
      (config, at) =>
        config["thinkingBudget"] !== undefined && config["thinkingLevel"] !== undefined
          ? [`${at}: thinkingBudget and thinkingLevel exclude each other`]
          : [],
    ),
  },
);

const BODY = object(
  {
    contents: list(
      tagged("role", {
        user: object({ role: oneOf("user"), parts: list(PART, { min: 1 }) }),
        model: object({ role: oneOf("model"), parts: list(PART, { min: 1 }) }),
      }),
      { min: 1 },
    ),
  },
  {
    systemInstruction: object({ parts: list(object({ text: filled }), { min: 1 }) }, { role: oneOf("user", "system") }),
    tools: list(object({ functionDeclarations: list(DECLARATION, { min: 1 }) })),
    toolConfig: object({
      functionCallingConfig: object(
        { mode: oneOf("AUTO", "ANY", "NONE", "VALIDATED") },
        { allowedFunctionNames: list(NAME, { min: 1 }) },
      ),
    }),
    generationConfig: GENERATION,
    safetySettings: list(object({ category: filled, threshold: filled })),
    cachedContent: filled,
  },
);

/** What generateContent refuses in a request. */
export function inspectGemini(body: Json, { path, headers }: Pick<Asked, "path" | "headers">): readonly string[] {
  const contents = objectsOf(body["contents"]);
  return [
    ...(path.includes(":stream") && !/[?&]alt=sse(?:&|$)/.test(path)
      ? ["a stream must be asked for with alt=sse"]
      : []),
    ...(/[?&]key=/.test(path) ? ["the key stands in the address, where logs see it"] : []),
    ...(textOf(headers["content-type"]).startsWith("application/json") ? [] : ["the content type must be JSON"]),
    ...BODY(body, "body"),
    ...turnsOf(contents, "user", "contents"),
    ...(contents.at(-1)?.["role"] === "model" ? ["contents: the last one is of the model"] : []),
    ...callTroubles(contents),
    ...toolTroubles(body, contents),
    ...(modelOf(path).startsWith("gemini-3") ? missingSeals(contents) : []),
  ];
}

const modelOf = (path: string): string => /\/models\/([^:/]+):/.exec(path)?.[1] ?? "";

const fieldsOf = (content: Json | undefined, key: string): readonly Json[] =>
  objectsOf(content?.["parts"]).flatMap((part) => (isObject(part[key]) ? [part[key]] : []));

/** A turn with calls is followed by one with as many responses, of the same names in the same order. */
function callTroubles(contents: readonly Json[]): readonly string[] {
  return contents.flatMap((content, index) => {
    const at = `contents[${index}]`;
    const due = fieldsOf(contents[index - 1], "functionCall");
    const came = fieldsOf(content, "functionResponse");
    const isLast = index === contents.length - 1;
    return [
      ...(due.length === came.length ? [] : [`${at}: ${came.length} responses stand behind ${due.length} calls`]),
      ...came.flatMap((response, nth) => answerTroubles(due[nth], response, at)),
      ...(came.length > 0 && objectsOf(content["parts"]).some(({ text }) => text !== undefined)
        ? [`${at}: a text stands among the responses`]
        : []),
      ...(isLast && fieldsOf(content, "functionCall").length > 0
        ? ["the request leaves while calls have no answer"]
        : []),
      ...(content["role"] === "user" && fieldsOf(content, "functionCall").length > 0 ? [`${at}: the user calls`] : []),
      ...(content["role"] === "model" && came.length > 0 ? [`${at}: the model answers a call`] : []),
    ];
  });
}

function answerTroubles(call: Json | undefined, response: Json, at: string): readonly string[] {
  if (call === undefined) return [];
  return [
    ...(call["name"] === response["name"]
      ? []
      : [`${at}: ${String(response["name"])} answers ${String(call["name"])}`]),
    ...(call["id"] === response["id"]
      ? []
      : [`${at}: the response has the id ${String(response["id"])}, not that of its call`]),
  ];
}

function toolTroubles({ tools, toolConfig }: Json, contents: readonly Json[]): readonly string[] {
  const names = objectsOf(tools).flatMap((tool) =>
    objectsOf(tool["functionDeclarations"]).map(({ name }) => textOf(name)),
  );
  const config = isObject(toolConfig) ? toolConfig["functionCallingConfig"] : undefined;
  const { mode, allowedFunctionNames: allowed } = isObject(config) ? config : {};
  const allowedNames = Array.isArray(allowed) ? allowed.map(String) : [];
  const ids = contents.flatMap((content) =>
    fieldsOf(content, "functionCall").flatMap(({ id }) => (id === undefined ? [] : [textOf(id)])),
  );
  return [
    ...repeated(names).map((name) => `two functions have the name ${name}`),
    ...repeated(ids).map((id) => `the call id ${id} is there more than once`),
    ...(toolConfig !== undefined && names.length === 0 ? ["toolConfig may only stand beside functions"] : []),
    ...(allowed !== undefined && mode !== "ANY" && mode !== "VALIDATED"
      ? ["allowedFunctionNames needs the mode ANY"]
      : []),
    ...allowedNames.filter((name) => !names.includes(name)).map((name) => `the allowed function ${name} is not there`),
  ];
}

/** Gemini 3: since the user last said something, the first call of each step carries its signature. */
function missingSeals(contents: readonly Json[]): readonly string[] {
  const said = contents.findLastIndex(
    (content) => content["role"] === "user" && fieldsOf(content, "functionResponse").length === 0,
  );
  return contents.flatMap((content, index) => {
    const first = objectsOf(content["parts"]).find((part) => part["functionCall"] !== undefined);
    return index > said && first !== undefined && first["thoughtSignature"] === undefined
      ? [`contents[${index}]: the first call has no thought signature`]
      : [];
  });
}

export function geminiHead({ tools, systemInstruction, contents }: Json): CachedHead {
  return {
    opening: [JSON.stringify(tools ?? null), JSON.stringify(systemInstruction ?? null)],
    said: objectsOf(contents).flatMap(({ role, parts }) =>
      objectsOf(parts).map((part) => ({
        role: part["functionResponse"] !== undefined ? "result" : role === "model" ? "assistant" : "user",
        text: JSON.stringify(part),
        isText: part["text"] !== undefined,
      })),
    ),
  };
}
