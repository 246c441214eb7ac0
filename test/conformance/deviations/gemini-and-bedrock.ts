import { isObject, type Json, type JsonObject } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

/** Rules of docs/decisions/0028-gemini-and-bedrock-as-asked.md. */
const spec = "docs/decisions/0028-gemini-and-bedrock-as-asked.md";

const objectIn = (value: Json | undefined): JsonObject => (value !== undefined && isObject(value) ? value : {});
const listIn = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly Json[]).filter(isObject) : [];

const requestIn = (expect: Json): JsonObject => objectIn(objectIn(expect)["request"]);

/** Only what somebody asked for: the longest reply. */
const limits = (input: Json, name: string): JsonObject => {
  const asked = objectIn(input)["max_tokens"];
  return typeof asked === "number" ? { [name]: asked } : {};
};

/** Neighbours of one role in one content. */
const merged = (contents: readonly JsonObject[]): readonly JsonObject[] =>
  contents.reduce<JsonObject[]>((all, content) => {
    const last = all.at(-1);
    if (last?.["role"] !== content["role"]) return [...all, content];
    return [...all.slice(0, -1), { ...last, parts: [...listIn(last?.["parts"]), ...listIn(content["parts"])] }];
  }, []);

/** Where the prompt, tools and history of Claude are marked. */
const POINT = { cachePoint: { type: "default" } };
const withPoint = (blocks: Json | undefined): readonly Json[] => [...listIn(blocks), POINT];

const isMarked = (input: Json): boolean =>
  /claude-(?:3-7-sonnet|sonnet-|opus-|haiku-)/.test(JSON.stringify(objectIn(input)["model"]));

function bedrockRequest(input: Json, expect: Json): Json {
  const { inferenceConfig: _limits, messages, system, toolConfig, ...rest } = requestIn(expect);
  const mark = isMarked(input) ? withPoint : listIn;
  const config = limits(input, "maxTokens");
  const tools = { tools: mark(objectIn(toolConfig)["tools"]) };
  return {
    request: {
      ...rest,
      messages: listIn(messages).map((message, at, all) =>
        at === all.length - 1 ? { ...message, content: mark(message["content"]) } : message,
      ),
      ...(system !== undefined && { system: mark(system) }),
      ...(toolConfig !== undefined && { toolConfig: tools }),
      ...(Object.keys(config).length > 0 && { inferenceConfig: config }),
    },
  };
}

export const GEMINI_AND_BEDROCK_DEVIATIONS: readonly Deviation[] = [
  {
    area: "gemini_request",
    applies: (_input, expect) => requestIn(expect)["generationConfig"] !== undefined,
    ours: (input, expect) => {
      const { generationConfig: _config, toolConfig: _choice, contents, ...rest } = requestIn(expect);
      const config = limits(input, "maxOutputTokens");
      const asked = Object.keys(config).length > 0 && { generationConfig: config };
      return { request: { ...rest, contents: merged(listIn(contents)), ...asked } };
    },
    reason:
      "what nobody asked for is left to the server (longest reply, sampling, choice of tools), and the answers to the calls of one message stand in one content",
    spec,
  },
  {
    area: "bedrock_request",
    applies: (_input, expect) => requestIn(expect)["inferenceConfig"] !== undefined,
    ours: bedrockRequest,
    reason:
      "what nobody asked for is left to the server (longest reply), and what Claude is sent is marked for its cache",
    spec,
  },
  {
    area: "bedrock_messages",
    applies: (_input, expect) => listIn(objectIn(expect)["messages"]).at(-1)?.["role"] === "user",
    ours: (_input, expect) => ({
      ...objectIn(expect),
      messages: listIn(objectIn(expect)["messages"]).filter(({ content }) => listIn(content)[0]?.["text"] !== " "),
    }),
    reason: "no request of ours ends with the assistant, and a blank text is refused by the API",
    spec,
  },
];
