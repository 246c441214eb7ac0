import { expect, test } from "vitest";
import { assistantText, type Message, reasoningOf, textOf } from "./message.ts";
import { type OpenAiBlock, type OpenAiMessage, OMITTED_RESULT, fromOpenAi, toOpenAi } from "./openai.ts";

const call = (id: string, name: string): NonNullable<OpenAiMessage["tool_calls"]>[number] => ({
  id,
  type: "function",
  function: { name, arguments: "{}" },
});

test("[C5] messages go in and come out the same: text, reasoning, calls, receipts with the name of their tool", () => {
  const messages: OpenAiMessage[] = [
    { role: "user", content: "go" },
    { role: "assistant", content: "working", reasoning_content: "first read", tool_calls: [call("a", "read_file")] },
    { role: "tool", tool_call_id: "a", name: "read_file", content: "ok" },
    { role: "assistant", content: "done" },
  ];
  expect(toOpenAi(fromOpenAi(messages))).toEqual(messages);
});

test("[G4] what cannot be kept is dropped, what is too long is cut, and a call never loses its receipt", () => {
  const asked: OpenAiMessage = { role: "assistant", content: null, tool_calls: [call("a", "x"), call("b", "x")] };
  const taken = fromOpenAi(
    [
      { role: "tool", tool_call_id: "ghost", content: "no such call" },
      { role: "assistant", content: "" },
      { role: "user", content: [] },
      asked,
      { role: "tool", content: "no id" },
      { role: "tool", tool_call_id: "a", content: "12345678" },
      { role: "tool", tool_call_id: "a", content: "again" },
      { role: "tool", tool_call_id: "b", content: [] },
      { role: "assistant", content: "x".repeat(20) },
    ],
    { maxReceiptChars: 4 },
  );
  expect(toOpenAi(taken).map(({ role, content }) => [role, content])).toEqual([
    ["assistant", ""],
    ["tool", expect.stringMatching(/^1234\D/)],
    ["tool", OMITTED_RESULT],
    ["assistant", "x".repeat(20)],
  ]);
});

const image = (url: string, more: object = {}): OpenAiBlock => ({ type: "image_url", image_url: { url, ...more } });

test("[C5] [G4] a picture on the web stays one, in questions and in receipts", () => {
  const messages: OpenAiMessage[] = [
    { role: "user", content: [{ type: "text", text: "look" }, image("https://host.test/y.png", { detail: "low" })] },
    { role: "user", content: [image("HTTP://host.test/only")] },
    { role: "assistant", content: "", tool_calls: [call("a", "shot")] },
    {
      role: "tool",
      tool_call_id: "a",
      name: "shot",
      content: [image("http://host.test/z"), { type: "text", text: "z" }],
    },
  ];
  const taken = fromOpenAi(messages);
  expect(toOpenAi(taken)).toEqual(messages);
  expect(taken.map(textOf)).toEqual(["look", "", "", "z"]);
});

test("[C5] what a provider added to an answer comes back as it came", () => {
  const opaque = {
    thinking_blocks: [{ type: "thinking", thinking: "hm", signature: "c2ln" }],
    reasoning_details: [{ type: "reasoning.encrypted", data: "xyz", index: 0 }],
    reasoning: "hm",
    codex_reasoning_items: [{ id: "rs_1", encrypted_content: "abc", summary: [] }],
  };
  const messages: OpenAiMessage[] = [
    { role: "assistant", content: "a", ...opaque },
    { role: "assistant", content: "b", reasoning_content: "first", thinking_blocks: opaque.thinking_blocks },
    { role: "assistant", content: "c", reasoning_content: "only text" },
    {
      role: "assistant",
      content: "",
      tool_calls: [{ ...call("a", "look"), extra_content: { google: { thought_signature: "Ct==" } } }],
    },
  ];
  const taken = fromOpenAi(messages);
  expect(toOpenAi(taken)).toEqual(messages);
  expect(toOpenAi(JSON.parse(JSON.stringify(taken)) as Message[])).toEqual(messages);
  expect(taken.map(reasoningOf)).toEqual(["", "first", "only text", ""]);
  expect(fromOpenAi([{ role: "assistant", content: "d", thinking_blocks: null }])).toEqual([assistantText("d")]);
});

test("[C5] several texts stay apart, a single one is a plain text", () => {
  const text = (value: string): OpenAiBlock => ({ type: "text", text: value });
  const messages: OpenAiMessage[] = [
    { role: "user", content: [text("a"), text("b")] },
    { role: "user", content: [text("c")] },
  ];
  expect(toOpenAi(fromOpenAi(messages))).toEqual([messages[0], { role: "user", content: "c" }]);
});

test("[G4] image data becomes a mention of its file; what cannot be carried is named", () => {
  const data = image("data:image/png;base64,abc");
  const content = [
    { type: "text", text: "look" },
    { ...data, _meta: { path: "/m/x.png" } },
    data,
    image("file:///m/z.png"),
    { type: "image_url" },
    { type: "input_audio" },
    { type: "text", text: "" },
  ];
  const [message] = fromOpenAi([{ role: "user", content }]);
  expect(message?.parts.map((part) => ("text" in part ? part.text : ""))).toEqual([
    "look",
    "[image: /m/x.png]",
    "[image]",
    "[image: file:///m/z.png]",
    "[image]",
    "[input_audio]",
  ]);
  const [answer] = fromOpenAi([{ role: "assistant", content: [image("https://host.test/y.png")] }]);
  expect(answer).toEqual(assistantText("[image: https://host.test/y.png]"));
});

test("[G3] a call without a name is one of a tool, with empty arguments", () => {
  const taken = fromOpenAi([{ role: "assistant", content: null, tool_calls: [{ id: "a" }] }]);
  expect(taken).toMatchObject([{ parts: [{ callId: "a", name: "tool", input: "{}" }] }]);
});

test("[C4] [C5] calls without an id get one of their own, the same each time, and their receipts match by order", () => {
  const calls = [{ function: { name: "x" } }, call("imported_2", "x"), { id: "", function: { name: "y" } }];
  const messages: OpenAiMessage[] = [
    { role: "assistant", content: null, tool_calls: calls },
    { role: "tool", content: "first" },
    { role: "tool", tool_call_id: "imported_2", content: "second" },
    { role: "tool", tool_call_id: "", content: "third" },
    { role: "assistant", content: null, tool_calls: [{ id: null, function: { name: "z" } }] },
    { role: "tool", content: "fourth" },
    { role: "tool", content: "of no call" },
  ];
  const taken = fromOpenAi(messages);
  const ids = taken.flatMap((message) =>
    message.role === "assistant" ? message.parts.flatMap((part) => ("callId" in part ? part.callId : [])) : [],
  );
  expect(new Set(ids).size).toBe(4);
  expect(taken.flatMap((message) => (message.role === "tool" ? [[message.callId, textOf(message)]] : []))).toEqual(
    ["first", "second", "third", "fourth"].map((text, at) => [ids[at], text]),
  );
  expect(fromOpenAi(messages)).toEqual(taken);
});

test("[G4] [UNI-01] cutting a receipt never splits a surrogate pair", () => {
  const asked: OpenAiMessage = { role: "assistant", content: null, tool_calls: [call("a", "x")] };
  const receipt: OpenAiMessage = { role: "tool", tool_call_id: "a", content: "xxxxxxxxx🔥yyyyy" };
  const [, taken] = toOpenAi(fromOpenAi([asked, receipt], { maxReceiptChars: 10 }));
  expect(taken?.content).toMatch(/^xxxxxxxxx\n/);
  expect(JSON.stringify(taken)).not.toMatch(/\\ud/i);
});
