import { expect, test } from "vitest";
import { type OpenAiMessage, OMITTED_RESULT, fromOpenAi, toOpenAi } from "./openai.ts";

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

test("[G4] image data becomes a mention of its file, a web address stays readable", () => {
  const image = (url: string, path?: string): object => ({
    type: "image_url",
    image_url: { url },
    ...(path && { _meta: { path } }),
  });
  const content = [
    { type: "text", text: "look" },
    image("data:image/png;base64,abc", "/m/x.png"),
    image("data:image/png;base64,abc"),
    image("https://host.test/y.png"),
  ] as unknown as OpenAiMessage["content"];
  const [message] = fromOpenAi([{ role: "user", content: content ?? null }]);
  expect(message?.parts.map((part) => ("text" in part ? part.text : ""))).toEqual([
    "look",
    "[image: /m/x.png]",
    "[image]",
    "[image: https://host.test/y.png]",
  ]);
});

test("[G4] [UNI-01] cutting a receipt never splits a surrogate pair", () => {
  const asked: OpenAiMessage = { role: "assistant", content: null, tool_calls: [call("a", "x")] };
  const receipt: OpenAiMessage = { role: "tool", tool_call_id: "a", content: "xxxxxxxxx🔥yyyyy" };
  const [, taken] = toOpenAi(fromOpenAi([asked, receipt], { maxReceiptChars: 10 }));
  expect(taken?.content).toMatch(/^xxxxxxxxx\n/);
  expect(JSON.stringify(taken)).not.toMatch(/\\ud/i);
});
