import type {
  ContentBlock,
  ConverseRequest,
  Message,
  Tool,
  ToolResultContentBlock,
} from "@aws-sdk/client-bedrock-runtime";
import { seal } from "../seal.ts";
import { CODE, LONG, MANY, PHOTO, PNG, PROMPT, RICH, type TalkName, TOOL_PROMPT, UNICODE } from "../talks.ts";

type Document = NonNullable<ConverseRequest["additionalModelRequestFields"]>;

const user = (...content: ContentBlock[]): Message => ({ role: "user", content });
const assistant = (...content: ContentBlock[]): Message => ({ role: "assistant", content });
const text = (words: string): ContentBlock.TextMember => ({ text: words });
const use = (toolUseId: string, input: Document = { path: toolUseId }, name = "ls"): ContentBlock => ({
  toolUse: { toolUseId, name, input },
});
const told = (toolUseId: string, status: "success" | "error", ...content: ToolResultContentBlock[]): ContentBlock => ({
  toolResult: { toolUseId, content, status },
});
const result = (toolUseId: string, words: string): ContentBlock => told(toolUseId, "success", { text: words });
const thinking = (words: string): ContentBlock => ({
  reasoningContent: { reasoningText: { text: words, signature: seal("bedrock_converse", words) } },
});
const bytes = Buffer.from(PNG, "base64");
const inside = { image: { format: "png", source: { bytes } } } satisfies ContentBlock;
const tool = (name: string, description: string, json: Document): Tool => ({
  toolSpec: { name, description, inputSchema: { json } },
});
const ls = (name: string): Tool =>
  tool(name, "Lists a folder.", { type: "object", properties: { path: { type: "string" } } });
const rich = tool(RICH.name, RICH.description, {
  type: "object",
  properties: {
    words: { type: "array", items: { type: "string" }, description: "At least one." },
    order: { type: "string", enum: ["newest", "oldest"] },
    within: {
      type: "object",
      properties: { days: { type: "integer" }, exact: { type: "boolean" } },
      required: ["days"],
    },
  },
  required: ["words"],
});

const hi = user(text("hi"));
const next = user(text("and then?"));
const plain = (...messages: Message[]): ConverseRequest => ({ modelId: "us.anthropic.claude-fake-v1:0", messages });
const prompted = (prompt: string, ...messages: Message[]): ConverseRequest => ({
  ...plain(...messages),
  system: [{ text: prompt }],
});
const withSpecs = (tools: Tool[], ...messages: Message[]): ConverseRequest => ({
  ...prompted(TOOL_PROMPT, hi, ...messages),
  toolConfig: { tools },
});
const withTools = (...messages: Message[]): ConverseRequest => withSpecs([ls("ls")], ...messages);
const five = ["c1", "c2", "c3", "c4", "c5"];

/** The same talks, written by hand in the official client's own types. */
export const BEDROCK: Readonly<Record<TalkName, ConverseRequest>> = {
  hello: plain(hi),
  "system prompt": prompted(PROMPT, hi),
  "long system prompt": prompted(`${LONG}\n\n${UNICODE}`, hi),
  "two questions": prompted(PROMPT, hi, assistant(text("Hello.")), next),
  "five questions": plain(hi, ...["1", "2", "3", "4"].flatMap((words) => [assistant(text(words)), next])),
  unicode: prompted(UNICODE, user(text(UNICODE)), assistant(text(UNICODE)), user(text(UNICODE))),
  "long text": plain(user(text(LONG)), assistant(text(LONG)), next),
  code: plain(user(text(CODE)), assistant(text(CODE)), next),
  "tools offered": withTools(),
  "tools and no prompt": {
    ...withTools(),
    system: [{ text: TOOL_PROMPT.slice(PROMPT.length).trim() }],
  },
  "many tools": withSpecs(MANY.map(({ name }) => ls(name))),
  "rich schema": withSpecs([rich]),
  "one call": withTools(assistant(use("c1")), user(result("c1", "a.txt"))),
  "a call behind a text": withTools(assistant(text("I look."), use("c1")), user(result("c1", "a.txt"))),
  "two calls at once": withTools(assistant(use("c1"), use("c2")), user(result("c1", "a"), result("c2", "b"))),
  "five calls at once": withTools(assistant(...five.map((id) => use(id))), user(...five.map((id) => result(id, id)))),
  "calls in rounds": withTools(
    ...["a", "b", "c"].flatMap((words, at) => [assistant(use(`c${at + 1}`)), user(result(`c${at + 1}`, words))]),
  ),
  "an answer behind a call": withTools(assistant(use("c1")), user(result("c1", "a")), assistant(text("Done.")), next),
  "a question behind a result": withTools(assistant(use("c1")), user(result("c1", "a"), text("and then?"))),
  "a failed call": withTools(assistant(use("c1")), user(told("c1", "error", { text: "no such folder" }))),
  "a denied and a good call": withTools(
    assistant(use("c1"), use("c2")),
    user(told("c1", "error", { text: "not allowed" }), result("c2", "b")),
  ),
  "a long result": withTools(assistant(use("c1")), user(result("c1", LONG))),
  "a result in all letters": withTools(assistant(use("c1")), user(result("c1", UNICODE))),
  "an empty result": withTools(assistant(use("c1")), user(result("c1", "(no output)"))),
  "a call with nested input": withSpecs(
    [rich],
    assistant(use("c1", { words: ["ä", '"b"', "𝄞"], within: { days: 3, exact: true }, order: "oldest" }, RICH.name)),
    user(result("c1", "none")),
  ),
  "a call without input": withTools(assistant(use("c1", {})), user(result("c1", "a"))),
  reasoning: prompted(PROMPT, hi, assistant(thinking("Let me think."), text("Hello.")), next),
  "reasoning before a call": withTools(assistant(thinking("I look."), use("c1")), user(result("c1", "a"))),
  "reasoning, text and a call": withTools(
    assistant(thinking("Hm."), text("I look."), use("c1")),
    user(result("c1", "a")),
  ),
  "reasoning in rounds": withTools(
    assistant(thinking("First."), use("c1")),
    user(result("c1", "a")),
    assistant(thinking("Second."), use("c2")),
    user(result("c2", "b")),
  ),
  "hidden reasoning": withTools(
    assistant(
      { reasoningContent: { redactedContent: Buffer.from(seal("bedrock_converse", "secret"), "base64") } },
      use("c1"),
    ),
    user(result("c1", "a")),
  ),
  "a foreign answer": plain(hi, assistant(text("Hello from afar.")), next),
  "foreign reasoning": plain(hi, assistant(text("Hello from afar.")), next),
  "a foreign call": withTools(assistant(use("f1")), user(result("f1", "a"))),
  "a picture inside": plain(user(text("See:"), inside)),
  "a picture alone": plain(user(inside)),
  "two pictures": plain(user(inside, text("and"), inside)),
  "a picture from the web": plain(user(text("See:"), text(`[image: ${PHOTO}]`))),
  "a picture in a result": withTools(assistant(use("c1")), user(told("c1", "success", { text: "shot" }, inside))),
  "an output limit": { ...plain(hi), inferenceConfig: { maxTokens: 500 } },
  // The API has no word for it: the tool is told to be none.
  "tools forbidden": {
    ...prompted(TOOL_PROMPT, hi, assistant(use("c1")), user(result("c1", "a"))),
    toolConfig: { tools: [tool("ls", "It cannot be called now.", { type: "object", properties: {} })] },
  },
  "no stream": prompted(PROMPT, hi),
};
