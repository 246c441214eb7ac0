import type { Asked } from "../support/fake-server.ts";
import type { CachedHead } from "./head-watch.ts";
import { sealTrouble } from "./seal.ts";
import {
  brokenRules,
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
  webAddress,
  isObject,
  type Json,
} from "./shape.ts";

const NAME = matching(/^[\w-]{1,128}$/);
const ID = matching(/^[\w-]+$/);
const CACHE = object({ type: oneOf("ephemeral") }, { ttl: oneOf("5m", "1h") });
const CACHED = { cache_control: CACHE };

const TEXT = object({ type: oneOf("text"), text: filled }, { ...CACHED, citations: anything });

const IMAGE = object(
  {
    type: oneOf("image"),
    source: tagged("type", {
      base64: object({
        type: oneOf("base64"),
        media_type: oneOf("image/jpeg", "image/png", "image/gif", "image/webp"),
        data: base64,
      }),
      url: object({ type: oneOf("url"), url: webAddress }),
    }),
  },
  CACHED,
);

const DOCUMENT = object(
  {
    type: oneOf("document"),
    source: tagged("type", {
      base64: object({ type: oneOf("base64"), media_type: oneOf("application/pdf"), data: base64 }),
      text: object({ type: oneOf("text"), media_type: oneOf("text/plain"), data: filled }),
      url: object({ type: oneOf("url"), url: webAddress }),
    }),
  },
  { ...CACHED, title: string, context: string, citations: anything },
);

const RESULT = object(
  { type: oneOf("tool_result"), tool_use_id: ID },
  {
    ...CACHED,
    content: either(string, list(tagged("type", { text: TEXT, image: IMAGE, document: DOCUMENT }))),
    is_error: boolean,
  },
);

const THINKING = also(object({ type: oneOf("thinking"), thinking: string, signature: string }), (block, at) => {
  const trouble = sealTrouble("anthropic_messages", textOf(block["thinking"]), block["signature"]);
  return trouble === undefined ? [] : [`${at}: the thinking ${trouble}`];
});

const REDACTED = also(object({ type: oneOf("redacted_thinking"), data: string }), ({ data }, at) => {
  const trouble = sealTrouble("anthropic_messages", undefined, data);
  return trouble === undefined ? [] : [`${at}: the redacted thinking ${trouble}`];
});

const USE = object({ type: oneOf("tool_use"), id: ID, name: NAME, input: record() }, CACHED);

const blocks = (kinds: Readonly<Record<string, Shape>>): Shape =>
  either(filled, list(tagged("type", kinds), { min: 1 }));

const MESSAGE = tagged("role", {
  user: object({
    role: oneOf("user"),
    content: blocks({ text: TEXT, image: IMAGE, document: DOCUMENT, tool_result: RESULT }),
  }),
  assistant: object({
    role: oneOf("assistant"),
    content: blocks({ text: TEXT, thinking: THINKING, redacted_thinking: REDACTED, tool_use: USE }),
  }),
});

const TOOL = object(
  {
    name: NAME,
    input_schema: also(record(), ({ type, ...schema }, at) => [
      ...(type === "object" ? [] : [`${at}.type: must be object`]),
      ...["oneOf", "anyOf", "allOf"].filter((key) => key in schema).map((key) => `${at}.${key}: must not stand here`),
    ]),
  },
  {
    ...CACHED,
    type: oneOf("custom"),
    description: string,
    strict: boolean,
    defer_loading: boolean,
    eager_input_streaming: boolean,
    input_examples: list(record()),
  },
);

