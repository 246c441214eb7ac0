import OpenAI from "openai";
import { expect, test } from "vitest";
import { fakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import type { ChatMessage } from "../support/protocol-police.ts";
import { broken, callTools, refuse, reply, say, wholeJson } from "../support/wire-script.ts";

const officialClient = (provider: FakeProvider): OpenAI =>
  new OpenAI({ baseURL: provider.baseUrl, apiKey: "sk-test", maxRetries: 0 });

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "hi" }];
const ASK = { model: "fake-1", messages, stream: true } as const;

test("[C2] the official client reads text, usage and finish from the fake", async () => {
  await using provider = await fakeProvider([say(["Hel", "lo"])], { heads: "free" });
  const client = officialClient(provider);
  let text = "";
  let total = 0;
  const finishes: unknown[] = [];
  for await (const chunk of await client.chat.completions.create({ ...ASK, stream_options: { include_usage: true } })) {
    text += chunk.choices[0]?.delta.content ?? "";
    total = chunk.usage?.total_tokens ?? total;
    if (chunk.choices[0]?.finish_reason) finishes.push(chunk.choices[0].finish_reason);
  }
  expect([text, total, finishes]).toEqual(["Hello", 25, ["stop"]]);
  expect(provider.requests[0]?.headers.authorization).toBe("Bearer sk-test");
});

test("[C2] the official client puts the fake's tool calls together", async () => {
  const calls = [
    { id: "c1", name: "ls", arguments: { path: "a" } },
    { id: "c2", name: "ls", arguments: { path: "b" } },
  ];
  await using provider = await fakeProvider([callTools(calls)], { heads: "free" });
  const runner = officialClient(provider).chat.completions.stream({ model: "fake-1", messages });
  const { choices } = await runner.finalChatCompletion();
  expect(choices[0]?.finish_reason).toBe("tool_calls");
  const got = choices[0]?.message.tool_calls?.map(
    (call) => call.type === "function" && [call.id, call.function.arguments],
  );
  expect(got).toEqual([
    ["c1", '{"path":"a"}'],
    ["c2", '{"path":"b"}'],
  ]);
});

test("[C2] the official client sees the fake's error statuses, whole replies, models and cut streams as what they are", async () => {
  const body = { error: { message: "Slow down", type: "rate_limit", code: "rate_limit_exceeded" } };
  const whole = {
    id: "x",
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
  };
  const script = [refuse(429, body), wholeJson(whole), broken({ text: ["half", " an answer"] }, 2, "cut")];
  await using provider = await fakeProvider(script, { heads: "free", models: ["a", "b"] });
  const client = officialClient(provider);
  await expect(client.chat.completions.create(ASK)).rejects.toMatchObject({ status: 429, code: "rate_limit_exceeded" });
  const { choices } = await client.chat.completions.create({ ...ASK, stream: false });
  expect(choices[0]?.message.content).toBe("hi");
  const models: string[] = [];
  for await (const model of client.models.list()) models.push(model.id);
  expect(models).toEqual(["a", "b"]);
  const reading = async (): Promise<void> => {
    for await (const chunk of await client.chat.completions.create(ASK))
      expect(chunk.object).toBe("chat.completion.chunk");
  };
  await expect(reading()).rejects.toThrow(/terminated|premature|closed/i);
});

const user = (content: string): ChatMessage => ({ role: "user", content });
const assistant = (ids: readonly string[], input = "{}"): ChatMessage => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "ls", arguments: input } })),
});
const tool = (id: string, content = "x"): ChatMessage => ({ role: "tool", tool_call_id: id, content });

