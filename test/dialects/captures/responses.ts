import type OpenAI from "openai";
import { seal } from "../seal.ts";
import { CODE, LONG, LS, MANY, PHOTO, PNG, PROMPT, RICH, type TalkName, TOOL_PROMPT, UNICODE } from "../talks.ts";

type Body = OpenAI.Responses.ResponseCreateParams;
type Item = OpenAI.Responses.ResponseInputItem;

const user = (content: string | OpenAI.Responses.ResponseInputContent[]): Item => ({ role: "user", content });
const assistant = (content: string): Item => ({ role: "assistant", content });
const call = (call_id: string, input = `{"path":"${call_id}"}`, name = "ls"): Item => ({
  type: "function_call",
  call_id,
  name,
  arguments: input,
});
const output = (call_id: string, words: string): Item => ({ type: "function_call_output", call_id, output: words });
const reasoning = (id: string, words: string): Item => ({
  id,
  type: "reasoning",
  summary: words === "" ? [] : [{ type: "summary_text", text: words }],
  encrypted_content: seal("codex_responses", words),
});
const picture = (image_url: string): OpenAI.Responses.ResponseInputImage => ({
  type: "input_image",
  detail: "auto",
  image_url,
});
const inside = picture(`data:image/png;base64,${PNG}`);
const words = (text: string): OpenAI.Responses.ResponseInputText => ({ type: "input_text", text });
const fn = ({ name, description, parameters }: typeof LS): OpenAI.Responses.FunctionTool => ({
  type: "function",
  name,
  description,
  parameters: { ...parameters },
  strict: false,
});

const common = {
  model: "gpt-fake-1",
  stream: true,
  store: false,
  include: ["reasoning.encrypted_content"],
} satisfies Body;
const hi = user("hi");
const next = user("and then?");
const plain = (...input: Item[]): Body => ({ ...common, input });
const prompted = (instructions: string, ...input: Item[]): Body => ({ ...common, instructions, input });
const withTools = (...input: Item[]): Body => ({ ...prompted(TOOL_PROMPT, hi, ...input), tools: [fn(LS)] });
const five = ["c1", "c2", "c3", "c4", "c5"];
const nested = '{"order":"oldest","within":{"days":3,"exact":true},"words":["ä","\\"b\\"","𝄞"]}';

/** The same talks, written by hand in the official client's own types. */
export const RESPONSES: Readonly<Record<TalkName, Body>> = {
  hello: plain(hi),
  "system prompt": prompted(PROMPT, hi),
  "long system prompt": prompted(`${LONG}\n\n${UNICODE}`, hi),
  "two questions": prompted(PROMPT, hi, assistant("Hello."), next),
  "five questions": plain(hi, ...["1", "2", "3", "4"].flatMap((text) => [assistant(text), next])),
  unicode: prompted(UNICODE, user(UNICODE), assistant(UNICODE), user(UNICODE)),
  "long text": plain(user(LONG), assistant(LONG), next),
  code: plain(user(CODE), assistant(CODE), next),
  "tools offered": withTools(),
  "tools and no prompt": { ...withTools(), instructions: TOOL_PROMPT.slice(PROMPT.length).trim() },
  "many tools": { ...withTools(), tools: MANY.map(fn) },
  "rich schema": { ...withTools(), tools: [fn(RICH)] },
  "one call": withTools(call("c1"), output("c1", "a.txt")),
  "a call behind a text": withTools(assistant("I look."), call("c1"), output("c1", "a.txt")),
  "two calls at once": withTools(call("c1"), call("c2"), output("c1", "a"), output("c2", "b")),
  "five calls at once": withTools(...five.map((id) => call(id)), ...five.map((id) => output(id, id))),
  "calls in rounds": withTools(
    ...["a", "b", "c"].flatMap((text, at) => [call(`c${at + 1}`), output(`c${at + 1}`, text)]),
  ),
  "an answer behind a call": withTools(call("c1"), output("c1", "a"), assistant("Done."), next),
  "a question behind a result": withTools(call("c1"), output("c1", "a"), next),
  "a failed call": withTools(call("c1"), output("c1", "no such folder")),
  "a denied and a good call": withTools(call("c1"), call("c2"), output("c1", "not allowed"), output("c2", "b")),
  "a long result": withTools(call("c1"), output("c1", LONG)),
  "a result in all letters": withTools(call("c1"), output("c1", UNICODE)),
  "an empty result": withTools(call("c1"), output("c1", "(no output)")),
  "a call with nested input": {
    ...withTools(call("c1", nested, RICH.name), output("c1", "none")),
    tools: [fn(RICH)],
  },
  "a call without input": withTools(call("c1", "{}"), output("c1", "a")),
  reasoning: prompted(PROMPT, hi, reasoning("rs_fake0", "Let me think."), assistant("Hello."), next),
  "reasoning before a call": withTools(reasoning("rs_fake0", "I look."), call("c1"), output("c1", "a")),
  "reasoning, text and a call": withTools(
    reasoning("rs_fake0", "Hm."),
    assistant("I look."),
    call("c1"),
    output("c1", "a"),
  ),
  "reasoning in rounds": withTools(
    reasoning("rs_fake0", "First."),
    call("c1"),
    output("c1", "a"),
    reasoning("rs_fake1", "Second."),
    call("c2"),
    output("c2", "b"),
  ),
  "hidden reasoning": withTools(reasoning("rs_fake0", ""), call("c1"), output("c1", "a")),
  "a foreign answer": plain(hi, assistant("Hello from afar."), next),
  "foreign reasoning": plain(hi, assistant("Hello from afar."), next),
  "a foreign call": withTools(call("f1"), output("f1", "a")),
  "a picture inside": plain(user([words("See:"), inside])),
  "a picture alone": plain(user([inside])),
  "two pictures": plain(user([inside, words("and"), inside])),
  "a picture from the web": plain(user([words("See:"), picture(PHOTO)])),
  "a picture in a result": withTools(call("c1"), {
    type: "function_call_output",
    call_id: "c1",
    output: [words("shot"), inside],
  }),
  "an output limit": { ...plain(hi), max_output_tokens: 500 },
  "tools forbidden": { ...withTools(call("c1"), output("c1", "a")), tool_choice: "none" },
  "no stream": { ...prompted(PROMPT, hi), stream: false },
};