const BODY = object(
  { model: filled, max_tokens: integer({ min: 1 }), messages: list(MESSAGE, { min: 1 }) },
  {
    ...CACHED,
    system: either(filled, list(TEXT, { min: 1 })),
    tools: list(TOOL),
    tool_choice: tagged("type", {
      auto: object({ type: oneOf("auto") }, { disable_parallel_tool_use: boolean }),
      any: object({ type: oneOf("any") }, { disable_parallel_tool_use: boolean }),
      tool: object({ type: oneOf("tool"), name: NAME }, { disable_parallel_tool_use: boolean }),
      none: object({ type: oneOf("none") }),
    }),
    thinking: tagged("type", {
      enabled: object(
        { type: oneOf("enabled"), budget_tokens: integer({ min: 1024 }) },
        { display: oneOf("summarized", "omitted") },
      ),
      adaptive: object({ type: oneOf("adaptive") }, { display: oneOf("summarized", "omitted") }),
      disabled: object({ type: oneOf("disabled") }),
    }),
    output_config: object({}, { effort: oneOf("low", "medium", "high", "xhigh", "max"), format: anything }),
    stream: boolean,
    temperature: number({ min: 0, max: 1 }),
    top_k: integer({ min: 0 }),
    top_p: number({ min: 0, max: 1 }),
    stop_sequences: list(filled),
    metadata: object({}, { user_id: string }),
    service_tier: oneOf("auto", "standard_only"),
    speed: oneOf("standard", "fast"),
    context_management: record(),
  },
);

/** What the messages API refuses in a request. */
export function inspectAnthropic(body: Json, { headers }: Pick<Asked, "headers">): readonly string[] {
  const messages = objectsOf(body["messages"]);
  return [
    ...headerTroubles(headers),
    ...BODY(body, "body"),
    ...turnsOf(messages, "user", "messages"),
    ...(messages.at(-1)?.["role"] === "assistant" ? ["messages: the last one is of the assistant"] : []),
    ...callTroubles(messages),
    ...messages.flatMap(orderTroubles),
    ...toolTroubles(body, messages),
    ...thinkingTroubles(body, messages),
    ...cacheTroubles(body),
  ];
}

const headerTroubles = (headers: Asked["headers"]): readonly string[] => [
  ...(/^\d{4}-\d\d-\d\d$/.test(textOf(headers["anthropic-version"]))
    ? []
    : ["the header anthropic-version is required"]),
  ...(textOf(headers["content-type"]).startsWith("application/json") ? [] : ["the content type must be JSON"]),
];

const blocksOf = (message: Json | undefined): readonly Json[] => objectsOf(message?.["content"]);

const idsOf = (message: Json | undefined, type: string, key: string): readonly string[] =>
  blocksOf(message)
    .filter((block) => block["type"] === type)
    .map((block) => textOf(block[key]));

/** Each call is answered once, in the message right behind it, and nothing else is. */
function callTroubles(messages: readonly Json[]): readonly string[] {
  const uses = messages.flatMap((message) => idsOf(message, "tool_use", "id"));
  return [
    ...repeated(uses).map((id) => `the call id ${id} is there more than once`),
    ...messages.flatMap((message, index) => {
      const due = idsOf(messages[index - 1], "tool_use", "id");
      const came = idsOf(message, "tool_result", "tool_use_id");
      const missing = due.filter((id) => !came.includes(id));
      return [
        ...missing.map((id) => `messages[${index}]: the call ${id} is not answered right behind it`),
        ...came
          .filter((id) => !due.includes(id))
          .map((id) => `messages[${index}]: answers ${id}, which was not called`),
        ...repeated(came).map((id) => `messages[${index}]: answers ${id} more than once`),
      ];
    }),
    ...idsOf(messages.at(-1), "tool_use", "id").map((id) => `the request leaves while ${id} has no answer`),
  ];
}

/** Results stand before everything else; thinking never ends a message. */
function orderTroubles(message: Json, index: number): readonly string[] {
  const types = blocksOf(message).map(({ type }) => type);
  const other = types.findIndex((type) => type !== "tool_result");
  return [
    ...(other >= 0 && types.lastIndexOf("tool_result") > other
      ? [`messages[${index}]: tool results must stand before all else`]
      : []),
    ...(message["role"] === "assistant" && textOf(types.at(-1)).endsWith("thinking")
      ? [`messages[${index}]: the last block of an assistant cannot be thinking`]
      : []),
  ];
}

