import { expect, test } from "vitest";
import { anthropicWire } from "./anthropic-wire.ts";
import { bedrockWire } from "./bedrock-wire.ts";
import { geminiWire } from "./gemini-wire.ts";
import { HeadWatch } from "./head-watch.ts";
import { responsesWire } from "./responses-wire.ts";
import type { Json } from "./shape.ts";
import { seal } from "./seal.ts";
import type { Wire } from "./wire.ts";

/** A legal conversation, and what makes it illegal: other top-level fields, and the sentence that says so. */
interface Law {
  readonly wire: Wire;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly legal: Json;
  readonly illegal: readonly (readonly [change: Json, why: RegExp])[];
}

const JSON_TYPE = { "content-type": "application/json" };
const PNG = "iVBORw0KGgo=";
const SCHEMA = { type: "object", properties: { path: { type: "string" } } };

const user = (...content: readonly Json[]): Json => ({ role: "user", content });
const assistant = (...content: readonly Json[]): Json => ({ role: "assistant", content });
const text = (words: string): Json => ({ type: "text", text: words });
const use = (id: string, more: Json = {}): Json => ({ type: "tool_use", id, name: "ls", input: {}, ...more });
const result = (id: string): Json => ({ type: "tool_result", tool_use_id: id, content: "x" });
const thinking = (words: string, signature = seal("anthropic_messages", words)): Json => ({
  type: "thinking",
  thinking: words,
  signature,
});
const mark = { cache_control: { type: "ephemeral" } };
const hour = { cache_control: { type: "ephemeral", ttl: "1h" } };
const image = (media_type: string): Json => ({ type: "image", source: { type: "base64", media_type, data: PNG } });
const tool = (name: string): Json => ({ name, input_schema: SCHEMA });
const messages = (...list: readonly Json[]): Json => ({ messages: list });
const hi = user(text("hi"));

const ANTHROPIC: Law = {
  wire: anthropicWire,
  path: "/v1/messages",
  headers: { ...JSON_TYPE, "anthropic-version": "2023-06-01" },
  legal: {
    model: "m",
    max_tokens: 2000,
    system: [{ ...text("s"), ...hour }],
    tools: [{ ...tool("ls"), ...hour }],
    thinking: { type: "enabled", budget_tokens: 1024 },
    messages: [
      user(text("hi"), image("image/png")),
      assistant(thinking("hm"), text("a"), use("c1"), use("c2")),
      user(result("c2"), result("c1"), { ...text("b"), ...mark }),
    ],
  },
  illegal: [
    [{ max_tokens: undefined }, /max_tokens/],
    [{ n: 1 }, /body.n: nobody knows/],
    [messages(assistant(text("a")), hi), /must begin with the user/],
    [messages(hi, hi), /two messages of the user/],
    [messages(hi, assistant(text("a"))), /last one is of the assistant/],
    [messages(user(text(" "))), /text that is not empty/],
    [messages(user()), /1 to Infinity items/],
    [messages({ role: "system", content: "s" }, hi), /role: must be one of/],
    [messages(hi, assistant(use("")), user(result(""))), /must match/],
    [messages(hi, assistant(use("c.1")), user(result("c.1"))), /must match/],
    [messages(hi, assistant(use("c", { input: "{}" })), user(result("c"))), /must be an object/],
    [messages(hi, assistant(use("c"), use("c")), user(result("c"))), /c is there more than once/],
    [messages(hi, assistant(use("c")), hi), /c is not answered/],
    [messages(hi, assistant(use("c")), user(result("c"), result("c"))), /answers c more than once/],
    [messages(hi, assistant(use("c")), user(result("c"), result("d"))), /answers d, which was not called/],
    [messages(hi, assistant(use("c")), user(text("a"), result("c"))), /must stand before all else/],
    [messages(hi, assistant(thinking("a", seal("anthropic_messages", "b")), text("a")), hi), /was changed/],
    [messages(hi, assistant(thinking("a", seal("gemini", "a")), text("a")), hi), /somebody else/],
    [messages(hi, assistant(thinking("a", "")), hi), /no seal/],
    [messages(hi, assistant(text("a"), thinking("a")), hi), /last block of an assistant cannot be thinking/],
    [messages(hi, assistant(use("c")), user(result("c"))), /must begin with thinking, not tool_use/],
    [messages(user({ ...thinking("a"), ...mark })), /type: must be one of/],
    [messages(user(image("image/bmp"))), /media_type: must be one of/],
    [messages(user({ type: "image", source: { type: "url", url: "file:///a" } })), /must match/],
    [{ tools: undefined }, /must define tools/],
    [{ tools: [tool("a"), tool("a")] }, /two tools have the name a/],
    [{ tools: [tool("a b")] }, /name: must match/],
    [{ tools: [{ name: "a" }] }, /input_schema: is required/],
    [{ tools: [{ name: "a", input_schema: { type: "string" } }] }, /type: must be object/],
    [{ tools: [{ name: "a", input_schema: { type: "object", anyOf: [] } }] }, /anyOf: must not stand here/],
    [{ tool_choice: { type: "any" } }, /forces a call/],
    [{ tool_choice: { type: "tool", name: "rm" } }, /rm is to be called/],
    [{ ...messages(hi), tools: [], tool_choice: { type: "auto" } }, /only stand beside tools/],
    [{ thinking: { type: "enabled", budget_tokens: 2000 } }, /more than thinking.budget_tokens/],
    [{ temperature: 0.5 }, /temperature cannot be set/],
    [{ system: "" }, /not empty/],
    [{ system: ["a", "b", "c"].map((words) => ({ ...text(words), ...mark })) }, /5 blocks carry a cache marker/],
    [{ system: [{ ...text("s"), ...mark }], ...messages(user({ ...text("a"), ...hour })) }, /hour stands behind/],
  ],
};

