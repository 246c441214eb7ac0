import type { Asked } from "../support/fake-server.ts";
import type { CachedHead } from "./head-watch.ts";
import { sealTrouble } from "./seal.ts";
import {
  also,
  anything,
  base64,
  boolean,
  brokenRules,
  filled,
  integer,
  isObject,
  type Json,
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
  textOf,
  turnsOf,
  union,
} from "./shape.ts";
import { signatureTroubles } from "./signature-police.ts";

const NAME = matching(/^[\w-]{1,64}$/);
const NOTHING = object({});
const CACHE_POINT = object({ type: oneOf("default") }, { ttl: oneOf("5m", "1h") });

const IMAGE = object({
  format: oneOf("png", "jpeg", "gif", "webp"),
  source: union({ bytes: base64, s3Location: object({ uri: matching(/^s3:\/\//) }, { bucketOwner: string }) }),
});

const DOCUMENT = object(
  { name: filled, source: union({ bytes: base64, text: filled }) },
  { format: oneOf("pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md") },
);

const RESULT = object(
  {
    toolUseId: NAME,
    content: list(union({ text: filled, json: anything, image: IMAGE, document: DOCUMENT }), { min: 1 }),
  },
  { status: oneOf("success", "error") },
);

const REASONING = also(
  union({ reasoningText: object({ text: string }, { signature: string }), redactedContent: base64 }),
  ({ reasoningText: said, redactedContent: hidden }, at) => {
    const trouble = isObject(said)
      ? sealTrouble("bedrock_converse", textOf(said["text"]), said["signature"])
      : sealTrouble("bedrock_converse", undefined, hidden);
    return trouble === undefined ? [] : [`${at}: the reasoning ${trouble}`];
  },
);

const BLOCKS: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  user: { text: filled, image: IMAGE, document: DOCUMENT, toolResult: RESULT, cachePoint: CACHE_POINT },
  assistant: {
    text: filled,
    reasoningContent: REASONING,
    toolUse: object({ toolUseId: NAME, name: NAME, input: record() }),
    cachePoint: CACHE_POINT,
  },
};

const MESSAGE: Shape = (value, at) => {
  const role = isObject(value) ? textOf(value["role"]) : "";
  const content = list(union(BLOCKS[role] ?? {}), { min: 1 });
  return object({ role: oneOf("user", "assistant"), content })(value, at);
};

const TOOL = union({
  toolSpec: object({ name: NAME, inputSchema: object({ json: record() }) }, { description: filled, strict: boolean }),
  cachePoint: CACHE_POINT,
});

const BODY = object(
  { messages: list(MESSAGE, { min: 1 }) },
  {
    system: list(union({ text: filled, cachePoint: CACHE_POINT }), { min: 1 }),
    inferenceConfig: object(
      {},
      {
        maxTokens: integer({ min: 1 }),
        temperature: number({ min: 0, max: 1 }),
        topP: number({ min: 0, max: 1 }),
        stopSequences: list(filled),
      },
    ),
    toolConfig: object(
      { tools: list(TOOL, { min: 1 }) },
      { toolChoice: union({ auto: NOTHING, any: NOTHING, tool: object({ name: NAME }) }) },
    ),
    guardrailConfig: object(
      { guardrailIdentifier: filled, guardrailVersion: filled },
      { trace: string, streamProcessingMode: string },
    ),
    additionalModelRequestFields: record(),
    additionalModelResponseFieldPaths: list(matching(/^\//)),
    requestMetadata: record(string),
    performanceConfig: object({ latency: oneOf("standard", "optimized") }),
    serviceTier: record(),
  },
);

/** What Converse refuses in a request. */
export function inspectBedrock(body: Json, asked: Asked): readonly string[] {
  const messages = objectsOf(body["messages"]);
  return [
    ...signatureTroubles(asked),
    ...(textOf(asked.headers["content-type"]).startsWith("application/json") ? [] : ["the content type must be JSON"]),
    ...BODY(body, "body"),
    ...turnsOf(messages, "user", "messages"),
    ...(messages.at(-1)?.["role"] === "assistant" ? ["messages: the last one is of the assistant"] : []),
    ...callTroubles(messages),
    ...messages.flatMap(orderTroubles),
    ...toolTroubles(body, messages),
    ...cacheTroubles(body, messages),
  ];
}

const fieldsOf = (message: Json | undefined, key: string): readonly Json[] =>
  objectsOf(message?.["content"]).flatMap((block) => (isObject(block[key]) ? [block[key]] : []));

const idsOf = (message: Json | undefined, key: string): readonly string[] =>
  fieldsOf(message, key).map(({ toolUseId }) => textOf(toolUseId));

/** Each use is answered once, in the message right behind it, and nothing else is. */
function callTroubles(messages: readonly Json[]): readonly string[] {
  return [
    ...repeated(messages.flatMap((message) => idsOf(message, "toolUse"))).map(
      (id) => `the id ${id} is there more than once`,
    ),
    ...messages.flatMap((message, index) => {
      const due = idsOf(messages[index - 1], "toolUse");
      const came = idsOf(message, "toolResult");
      const at = `messages[${index}]`;
      return [
        ...due.filter((id) => !came.includes(id)).map((id) => `${at}: a toolResult for ${id} is expected`),
        ...came.filter((id) => !due.includes(id)).map((id) => `${at}: answers ${id}, which was not called`),
        ...repeated(came).map((id) => `${at}: answers ${id} more than once`),
      ];
    }),
    ...idsOf(messages.at(-1), "toolUse").map((id) => `the request leaves while ${id} has no answer`),
  ];
}

function orderTroubles(message: Json, index: number): readonly string[] {
  const keys = objectsOf(message["content"]).map((block) => Object.keys(block)[0] ?? "");
  const images = keys.filter((key) => key === "image").length;
  return brokenRules(
    [images > 20, `messages[${index}]: more than 20 images`],
    [keys.at(-1) === "reasoningContent", `messages[${index}]: the last block cannot be reasoning`],
    [keys[0] === "cachePoint", `messages[${index}]: a cache point stands behind nothing`],
  );
}

function toolTroubles({ toolConfig }: Json, messages: readonly Json[]): readonly string[] {
  const tools = isObject(toolConfig) ? objectsOf(toolConfig["tools"]) : [];
  const names = tools.flatMap(({ toolSpec }) => (isObject(toolSpec) ? [textOf(toolSpec["name"])] : []));
  const choice =
    isObject(toolConfig) && isObject(toolConfig["toolChoice"]) ? toolConfig["toolChoice"]["tool"] : undefined;
  const forced = isObject(choice) ? textOf(choice["name"]) : undefined;
  const used = messages.some((message) => [...idsOf(message, "toolUse"), ...idsOf(message, "toolResult")].length > 0);
  return [
    ...repeated(names).map((name) => `two tools have the name ${name}`),
    ...brokenRules(
      [used && toolConfig === undefined, "toolConfig must be there when toolUse and toolResult blocks are"],
      [forced !== undefined && !names.includes(forced), `the tool ${forced} is to be called and is not there`],
    ),
  ];
}

function cacheTroubles({ toolConfig, system }: Json, messages: readonly Json[]): readonly string[] {
  const blocks = [
    ...(isObject(toolConfig) ? objectsOf(toolConfig["tools"]) : []),
    ...objectsOf(system),
    ...messages.flatMap(({ content }) => objectsOf(content)),
  ];
  const points = blocks.flatMap(({ cachePoint }) => (isObject(cachePoint) ? [cachePoint["ttl"] ?? "5m"] : []));
  const short = points.indexOf("5m");
  return brokenRules(
    [points.length > 4, `${points.length} cache points, at most 4 may be`],
    [short >= 0 && points.lastIndexOf("1h") > short, "a cache point of an hour stands behind one of five minutes"],
  );
}

/** Where cache points stand is no part of what is cached. */
export function bedrockHead({ toolConfig, system, messages }: Json): CachedHead {
  const real = (blocks: unknown): readonly Json[] =>
    objectsOf(blocks).filter((block) => block["cachePoint"] === undefined);
  return {
    opening: [...real(isObject(toolConfig) ? toolConfig["tools"] : []), ...real(system)].map((block) =>
      JSON.stringify(block),
    ),
    said: objectsOf(messages).flatMap(({ role, content }) =>
      real(content).map((block) => ({
        role: block["toolResult"] !== undefined ? "result" : role === "assistant" ? "assistant" : "user",
        text: JSON.stringify(block),
        isText: block["text"] !== undefined,
      })),
    ),
  };
}