function toolTroubles({ tools, tool_choice: choice }: Json, messages: readonly Json[]): readonly string[] {
  const names = objectsOf(tools).map(({ name }) => textOf(name));
  const used = messages.some((message) => blocksOf(message).some(({ type }) => type === "tool_use"));
  const forced = isObject(choice) && choice["type"] === "tool" ? textOf(choice["name"]) : undefined;
  return [
    ...repeated(names).map((name) => `two tools have the name ${name}`),
    ...(choice !== undefined && names.length === 0 ? ["tool_choice may only stand beside tools"] : []),
    ...(used && names.length === 0 ? ["a request with calls must define tools"] : []),
    ...(forced !== undefined && !names.includes(forced) ? [`the tool ${forced} is to be called and is not there`] : []),
  ];
}

function thinkingTroubles(body: Json, messages: readonly Json[]): readonly string[] {
  const { thinking, tool_choice: choice, max_tokens: limit, temperature, top_k: topK } = body;
  const type = isObject(thinking) ? thinking["type"] : undefined;
  if (!isObject(thinking) || (type !== "enabled" && type !== "adaptive")) return [];
  const last = messages.findLast(({ role }) => role === "assistant");
  const isEnabled = type === "enabled";
  const answers = idsOf(messages.at(-1), "tool_result", "tool_use_id").length > 0;
  const first = textOf(blocksOf(last)[0]?.["type"]);
  const forced = isObject(choice) && ["any", "tool"].includes(textOf(choice["type"]));
  return brokenRules(
    [forced, "thinking may not be on when tool_choice forces a call"],
    [temperature !== undefined && temperature !== 1, "temperature cannot be set while thinking is on"],
    [topK !== undefined, "top_k cannot be set while thinking is on"],
    [
      isEnabled && Number(thinking["budget_tokens"]) >= Number(limit),
      "max_tokens must be more than thinking.budget_tokens",
    ],
    [
      isEnabled && answers && !first.endsWith("thinking"),
      `with thinking on, the last assistant must begin with thinking, not ${first}`,
    ],
  );
}

/** All markers in the order in which the cache reads them: tools, system, messages. */
function cacheTroubles(body: Json): readonly string[] {
  const inMessages = objectsOf(body["messages"]).flatMap((message) =>
    blocksOf(message).flatMap((block) => [...objectsOf(block["content"]), block]),
  );
  const marks = [...objectsOf(body["tools"]), ...objectsOf(body["system"]), ...inMessages, body].flatMap(
    ({ cache_control: mark }) => (isObject(mark) ? [mark["ttl"] ?? "5m"] : []),
  );
  const short = marks.indexOf("5m");
  return [
    ...(marks.length > 4 ? [`${marks.length} blocks carry a cache marker, at most 4 may`] : []),
    ...(short >= 0 && marks.lastIndexOf("1h") > short ? ["a marker of an hour stands behind one of five minutes"] : []),
  ];
}

/** Where markers stand is no part of what is cached. */
export function anthropicHead(body: Json): CachedHead {
  const bare = ({ cache_control: _mark, ...block }: Json): string => JSON.stringify(block);
  const texts = (content: unknown): readonly Json[] =>
    typeof content === "string" ? [{ type: "text", text: content }] : objectsOf(content);
  return {
    opening: [
      JSON.stringify([body["model"], body["thinking"]]),
      ...objectsOf(body["tools"]).map(bare),
      ...texts(body["system"]).map(bare),
    ],
    said: objectsOf(body["messages"]).flatMap(({ role, content }) =>
      texts(content).map((block) => ({
        role: block["type"] === "tool_result" ? "result" : role === "assistant" ? "assistant" : "user",
        text: bare(block),
        isText: block["type"] === "text",
      })),
    ),
  };
}
