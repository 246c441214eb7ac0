import { expect, test } from "vitest";
import { callsOf, reasoningOf, textOf } from "../../src/protocol/message.ts";
import type { ModelReply } from "../../src/protocol/ports.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { connect, type Heard } from "../support/wire-client.ts";
import { delta, DONE, type Step, stream } from "../support/wire-script.ts";

async function hear(step: Step): Promise<Heard> {
  await using provider = await fakeProvider([step]);
  using client = connect(provider.baseUrl);
  return await client.call({});
}

function message(reply: ModelReply): Extract<ModelReply, { type: "message" }> {
  if (reply.type !== "message") throw new Error(`expected a message: ${JSON.stringify(reply)}`);
  return reply;
}

function failure(reply: ModelReply): Extract<ModelReply, { type: "failure" }> {
  if (reply.type !== "failure") throw new Error(`expected a failure: ${JSON.stringify(reply)}`);
  return reply;
}

const toolDelta = (...entries: readonly object[]): string => delta({ tool_calls: entries });

const manyCalls = (count: number, entry: (at: number) => object): string[] => [
  ...Array.from({ length: count }, (_, at) => toolDelta({ index: at, ...entry(at) })),
  delta({}, "tool_calls"),
];

test("[C11] a reply of more calls than anybody means ends when they are too many, whatever their ids", async () => {
  for (const id of [(at: number) => `id${at}`, (): string => "same"]) {
    const frames = manyCalls(5_000, (at) => ({ id: id(at), function: { name: "get", arguments: "{}" } }));
    const got = failure((await hear(stream(frames))).reply);
    expect(got.failure).toMatchObject({
      retryable: true,
      message: expect.stringContaining("more than 1000 tool calls"),
    });
  }
});

test("[C11] ids no server would take back are replaced, each by another one", async () => {
  const ids = ["\0", "\uD800", " ", "x".repeat(10_000), "a b", "call_1"];
  const frames = manyCalls(ids.length, (at) => ({ id: ids[at], function: { name: "get", arguments: `{"q":${at}}` } }));
  const got = callsOf(message((await hear(stream(frames))).reply).message).map(({ callId }) => callId);
  expect(new Set(got).size).toBe(ids.length);
  expect(got.every((id) => /^[\x21-\x7E]{1,256}$/.test(id))).toBe(true);
  expect(got.at(-1)).toBe("call_1");
});

test("[C11] a name no tool can have is cut, and nothing in a call is half a character", async () => {
  const call = { id: "a", function: { name: `${"_".repeat(300_000)}\uD800x`, arguments: '{"q":"\uD800"}' } };
  const [got] = callsOf(message((await hear(stream([...manyCalls(1, () => call)]))).reply).message);
  expect(got?.name).toBe("_".repeat(256));
  expect(got?.input).toBe('{"q":"\uFFFD"}');
});

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

test("[C11] what nests too deeply in a call is left out or told, and kills nothing", async () => {
  const inCall = (fields: string): string =>
    `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a",${fields}}]}}]}\n\n`;
  const opaque = inCall(`"extra_content":${nested(20_000)},"function":{"name":"get","arguments":"{}"}`);
  const [signed] = callsOf(message((await hear(stream([opaque, delta({}, "tool_calls")]))).reply).message);
  expect(signed).toEqual({ type: "tool-call", callId: "a", name: "get", input: "{}" });
  const object = inCall(`"function":{"name":"get","arguments":${nested(20_000)}}`);
  const [told] = callsOf(message((await hear(stream([object, delta({}, "tool_calls")]))).reply).message);
  expect(told?.input).toBe("an object that nests too deeply");
  const thoughts = `${'[{"thinking":'.repeat(20_000)}"x"${"}]".repeat(20_000)}`;
  const content = `data: {"choices":[{"delta":{"content":${thoughts}}}]}\n\n`;
  expect((await hear(stream([content, delta({ content: "hi" }), DONE]))).text).toBe("hi");
});

test("[A4] a pair that two events share is one character, a half alone and NUL are none", async () => {
  const frames = [
    delta({ content: "a\uD83D", reasoning_content: "t\uD83D" }),
    delta({ content: "\uDE00b\0", reasoning_content: "\uDE00" }),
    delta({ content: "c\uD83D" }, "stop"),
  ];
  const { reply: got, text, emitted } = await hear(stream(frames));
  expect(textOf(message(got).message)).toBe("a\u{1F600}b\uFFFDc\uFFFD");
  expect(text).toBe(textOf(message(got).message));
  expect(reasoningOf(message(got).message)).toBe("t\u{1F600}");
  expect(JSON.stringify(emitted)).not.toMatch(/\\ud83d/);
});

test("[C4] what stands behind [DONE] is no part of the reply", async () => {
  expect((await hear(stream([delta({ content: "hi" }, "stop"), DONE, delta({ content: "more" })]))).text).toBe("hi");
});

test("[STRM-10] what is no reply is called so, in its own words where it has any", async () => {
  const words = async (body: string): Promise<string> => failure((await hear(stream([body]))).reply).failure.message;
  expect(await words("404 page not found")).toMatch(/sent something that is no reply of a model; check the base URL/);
  expect(await words('event: error\ndata: {"message":"overloaded now"}\n\n')).toMatch(
    /broke off its reply: overloaded now/,
  );
  expect(await words("")).toMatch(/without sending anything/);
});