const toolUse = (toolUseId: string): Json => ({ toolUse: { toolUseId, name: "ls", input: {} } });
const toolResult = (toolUseId: string, content: readonly Json[] = [{ text: "x" }]): Json => ({
  toolResult: { toolUseId, content, status: "success" },
});
const point = { cachePoint: { type: "default" } };
const words = { text: "hi" };
const toolSpec = (name: string): Json => ({ toolSpec: { name, description: "d", inputSchema: { json: SCHEMA } } });

const BEDROCK: Law = {
  wire: bedrockWire,
  path: "/model/m/converse-stream",
  headers: { ...JSON_TYPE, authorization: "Bearer k" },
  legal: {
    system: [{ text: "s" }, point],
    toolConfig: { tools: [toolSpec("ls"), point] },
    inferenceConfig: { maxTokens: 100 },
    messages: [
      user(words, { image: { format: "png", source: { bytes: PNG } } }),
      assistant(
        { reasoningContent: { reasoningText: { text: "hm", signature: seal("bedrock_converse", "hm") } } },
        toolUse("c1"),
      ),
      user(toolResult("c1"), words, point),
    ],
  },
  illegal: [
    [{ messages: undefined }, /messages/],
    [{ stream: true }, /body.stream: nobody knows/],
    [messages(assistant(words), user(words)), /must begin with the user/],
    [messages(user(words), user(words)), /two messages of the user/],
    [messages(user(words), assistant(words)), /last one is of the assistant/],
    [messages(user({ text: "" })), /not empty/],
    [messages(user()), /1 to Infinity items/],
    [messages(user({ ...words, cachePoint: { type: "default" } })), /exactly one of/],
    [messages(user(words), assistant(toolUse("a:b")), user(toolResult("a:b"))), /must match/],
    [messages(user(words), assistant(toolUse("c")), user(words)), /a toolResult for c is expected/],
    [messages(user(words), assistant(toolUse("c")), user(toolResult("c"), toolResult("c"))), /c more than once/],
    [messages(user(words), assistant(toolUse("c")), user(toolResult("c", []))), /1 to Infinity items/],
    [messages(user(words), assistant(toolUse("c")), user(toolResult("c", [{ text: " " }]))), /not empty/],
    [messages(user({ image: { format: "jpg", source: { bytes: PNG } } })), /format: must be one of/],
    [messages(user(point, words)), /stands behind nothing/],
    [
      messages(
        user(words),
        assistant(
          { reasoningContent: { reasoningText: { text: "a", signature: seal("bedrock_converse", "b") } } },
          words,
        ),
        user(words),
      ),
      /was changed/,
    ],
    [{ toolConfig: undefined }, /toolConfig must be there/],
    [{ toolConfig: { tools: [] } }, /1 to Infinity items/],
    [{ toolConfig: { tools: [toolSpec("a"), toolSpec("a")] } }, /two tools have the name a/],
    [{ toolConfig: { tools: [toolSpec("a")], toolChoice: { tool: { name: "b" } } } }, /b is to be called/],
    [{ system: [words, point, words, point, words, point] }, /5 cache points/],
  ],
};

