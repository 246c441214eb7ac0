import type { Asked } from "../support/fake-server.ts";
import type { CachedHead } from "./head-watch.ts";
import { sealTrouble } from "./seal.ts";
import {
  also,
  anything,
  boolean,
  brokenRules,
  either,
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
  tagged,
  textOf,
} from "./shape.ts";

const NAME = matching(/^[\w-]{1,64}$/);
const CALL_ID = matching(/^\S{1,64}$/);
const STATUS = oneOf("in_progress", "completed", "incomplete");

/** An id tells the kind of its item. */
const id = (prefix: string): Shape => matching(new RegExp(`^${prefix}_\\w+$`));

const PICTURE = matching(/^(?:https?:\/\/\S+|data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*)$/);
const INPUT_TEXT = object({ type: oneOf("input_text"), text: filled });
const INPUT_IMAGE = object(
  { type: oneOf("input_image"), image_url: PICTURE },
  { detail: oneOf("auto", "low", "high", "original") },
);
const INPUT_FILE = object(
  { type: oneOf("input_file") },
  { filename: filled, file_data: filled, file_url: filled, file_id: filled },
);
const INPUTS = list(tagged("type", { input_text: INPUT_TEXT, input_image: INPUT_IMAGE, input_file: INPUT_FILE }), {
  min: 1,
});
const OUTPUTS = list(
  tagged("type", {
    output_text: object(
      { type: oneOf("output_text"), text: filled },
      { annotations: list(anything), logprobs: anything },
    ),
    refusal: object({ type: oneOf("refusal"), refusal: filled }),
  }),
  { min: 1 },
);

const message = (role: string, content: Shape, more: Readonly<Record<string, Shape>> = {}): Shape =>
  object({ role: oneOf(role), content: either(filled, content) }, { type: oneOf("message"), ...more });

const MESSAGE = tagged("role", {
  user: message("user", INPUTS),
  system: message("system", INPUTS),
  developer: message("developer", INPUTS),
  assistant: message("assistant", OUTPUTS, {
    id: id("msg"),
    status: STATUS,
    phase: oneOf("commentary", "final_answer"),
  }),
});

const ITEMS: Readonly<Record<string, Shape>> = {
  message: MESSAGE,
  function_call: object(
    { type: oneOf("function_call"), call_id: CALL_ID, name: NAME, arguments: string },
    { id: id("fc"), status: STATUS },
  ),
  function_call_output: object(
    { type: oneOf("function_call_output"), call_id: CALL_ID, output: either(filled, INPUTS) },
    { id: id("fc"), status: STATUS },
  ),
  reasoning: also(
    object(
      {
        type: oneOf("reasoning"),
        summary: list(object({ type: oneOf("summary_text"), text: string })),
      },
      {
        id: id("rs"),
        encrypted_content: filled,
        status: STATUS,
        // What was thought in plain words is not taken back.
        content: list(anything, { max: 0 }),
      },
    ),
    ({ summary, encrypted_content: sealed }, at) => {
      const text = objectsOf(summary)
        .map((part) => textOf(part["text"]))
        .join("");
      const trouble = sealTrouble("codex_responses", text, sealed);
      return trouble === undefined ? [] : [`${at}: the reasoning ${trouble}`];
    },
  ),
};

const ITEM: Shape = (value, at) =>
  isObject(value) && value["type"] === undefined ? MESSAGE(value, at) : tagged("type", ITEMS)(value, at);

const TOOL: Shape = also(
  object(
    { type: oneOf("function"), name: NAME, parameters: record() },
    { description: string, strict: oneOf(true, false, null) },
  ),
  (tool, at) => {
    const { type, ...schema } = isObject(tool["parameters"]) ? tool["parameters"] : {};
    const { strict } = tool;
    const properties = isObject(schema["properties"]) ? Object.keys(schema["properties"]) : [];
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    return brokenRules(
      [type !== "object", `${at}.parameters: must be an object schema`],
      [strict === true && schema["additionalProperties"] !== false, `${at}: strict needs additionalProperties: false`],
      [strict === true && properties.some((name) => !required.includes(name)), `${at}: strict needs all required`],
    );
  },
);

const BODY = object(
  { model: filled, input: either(filled, list(ITEM, { min: 1 })) },
  {
    instructions: filled,
    tools: list(TOOL),
    tool_choice: either(
      oneOf("auto", "none", "required"),
      object({ type: oneOf("function"), name: NAME }),
      object({ type: oneOf("allowed_tools"), mode: oneOf("auto", "required"), tools: list(record(), { min: 1 }) }),
    ),
    parallel_tool_calls: boolean,
    store: boolean,
    stream: boolean,
    include: list(oneOf("reasoning.encrypted_content", "message.output_text.logprobs")),
    reasoning: object(
      {},
      {
        effort: oneOf("none", "minimal", "low", "medium", "high", "xhigh", "max"),
        summary: oneOf("auto", "concise", "detailed", null),
      },
    ),
    text: object({}, { verbosity: oneOf("low", "medium", "high"), format: record() }),
    max_output_tokens: integer({ min: 16 }),
    temperature: number({ min: 0, max: 2 }),
    top_p: number({ min: 0, max: 1 }),
    truncation: oneOf("auto", "disabled"),
    metadata: record(string),
    service_tier: oneOf("auto", "default", "flex", "priority"),
    prompt_cache_key: filled,
    prompt_cache_retention: oneOf("in_memory", "24h"),
    safety_identifier: filled,
    previous_response_id: id("resp"),
  },
);

