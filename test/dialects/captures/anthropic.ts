import type Anthropic from "@anthropic-ai/sdk";
import { seal } from "../seal.ts";
import { CODE, LONG, LS, MANY, PHOTO, PNG, PROMPT, RICH, type TalkName, TOOL_PROMPT, UNICODE } from "../talks.ts";

type Body = Anthropic.MessageCreateParams;
type Block = Anthropic.ContentBlockParam;
type Message = Anthropic.MessageParam;

const text = (words: string): Anthropic.TextBlockParam => ({ type: "text", text: words });
const user = (...content: Block[]): Message => ({ role: "user", content });
const assistant = (...content: Block[]): Message => ({ role: "assistant", content });
const use = (id: string, input: unknown = { path: id }, name = "ls"): Anthropic.ToolUseBlockParam => ({
  type: "tool_use",
  id,
  name,
  input,
});
const result = (
  tool_use_id: string,
  content: string,
  more: { is_error?: true } = {},
): Anthropic.ToolResultBlockParam => ({
  type: "tool_result",
  tool_use_id,
  content,
  ...more,
});
const thinking = (words: string): Anthropic.ThinkingBlockParam => ({
  type: "thinking",
  thinking: words,
  signature: seal("anthropic_messages", words),
});
const inside: Anthropic.ImageBlockParam = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: PNG },
};
const tool = ({ name, description, parameters }: typeof LS): Anthropic.Tool => ({
  name,
  description,
  input_schema: { ...parameters, type: "object" },
});

const common = { model: "claude-fake-1", max_tokens: 4096, stream: true } as const;
const hi = user(text("hi"));
const next = user(text("and then?"));
const plain = (...messages: Message[]): Body => ({ ...common, messages });
const prompted = (prompt: string, ...messages: Message[]): Body => ({ ...common, system: [text(prompt)], messages });
const withTools = (...messages: Message[]): Body => ({
  ...prompted(TOOL_PROMPT, hi, ...messages),
  tools: [tool(LS)],
});
const five = ["c1", "c2", "c3", "c4", "c5"];

/** The same talks, written by hand in the official client's own types. */
export const ANTHROPIC: Readonly<Record<TalkName, Body>> = {
  hello: plain(hi),
  "system prompt": prompted(PROMPT, hi),
  "long system prompt": prompted(`${LONG}\n\n${UNICODE}`, hi),
  "two questions": prompted(PROMPT, hi, assistant(text("Hello.")), next),
  "five questions": plain(hi, ...["1", "2", "3", "4"].flatMap((words) => [assistant(text(words)), next])),
  unicode: prompted(UNICODE, user(text(UNICODE)), assistant(text(UNICODE)), user(text(UNICODE))),
  "long text": plain(user(text(LONG)), assistant(text(LONG)), next),
  code: plain(user(text(CODE)), assistant(text(CODE)), next),
  "tools offered": withTools(),
  "tools and no prompt": { ...withTools(), system: [text(TOOL_PROMPT.slice(PROMPT.length).trim())] },
  "many tools": { ...withTools(), tools: MANY.map(tool) },
  "rich schema": { ...withTools(), tools: [tool(RICH)] },
  "one call": withTools(assistant(use("c1")), user(result("c1", "a.txt"))),
  "a call behind a text": withTools(assistant(text("I look."), use("c1")), user(result("c1", "a.txt"))),
  "two calls at once": withTools(assistant(use("c1"), use("c2")), user(result("c1", "a"), result("c2", "b"))),
  "five calls at once": withTools(assistant(...five.map((id) => use(id))), user(...five.map((id) => result(id, id)))),
  "calls in rounds": withTools(
    ...["a", "b", "c"].flatMap((words, at) => [assistant(use(`c${at + 1}`)), user(result(`c${at + 1}`, words))]),
  ),
  "an answer behind a call": withTools(assistant(use("c1")), user(result("c1", "a")), assistant(text("Done.")), next),
  "a question behind a result": withTools(assistant(use("c1")), user(result("c1", "a"), text("and then?"))),
  "a failed call": withTools(assistant(use("c1")), user(result("c1", "no such folder", { is_error: true }))),
  "a denied and a good call": withTools(
    assistant(use("c1"), use("c2")),
    user(result("c1", "not allowed", { is_error: true }), result("c2", "b")),
  ),
  "a long result": withTools(assistant(use("c1")), user(result("c1", LONG))),
  "a result in all letters": withTools(assistant(use("c1")), user(result("c1", UNICODE))),
  "an empty result": withTools(assistant(use("c1")), user(result("c1", "(no output)"))),
  "a call with nested input": {
    ...withTools(
      assistant(use("c1", { words: ["ä", '"b"', "𝄞"], within: { days: 3, exact: true }, order: "oldest" }, RICH.name)),
      user(result("c1", "none")),
    ),
    tools: [tool(RICH)],
  },
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
    assistant({ type: "redacted_thinking", data: seal("anthropic_messages", "secret") }, use("c1")),
    user(result("c1", "a")),
  ),
  "a foreign answer": plain(hi, assistant(text("Hello from afar.")), next),
  "foreign reasoning": plain(hi, assistant(text("Hello from afar.")), next),
  "a foreign call": withTools(assistant(use("f1")), user(result("f1", "a"))),
  "a picture inside": plain(user(text("See:"), inside)),
  "a picture alone": plain(user(inside)),
  "two pictures": plain(user(inside, text("and"), inside)),
  "a picture from the web": plain(user(text("See:"), { type: "image", source: { type: "url", url: PHOTO } })),
  "a picture in a result": withTools(
    assistant(use("c1")),
    user({ type: "tool_result", tool_use_id: "c1", content: [text("shot"), inside] }),
  ),
  "an output limit": { ...plain(hi), max_tokens: 500 },
  "tools forbidden": {
    ...withTools(assistant(use("c1")), user(result("c1", "a"))),
    tool_choice: { type: "none" },
  },
  "no stream": { ...prompted(PROMPT, hi), stream: false },
};