const said = (role: string, ...parts: readonly Json[]): Json => ({ role, parts });
const call = (name: string, more: Json = {}): Json => ({ functionCall: { name, args: {} }, ...more });
const answer = (name: string, more: Json = {}): Json => ({ functionResponse: { name, response: {}, ...more } });
const contents = (...list: readonly Json[]): Json => ({ contents: list });
const sealed = { thoughtSignature: seal("gemini", "ls") };
const declared = (parameters: Json): Json => ({ tools: [{ functionDeclarations: [{ name: "ls", parameters }] }] });
const asked = said("user", words);

const GEMINI: Law = {
  wire: geminiWire,
  path: "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
  headers: JSON_TYPE,
  legal: {
    systemInstruction: { parts: [{ text: "s" }] },
    ...declared(SCHEMA),
    generationConfig: { maxOutputTokens: 10, thinkingConfig: { includeThoughts: true } },
    contents: [
      said("user", words, { inlineData: { mimeType: "image/png", data: PNG } }),
      said("model", { text: "hm", thought: true }, call("ls", sealed), call("ls")),
      said("user", answer("ls"), answer("ls")),
    ],
  },
  illegal: [
    [{ contents: undefined }, /contents/],
    [{ messages: [] }, /nobody knows/],
    [contents(said("assistant", words)), /role: must be one of/],
    [contents(said("model", words), asked), /must begin with the user/],
    [contents(asked, asked), /two messages of the user/],
    [contents(asked, said("model", words)), /last one is of the model/],
    [contents(said("user")), /1 to Infinity items/],
    [contents(said("user", { text: "" })), /text is empty/],
    [contents(said("user", { ...words, ...call("ls") })), /exactly one of/],
    [contents(said("user", { inlineData: { mimeType: "image/gif", data: PNG } })), /mimeType: must be one of/],
    [contents(asked, said("model", call("ls", sealed)), asked), /0 responses stand behind 1 calls/],
    [contents(asked, said("model", call("ls", sealed)), said("user", answer("ls"), answer("ls"))), /2 responses/],
    [contents(asked, said("model", call("ls", sealed)), said("user", answer("rm"))), /rm answers ls/],
    [contents(asked, said("model", call("ls", sealed)), said("user", answer("ls"), words)), /a text stands among/],
    [contents(asked, said("model", call("ls", sealed)), said("user", answer("ls", { id: "x" }))), /has the id x/],
    [contents(asked, said("model", call("ls")), said("user", answer("ls"))), /no thought signature/],
    [contents(asked, said("model", call("rm", sealed)), said("user", answer("rm"))), /was changed/],
    [
      contents(
        asked,
        said("model", call("ls", { thoughtSignature: seal("bedrock_converse", "ls") })),
        said("user", answer("ls")),
      ),
      /somebody else/,
    ],
    [declared({ ...SCHEMA, additionalProperties: false }), /additionalProperties: nobody knows/],
    [declared({ type: "object", properties: {} }), /properties: must not be empty/],
    [declared({ type: ["object", "null"] }), /type: must be one of/],
    [declared({ ...SCHEMA, required: ["b"] }), /not defined/],
    [declared({ type: "object", properties: { a: { type: "array" } } }), /items: is required/],
    [declared({ type: "object", properties: { a: { type: "string", format: "uri" } } }), /format: only/],
    [declared({ type: "object", properties: { a: { $ref: "#/b" } } }), /\$ref: nobody knows/],
    [{ tools: undefined, toolConfig: { functionCallingConfig: { mode: "NONE" } } }, /only stand beside functions/],
    [{ toolConfig: { functionCallingConfig: { mode: "AUTO", allowedFunctionNames: ["ls"] } } }, /needs the mode ANY/],
    [{ generationConfig: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: "low" } } }, /exclude each other/],
    [{ systemInstruction: { parts: [] } }, /1 to Infinity items/],
  ],
};