/** What the responses API refuses in a request. */
export function inspectResponses(body: Json, { path, headers }: Pick<Asked, "path" | "headers">): readonly string[] {
  const items = objectsOf(body["input"]);
  return [
    ...(textOf(headers["content-type"]).startsWith("application/json") ? [] : ["the content type must be JSON"]),
    ...BODY(body, "body"),
    ...callTroubles(items),
    ...items.flatMap((item, at) => followTroubles(item, items[at + 1], at)),
    ...storeTroubles(body, items),
    ...toolTroubles(body),
    ...endTroubles(items),
    ...(path.startsWith("/backend-api/") ? backendTroubles(body) : []),
  ];
}

const idsOf = (items: readonly Json[], type: string): readonly string[] =>
  items.filter((item) => item["type"] === type).map((item) => textOf(item["call_id"]));

/** Each call is answered once, behind it, and before anybody else speaks. */
function callTroubles(items: readonly Json[]): readonly string[] {
  const called = idsOf(items, "function_call");
  const answered = idsOf(items, "function_call_output");
  return [
    ...repeated(called).map((call) => `the call id ${call} is there more than once`),
    ...repeated(answered).map((call) => `the call ${call} is answered more than once`),
    ...called.filter((call) => !answered.includes(call)).map((call) => `no tool output is there for the call ${call}`),
    ...items.flatMap((item, at) => openTroubles(item, items.slice(0, at), at)),
  ];
}

function openTroubles(item: Json, before: readonly Json[], at: number): readonly string[] {
  const answered = idsOf(before, "function_call_output");
  const open = idsOf(before, "function_call").filter((call) => !answered.includes(call));
  if (item["type"] === "function_call_output")
    return open.includes(textOf(item["call_id"])) ? [] : [`input[${at}]: answers a call that is not open`];
  return item["role"] !== undefined && item["role"] !== "assistant" && open.length > 0
    ? [`input[${at}]: ${textOf(item["role"])} speaks while calls are open`]
    : [];
}

/** Reasoning is never without what it led to. */
function followTroubles(item: Json, next: Json | undefined, at: number): readonly string[] {
  if (item["type"] !== "reasoning") return [];
  const leads = ["reasoning", "function_call"].includes(textOf(next?.["type"])) || next?.["role"] === "assistant";
  return leads ? [] : [`input[${at}]: the reasoning is without its following item`];
}

/** What was not stored cannot be named. */
function storeTroubles({ store, previous_response_id: before }: Json, items: readonly Json[]): readonly string[] {
  const ids = items.flatMap((item) => (item["id"] === undefined ? [] : [textOf(item["id"])]));
  const lost = items.filter(
    ({ type, id: own, encrypted_content: sealed }) => type === "reasoning" && own !== undefined && sealed === undefined,
  );
  return [
    ...repeated(ids).map((each) => `the item id ${each} is there more than once`),
    ...brokenRules(
      [store === false && lost.length > 0, "an item is named that was not stored"],
      [store === false && before !== undefined, "previous_response_id names what was not stored"],
    ),
  ];
}

function toolTroubles({ tools, tool_choice: choice }: Json): readonly string[] {
  const names = objectsOf(tools).map(({ name }) => textOf(name));
  const forced = isObject(choice) && choice["type"] === "function" ? textOf(choice["name"]) : undefined;
  return [
    ...repeated(names).map((name) => `two tools have the name ${name}`),
    ...brokenRules(
      [choice !== undefined && choice !== "auto" && choice !== "none" && names.length === 0, "tool_choice needs tools"],
      [forced !== undefined && !names.includes(forced), `the tool ${forced} is to be called and is not there`],
    ),
  ];
}

function endTroubles(items: readonly Json[]): readonly string[] {
  const last = items.at(-1);
  return brokenRules(
    [last?.["role"] === "assistant", "input: the last item is of the assistant"],
    [last?.["role"] === "system" || last?.["role"] === "developer", "input: nobody has asked anything"],
  );
}

/** The backend of the ChatGPT plans takes less than the API. */
const backendTroubles = (body: Json): readonly string[] =>
  brokenRules(
    [body["store"] !== false, "store must be false"],
    [body["stream"] !== true, "stream must be true"],
    [body["instructions"] === undefined, "instructions are required"],
    ...["max_output_tokens", "temperature", "top_p", "metadata", "previous_response_id", "truncation"].map(
      (key): readonly [boolean, string] => [body[key] !== undefined, `unsupported parameter: ${key}`],
    ),
  );

export function responsesHead({ model, tools, instructions, input }: Json): CachedHead {
  const items = typeof input === "string" ? [{ role: "user", content: input }] : objectsOf(input);
  return {
    opening: [JSON.stringify(model), JSON.stringify(tools ?? null), JSON.stringify(instructions ?? null)],
    said: items.map((item: Json) => ({
      role: item["type"] === "function_call_output" ? "result" : item["role"] === "user" ? "user" : "assistant",
      text: JSON.stringify(item),
      isText: item["role"] !== undefined,
    })),
  };
}