const ILLEGAL: readonly (readonly [messages: readonly ChatMessage[], why: RegExp])[] = [
  [[], /no messages/],
  [[user(" ")], /content is empty/],
  [[user("a"), assistant(["c"]), user("b")], /were not answered/],
  [[user("a"), assistant(["c", "d"]), tool("c")], /while d have no answer/],
  [[user("a"), assistant(["c", "d"]), tool("d"), tool("c")], /it answers d, due is c/],
  [[user("a"), assistant(["c"]), tool("c"), tool("c")], /it answers c, due is nothing/],
  [[user("a"), assistant(["c"]), tool("c", "")], /content is empty/],
  [[user("a"), assistant([""]), tool("")], /has no id/],
  [[user("a"), assistant(["c", "c"]), tool("c"), tool("c")], /was used before/],
  [[user("a"), assistant(["c"]), tool("c"), assistant(["c"]), tool("c")], /was used before/],
  [[user("a"), assistant(["c"], "{"), tool("c")], /no JSON object/],
  [[user("a"), { role: "assistant", content: "" }, user("b")], /content is empty/],
  [[user("a"), { role: "assistant", content: "x" }], /last message is of the assistant/],
  [
    [user("a"), { role: "assistant", content: "x" }, { role: "assistant", content: "y" }, user("b")],
    /follows an assistant/,
  ],
  [[user("a"), { role: "system", content: "x" }, user("b")], /not the first/],
  [[{ role: "assistant", content: "x" }, user("b")], /nobody has asked/],
  [[user("a"), { role: "robot", content: "x" }], /role is illegal/],
  [[user("a\0")], /NUL/],
  [[user("a\ud800")], /lone surrogate/],
];

test.for(ILLEGAL)("[B5] the fake refuses %j", async ([messages, why]) => {
  const provider = await fakeProvider([say("hi")]);
  const response = await post(provider, JSON.stringify({ model: "m", messages }));
  expect(response.status).toBe(400);
  await expect(provider.close()).rejects.toThrow(why);
});

const post = (provider: FakeProvider, body: string): Promise<Response> =>
  fetch(`${provider.baseUrl}/chat/completions`, { method: "POST", body });

const body = (messages: readonly ChatMessage[], system = "s"): string =>
  JSON.stringify({ model: "m", messages: [{ role: "system", content: system }, ...messages] });

test("[C13] the fake refuses a request whose head changed, unless that was declared", async () => {
  const long = [user("a"), assistant(["c"]), tool("c")];
  const provider = await fakeProvider([say("1"), say("2"), say("3"), { ...say("4"), newHead: true }]);
  await post(provider, body([user("a")]));
  expect((await post(provider, body(long))).status).toBe(200);
  expect((await post(provider, body([user("a"), assistant(["c"]), tool("c", "changed")]))).status).toBe(400);
  expect((await post(provider, body(long, "other"))).status).toBe(200);
  await expect(provider.close()).rejects.toThrow(
    /^The fake provider saw:\n- request 2: the head changed at character \d+: .*$/s,
  );
});

test("[C13] only a last user message, an attempt's note, may go again", async () => {
  await using provider = await fakeProvider([say("1"), say("2"), say("3")]);
  await post(provider, body([user("a"), { role: "assistant", content: "b" }, user("c"), user("note")]));
  await post(provider, body([user("a"), { role: "assistant", content: "b" }, user("c")]));
  expect((await post(provider, body([user("another conversation")]))).status).toBe(200);
});

test("[B5] the fake fails on unused steps, unexpected requests and its own exceptions", async () => {
  const unused = await fakeProvider([say("a"), say("b")]);
  await expect(unused.close()).rejects.toThrow("2 steps were never asked for");
  const unexpected = await fakeProvider([]);
  expect((await post(unexpected, body([user("a")]))).status).toBe(400);
  await expect(unexpected.close()).rejects.toThrow("no step is left");
  const throwing = await fakeProvider([
    () => {
      throw new Error("a bug in the script");
    },
  ]);
  expect((await post(throwing, body([user("a")]))).status).toBe(400);
  await expect(throwing.received(2)).rejects.toThrow("a bug in the script");
  const unreadable = await fakeProvider([reply({ text: "a" })]);
  await post(unreadable, "{");
  await expect(unreadable.close()).rejects.toThrow(/JSON/);
});

test("[G3] hooks tell when a request was read and how many frames have left", async () => {
  const seen: string[] = [];
  await using provider = await fakeProvider([say("hi")], {
    onRequest: ({ index }) => void seen.push(`request ${index}`),
    onFrame: (_request, sent) => void seen.push(`frame ${sent}`),
  });
  await (await post(provider, body([user("a")]))).text();
  expect(seen).toEqual(["request 0", "frame 1", "frame 2", "frame 3", "frame 4", "frame 5"]);
});