const itemText = { role: "user", content: "hi" };
const reasoning = (summary: string, more: Json = {}): Json => ({
  type: "reasoning",
  summary: [{ type: "summary_text", text: summary }],
  encrypted_content: seal("codex_responses", summary),
  ...more,
});
const calling = (call_id: string, more: Json = {}): Json => ({
  type: "function_call",
  call_id,
  name: "ls",
  arguments: "{}",
  ...more,
});
const output = (call_id: string): Json => ({ type: "function_call_output", call_id, output: "x" });
const input = (...items: readonly Json[]): Json => ({ input: items });
const fn = (more: Json = {}): Json => ({ type: "function", name: "ls", parameters: SCHEMA, strict: false, ...more });
const picture = (image_url: string): Json => ({ role: "user", content: [{ type: "input_image", image_url }] });

const RESPONSES: Law = {
  wire: responsesWire,
  path: "/v1/responses",
  headers: JSON_TYPE,
  legal: {
    model: "m",
    store: false,
    stream: true,
    include: ["reasoning.encrypted_content"],
    tools: [fn()],
    input: [
      { role: "user", content: [{ type: "input_text", text: "hi" }] },
      reasoning("hm"),
      { role: "assistant", content: [{ type: "output_text", text: "a" }] },
      calling("c1"),
      calling("c2"),
      output("c2"),
      output("c1"),
    ],
  },
  illegal: [
    [{ input: undefined }, /input/],
    [{ messages: [] }, /messages: nobody knows/],
    [input({ type: "tool" }), /type: must be one of/],
    [input({ role: "tool", content: "x" }), /role: must be one of/],
    [input({ role: "user", content: [{ type: "text", text: "x" }] }), /type: must be one of/],
    [
      input(itemText, { role: "assistant", content: [{ type: "input_text", text: "x" }] }, itemText),
      /type: must be one of/,
    ],
    [input({ role: "user", content: "" }), /not empty/],
    [input(itemText, { role: "assistant", content: "a" }), /last item is of the assistant/],
    [input(itemText, calling("c")), /no tool output is there for the call c/],
    [input(itemText, output("c")), /answers a call that is not open/],
    [input(itemText, calling("c"), output("c"), output("c")), /answered more than once/],
    [input(itemText, calling("c"), calling("c"), output("c")), /c is there more than once/],
    [input(itemText, calling("c"), itemText, output("c")), /user speaks while calls are open/],
    [input(itemText, calling("c", { arguments: {} }), output("c")), /arguments: must be a text/],
    [input(itemText, calling("c", { id: "call_1" }), output("c")), /id: must match/],
    [input(itemText, calling("c", { name: "a b" }), output("c")), /name: must match/],
    [input(itemText, reasoning("a"), itemText), /without its following item/],
    [input(itemText, reasoning("a", { summary: [] }), calling("c"), output("c")), /was changed/],
    [
      input(itemText, reasoning("a", { encrypted_content: undefined, id: "rs_1" }), calling("c"), output("c")),
      /not stored/,
    ],
    [
      input(itemText, reasoning("a", { content: [{ type: "reasoning_text", text: "a" }] }), calling("c"), output("c")),
      /0 to 0 items/,
    ],
    [input(picture("data:image/bmp;base64,AA==")), /must match/],
    [{ previous_response_id: "resp_1" }, /previous_response_id/],
    [{ tools: [{ type: "function", function: fn() }] }, /function: nobody knows/],
    [{ tools: [fn(), fn()] }, /two tools have the name ls/],
    [{ tools: [fn({ strict: true })] }, /strict needs/],
    [{ ...input(itemText), tools: [], tool_choice: "required" }, /tool_choice needs tools/],
    [{ tool_choice: { type: "function", name: "rm" } }, /rm is to be called/],
    [{ max_output_tokens: 5 }, /max_output_tokens/],
    [{ max_tokens: 5 }, /nobody knows/],
  ],
};

