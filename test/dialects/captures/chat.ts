import type OpenAI from "openai";
import { CODE, LONG, LS, MANY, PHOTO, PNG, PROMPT, RICH, type TalkName, TOOL_PROMPT, UNICODE } from "../talks.ts";

type Body = OpenAI.ChatCompletionCreateParams;
type Message = OpenAI.ChatCompletionMessageParam;

const user = (content: OpenAI.ChatCompletionUserMessageParam["content"]): Message => ({ role: "user", content });
const system = (content: string): Message => ({ role: "system", content });
const assistant = (content: string): Message => ({ role: "assistant", content });
const called = (content: string | null, ...tool_calls: OpenAI.ChatCompletionMessageFunctionToolCall[]): Message => ({
  role: "assistant",
  content,
  tool_calls,
});
const ls = (id: string, input = `{"path":"${id}"}`): OpenAI.ChatCompletionMessageFunctionToolCall => ({
  id,
  type: "function",
  function: { name: "ls", arguments: input },
});
const tool = (tool_call_id: string, content: string): Message => ({ role: "tool", tool_call_id, content });
const fn = ({ name, description, parameters }: typeof LS): OpenAI.ChatCompletionFunctionTool => ({
  type: "function",
  function: { name, description, parameters },
});
const shot = (url: string): OpenAI.ChatCompletionContentPartImage => ({ type: "image_url", image_url: { url } });
const words = (text: string): OpenAI.ChatCompletionContentPartText => ({ type: "text", text });
const inside = shot(`data:image/png;base64,${PNG}`);
const streamed = { model: "fake-1", stream: true, stream_options: { include_usage: true } } as const;
const plain = (...messages: Message[]): Body => ({ ...streamed, messages });
const withTools = (...messages: Message[]): Body => ({
  ...streamed,
  tools: [fn(LS)],
  messages: [system(TOOL_PROMPT), user("hi"), ...messages],
});
const next = user("and then?");

/** The same talks, written by hand in the official client's own types. */
export const CHAT: Readonly<Record<TalkName, Body>> = {
  hello: plain(user("hi")),
  "system prompt": plain(system(PROMPT), user("hi")),
  "long system prompt": plain(system(`${LONG}\n\n${UNICODE}`), user("hi")),
  "two questions": plain(system(PROMPT), user("hi"), assistant("Hello."), next),
  "five questions": plain(user("hi"), ...["1", "2", "3", "4"].flatMap((text) => [assistant(text), next])),
  unicode: plain(system(UNICODE), user(UNICODE), assistant(UNICODE), user(UNICODE)),
  "long text": plain(user(LONG), assistant(LONG), next),
  code: plain(user(CODE), assistant(CODE), next),
  "tools offered": withTools(),
  "tools and no prompt": {
    ...withTools(),
    messages: [system(TOOL_PROMPT.slice(PROMPT.length).trim()), user("hi")],
  },
  "many tools": { ...withTools(), tools: MANY.map(fn) },
  "rich schema": { ...withTools(), tools: [fn(RICH)] },
  "one call": withTools(called(null, ls("c1")), tool("c1", "a.txt")),
  "a call behind a text": withTools(called("I look.", ls("c1")), tool("c1", "a.txt")),
  "two calls at once": withTools(called(null, ls("c1"), ls("c2")), tool("c1", "a"), tool("c2", "b")),
  "five calls at once": withTools(
    called(null, ...["c1", "c2", "c3", "c4", "c5"].map((id) => ls(id))),
    ...["c1", "c2", "c3", "c4", "c5"].map((id) => tool(id, id)),
  ),
  "calls in rounds": withTools(
    ...["a", "b", "c"].flatMap((text, at) => [called(null, ls(`c${at + 1}`)), tool(`c${at + 1}`, text)]),
  ),
  "an answer behind a call": withTools(called(null, ls("c1")), tool("c1", "a"), assistant("Done."), next),
  "a question behind a result": withTools(called(null, ls("c1")), tool("c1", "a"), next),
  "a failed call": withTools(called(null, ls("c1")), tool("c1", "no such folder")),
  "a denied and a good call": withTools(called(null, ls("c1"), ls("c2")), tool("c1", "not allowed"), tool("c2", "b")),
  "a long result": withTools(called(null, ls("c1")), tool("c1", LONG)),
  "a result in all letters": withTools(called(null, ls("c1")), tool("c1", UNICODE)),
  "an empty result": withTools(called(null, ls("c1")), tool("c1", "(no output)")),
  "a call with nested input": {
    ...withTools(
      called(null, {
        id: "c1",
        type: "function",
        function: {
          name: "search_notes",
          arguments: '{"order":"oldest","within":{"days":3,"exact":true},"words":["ä","\\"b\\"","𝄞"]}',
        },
      }),
      tool("c1", "none"),
    ),
    tools: [fn(RICH)],
  },
  "a call without input": withTools(called(null, ls("c1", "{}")), tool("c1", "a")),
  reasoning: plain(system(PROMPT), user("hi"), assistant("Hello."), next),
  "reasoning before a call": withTools(called(null, ls("c1")), tool("c1", "a")),
  "reasoning, text and a call": withTools(called("I look.", ls("c1")), tool("c1", "a")),
  "reasoning in rounds": withTools(called(null, ls("c1")), tool("c1", "a"), called(null, ls("c2")), tool("c2", "b")),
  "hidden reasoning": withTools(called(null, ls("c1")), tool("c1", "a")),
  "a foreign answer": plain(user("hi"), assistant("Hello from afar."), next),
  "foreign reasoning": plain(user("hi"), assistant("Hello from afar."), next),
  "a foreign call": withTools(called(null, ls("f1")), tool("f1", "a")),
  "a picture inside": plain(user([words("See:"), inside])),
  "a picture alone": plain(user([inside])),
  "two pictures": plain(user([inside, words("and"), inside])),
  "a picture from the web": plain(user([words("See:"), shot(PHOTO)])),
  "a picture in a result": withTools(called(null, ls("c1")), tool("c1", "shot\n[image: image/png]")),
  "an output limit": { ...plain(user("hi")), max_tokens: 500 },
  "tools forbidden": { ...withTools(called(null, ls("c1")), tool("c1", "a")), tool_choice: "none" },
  "no stream": { model: "fake-1", stream: false, messages: [system(PROMPT), user("hi")] },
};