/** As it would come over a wire: what is undefined is not there. */
const inspect = ({ wire, path, headers }: Law, body: Json): readonly string[] => {
  const bytes = Buffer.from(JSON.stringify(body));
  return wire.inspect(JSON.parse(bytes.toString()) as Json, { path, headers, bytes });
};

for (const law of [ANTHROPIC, BEDROCK, GEMINI, RESPONSES]) {
  test(`[C2] the police of ${law.wire.mode} lets a legal request pass`, () => {
    expect(inspect(law, law.legal)).toEqual([]);
  });

  const cases = law.illegal.map(([change, why]) => ({ why, change }));
  test.for(cases)(`[C2] the police of ${law.wire.mode} says $why`, ({ change, why }) => {
    expect(inspect(law, { ...law.legal, ...change }).join("\n")).toMatch(why);
  });
}

test("[C2] the police of the ChatGPT backend takes less than that of the API", () => {
  const backend = { ...RESPONSES, path: "/backend-api/codex/responses" };
  expect(inspect(backend, { ...RESPONSES.legal, instructions: "s" })).toEqual([]);
  const found = inspect(backend, { ...RESPONSES.legal, store: true, max_output_tokens: 100 });
  expect(found).toEqual([
    "store must be false",
    "instructions are required",
    "unsupported parameter: max_output_tokens",
  ]);
});

test("[C2] a request to Bedrock without a signature, or with one for other bytes, is refused", () => {
  expect(inspect({ ...BEDROCK, headers: JSON_TYPE }, BEDROCK.legal)).toEqual([
    "the request is not signed, and carries no bearer token",
  ]);
  const authorization = `AWS4-HMAC-SHA256 Credential=AKIDFAKE/20260101/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=${"0".repeat(64)}`;
  const found = inspect(
    { ...BEDROCK, headers: { ...JSON_TYPE, authorization, "x-amz-date": "20260101T000000Z" } },
    BEDROCK.legal,
  );
  expect(found).toEqual(["the signature leaves out x-amz-date", "the signature does not match"]);
});

test("[C13] a head that changed is seen in each dialect, and what was said in private may go", () => {
  for (const { wire, legal } of [ANTHROPIC, BEDROCK, GEMINI, RESPONSES]) {
    const shorter = Object.fromEntries(
      Object.entries(legal).map(([key, value]) => [
        key,
        Array.isArray(value) && ["messages", "contents", "input"].includes(key) ? value.slice(0, 1) : value,
      ]),
    );
    const grown = wire.head(legal);
    const watch = new HeadWatch();
    expect(watch.check(wire.head(shorter), false)).toBeUndefined();
    const note = { role: "user", text: "a note", isText: true } as const;
    expect(watch.check({ ...grown, said: [...grown.said, note] }, false)).toBeUndefined();
    expect(watch.check(grown, false)).toBeUndefined();
    const changed = { ...grown, said: grown.said.with(1, { ...note, role: "assistant" }) };
    expect(watch.check(changed, false)).toMatch(/the head changed at block/);
    expect(watch.check({ ...grown, opening: ["other"] }, true)).toBeUndefined();
  }
});
