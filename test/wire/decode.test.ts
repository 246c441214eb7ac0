import { expect, test } from "vitest";
import { callsOf, type Message, reasoningOf, textOf, userText } from "../../src/protocol/message.ts";
import type { ModelReply, ModelRequest } from "../../src/protocol/ports.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { connect, type Heard } from "../support/wire-client.ts";
import {
  broken,
  callTools,
  delta,
  DONE,
  event,
  reply,
  say,
  type Step,
  stream,
  wholeJson,
} from "../support/wire-script.ts";

async function hear(step: Step, request: Partial<ModelRequest> = {}): Promise<Heard> {
  await using provider = await fakeProvider([step]);
  using client = connect(provider.baseUrl);
  return await client.call(request);
}

function message(reply: ModelReply): Extract<ModelReply, { type: "message" }> {
  if (reply.type !== "message") throw new Error(`expected a message: ${JSON.stringify(reply)}`);
  return reply;
}

function failure(reply: ModelReply): Extract<ModelReply, { type: "failure" }> {
  if (reply.type !== "failure") throw new Error(`expected a failure: ${JSON.stringify(reply)}`);
  return reply;
}

const calls = (reply: ModelReply): unknown[] =>
  callsOf(message(reply).message).map(({ callId, name, input }) => [callId, name, input]);

const toolDelta = (...entries: readonly object[]): string => delta({ tool_calls: entries });

test("[C4] a streamed text is one message, and what is stored is what was shown", async () => {
  const { reply: got, text, emitted } = await hear(say(["\n\nHel", "lo ", "world"]));
  expect(got).toEqual({
    type: "message",
    message: { role: "assistant", parts: [{ type: "text", text: "Hello world" }] },
    finish: "stop",
    usage: { input: 20, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  });
  expect(text).toBe("Hello world");
  expect(emitted.every((deltas) => deltas.length > 0)).toBe(true);
});

test("[STRM-01] a delta without index continues the open call", async () => {
  const frames = [
    toolDelta({ id: "a", type: "function", function: { name: "get", arguments: '{"q":' } }),
    toolDelta({ function: { arguments: '"x"}' } }),
    delta({}, "tool_calls"),
  ];
  expect(calls((await hear(stream(frames))).reply)).toEqual([["a", "get", '{"q":"x"}']]);
});

test("[STRM-02] one index used for two calls makes two calls", async () => {
  const frames = [
    toolDelta({ index: 0, id: "call_a", function: { name: "read", arguments: '{"p":"a"}' } }),
    toolDelta({ index: 0, id: "call_b", function: { name: "read", arguments: '{"p":' } }),
    toolDelta({ index: 0, function: { arguments: '"b"}' } }),
    delta({}, "tool_calls"),
  ];
  const { reply: got } = await hear(stream(frames));
  expect(calls(got).map((call) => (call as string[])[0])).toEqual(["call_a", "call_b"]);
  expect(calls(got)[0]).toEqual(["call_a", "read", '{"p":"a"}']);
});

test("[STRM-04] several entries for one call inside a single chunk", async () => {
  const frames = [
    toolDelta(
      { index: 0, id: "z", function: { name: "f", arguments: "" } },
      { index: 0, function: { arguments: '{"k":' } },
    ),
    toolDelta({ index: 0, function: { arguments: "1}" } }),
    delta({}, "tool_calls"),
  ];
  expect(calls((await hear(stream(frames))).reply)).toEqual([["z", "f", '{"k":1}']]);
});

test("[STRM-05] the name may come late, and a repeated one is not doubled", async () => {
  const frames = [
    toolDelta({ id: "s1", function: { arguments: '{"n":' } }),
    toolDelta({ id: "s1", function: { name: "count", arguments: "3}" } }),
    toolDelta({ id: "s1", function: { name: "count", arguments: "" } }),
    delta({}, "tool_calls"),
  ];
  expect(calls((await hear(stream(frames))).reply)).toEqual([["s1", "count", '{"n":3}']]);
});

test.for(["stop", "end_turn", "eos", "", null])(
  "[STRM-06] complete calls decide, whatever the finish word is: %s",
  async (word) => {
    const frames = [toolDelta({ index: 0, id: "q", function: { name: "ls", arguments: "{}" } }), delta({}, word), DONE];
    const { reply: got } = await hear(stream(frames));
    expect(calls(got)).toEqual([["q", "ls", "{}"]]);
    expect(message(got).finish).toBe("tool_calls");
  },
);

test("[C4] [C8] unknown finish words are a stop, a reply that ended at the output limit is cut", async () => {
  const word = async (finish: string | null): Promise<string> =>
    message((await hear(reply({ text: "hi", finish }))).reply).finish;
  expect(await word("eos_token")).toBe("stop");
  expect(await word(null)).toBe("stop");
  const partial = { text: "hi", reasoning: "", droppedTools: [] };
  for (const finish of ["length", "max_tokens"])
    expect((await hear(reply({ text: "hi", finish }))).reply).toMatchObject({ type: "cut", partial });
});

test("[STRM-07] comments are dropped", async () => {
  const frames = [
    ": OPENROUTER PROCESSING\n\n",
    ": OPENROUTER PROCESSING\n\n",
    delta({ content: "hi" }),
    ":\n\n",
    DONE,
  ];
  expect((await hear(stream(frames))).text).toBe("hi");
});

test("[STRM-09] empty data frames are ignored", async () => {
  const frames = ["event: ping\ndata: \n\n", "data:\n\n", `event: message\n${delta({ content: "A" })}`, DONE];
  expect((await hear(stream(frames))).text).toBe("A");
});

test("[STRM-09] a stream may lack [DONE], its last blank line, and use CRLF", async () => {
  const frames = [delta({ content: "A" }).replaceAll("\n", "\r\n"), delta({ content: "B" }, "stop").trimEnd()];
  expect((await hear(stream(frames))).text).toBe("AB");
});

test("[STRM-10] an error object inside a 200 stream is a failure", async () => {
  const error = {
    code: 502,
    message: "Provider returned error",
    metadata: { raw: "worker request limit reached (9/8)" },
  };
  const got = failure((await hear(stream([event({ id: "g", choices: [], error }), DONE]))).reply);
  expect(got.failure).toMatchObject({ reason: "server_error", retryable: true, status: 502 });
  expect(got.failure.message).toContain("worker request limit reached");
  expect(got.partial).toBeUndefined();
});

test("[STRM-10] an error after text keeps what was shown as partial", async () => {
  const error = { type: "overloaded_error", message: "Overloaded" };
  const got = failure((await hear(stream([delta({ content: "Part" }), event({ error })]))).reply);
  expect(got).toMatchObject({
    failure: { reason: "overloaded", retryable: true },
    partial: { text: "Part", droppedTools: [] },
  });
});

test("[STRM-10] an error object in a 200 JSON body is a failure", async () => {
  const got = failure((await hear(wholeJson({ error: { message: "model is loading", code: 503 } }))).reply);
  expect(got.failure).toMatchObject({ reason: "overloaded", status: 503 });
});

test("[STRM-13] an empty 200 stream is a failed attempt, not an empty message", async () => {
  expect(failure((await hear(stream([]))).reply).failure).toMatchObject({ reason: "server_error", retryable: true });
  expect(failure((await hear(stream([": ping\n\n", DONE]))).reply).failure.retryable).toBe(true);
});

test("[STRM-18] an invalid-request error in the stream is not retried and keeps its words", async () => {
  const error = { type: "invalid_request_error", message: "tools.3.name: too long" };
  const got = failure(
    (await hear(stream([`event: error\n${event({ type: "error", error })}`], { end: "open" }))).reply,
  );
  expect(got.failure).toMatchObject({ reason: "format_error", retryable: false });
  expect(got.failure.message).toContain("tools.3.name: too long");
});

test("[STRM-19] arguments cut by the output limit are never run: the text is kept, the call is named", async () => {
  const input = '{"path":"a","content":"lorem ip';
  const cut = { id: "w", name: "write_file", arguments: input };
  const got = (await hear(reply({ text: "Writing.", calls: [cut], finish: "length" }))).reply;
  const droppedTools = ["write_file"];
  expect(got).toMatchObject({ type: "cut", partial: { text: "Writing.", reasoning: "", droppedTools } });
  expect((await hear(reply({ calls: [cut], finish: "length" }))).reply).toMatchObject({
    type: "cut",
    partial: { text: "", droppedTools },
  });
});

test("[STRM-19] a call with no arguments yet is not complete when the limit cut it", async () => {
  const got = (await hear(reply({ calls: [{ id: "w", name: "purge", arguments: "" }], finish: "length" }))).reply;
  expect(got).toMatchObject({ type: "cut", partial: { text: "", droppedTools: ["purge"] } });
});

test("[C10] a stream that ends in the middle of a call names the call as dropped", async () => {
  const cut = { id: "w", name: "write_file", arguments: '{"path":"a","content":"lorem ip' };
  const clean = failure(
    (await hear(reply({ text: "On it.", calls: [cut], finish: null, usage: null, done: false }))).reply,
  );
  expect(clean.partial).toEqual({ text: "On it.", reasoning: "", droppedTools: ["write_file"] });
  const reset = failure((await hear(broken({ text: "On it.", calls: [cut] }, 3, "cut"))).reply);
  expect(reset).toMatchObject({
    failure: { reason: "timeout", retryable: true },
    partial: { droppedTools: ["write_file"] },
  });
});

test("[C10] a stream that closes before its finish reason and [DONE] is broken, and what was shown is partial", async () => {
  const cut = { text: "Half an", finish: null, usage: null, done: false };
  for (const options of [{}, { untilClose: true, headers: { connection: "close" } }] as const) {
    const got = failure((await hear(reply(cut, options))).reply);
    expect(got).toMatchObject({
      failure: { reason: "server_error", retryable: true, message: expect.stringContaining("in the middle") },
      partial: { text: "Half an", droppedTools: [] },
    });
  }
  const call = { id: "w", name: "write_file", arguments: "{}" };
  const complete = failure((await hear(reply({ ...cut, calls: [call] }, { untilClose: true }))).reply);
  expect(complete.partial).toEqual({ text: "Half an", reasoning: "", droppedTools: ["write_file"] });
});

test("[STRM-09] a finish reason without [DONE], or [DONE] without a finish reason, ends a reply as well", async () => {
  for (const script of [{ done: false }, { finish: null }]) {
    const got = await hear(reply({ text: "All", ...script }, { untilClose: true, headers: { connection: "close" } }));
    expect(message(got.reply)).toMatchObject({ finish: "stop", message: { parts: [{ type: "text", text: "All" }] } });
  }
});

test("[C4] finish content_filter and a refusal field are content_policy_blocked", async () => {
  const filtered = failure((await hear(reply({ text: "Some", finish: "content_filter" }))).reply);
  expect(filtered).toMatchObject({
    failure: { reason: "content_policy_blocked", retryable: false, shouldFallback: true },
    partial: { text: "Some" },
  });
  expect(filtered.failure.message).toContain("Some");
  const refused = failure((await hear(stream([delta({ refusal: "I can't help with that." }, "stop"), DONE]))).reply);
  expect(refused.failure).toMatchObject({ reason: "content_policy_blocked" });
  expect(refused.failure.message).toContain("I can't help with that.");
  expect(refused.partial).toBeUndefined();
});

test("[C9] a reply with nothing but white space or reasoning is empty", async () => {
  expect((await hear(say(" \n"))).reply).toMatchObject({ type: "empty", usage: { input: 20 } });
  expect((await hear(say("\u200B \u200D\uFEFF\u2060"))).reply).toMatchObject({ type: "empty" });
  expect((await hear(reply({ reasoning: "hm" }))).reply).toMatchObject({
    type: "empty",
    reasoning: { type: "reasoning", text: "hm", provenance: { provider: "fake" } },
  });
});

test("[C8] [C12] a reply that goes on keeps the white space it begins with", async () => {
  const got = await hear(say(["\n", "\n", "Two"]), { continues: true });
  expect(got.text).toBe("\n\nTwo");
  expect(message(got.reply).message.parts).toEqual([{ type: "text", text: "\n\nTwo" }]);
});

test("[C12] native reasoning is a part of its own with provenance, whichever field carries it", async () => {
  const got = await hear(reply({ reasoning: "think first", text: "Done." }));
  expect(got.reasoning).toBe("think first");
  expect(message(got.reply).message.parts).toEqual([
    { type: "reasoning", text: "think first", provenance: { provider: "fake", model: "fake-1" } },
    { type: "text", text: "Done." },
  ]);
  const other = await hear(stream([delta({ reasoning: "alt" }), delta({ content: "x" }, "stop"), DONE]));
  expect(other.reasoning).toBe("alt");
});

test("[C12] inline thinking is split off across chunks", async () => {
  const got = await hear(say(["<thi", "nk>secret</th", "ink>Visible"]));
  expect(got.text).toBe("Visible");
  expect(got.reasoning).toBe("secret");
  const { message: stored } = message(got.reply);
  expect([textOf(stored), reasoningOf(stored)]).toEqual(["Visible", "secret"]);
});

test("[C18] a whole JSON reply to a streaming request is decoded too", async () => {
  const call = { id: "c1", type: "function", function: { name: "ls", arguments: "{}" } };
  const choice = {
    message: { role: "assistant", content: "<think>x</think>Hi", tool_calls: [call] },
    finish_reason: "tool_calls",
  };
  const got = await hear(wholeJson({ choices: [choice], usage: { prompt_tokens: 3, completion_tokens: 2 } }));
  expect(got.text).toBe("Hi");
  expect(calls(got.reply)).toEqual([["c1", "ls", "{}"]]);
  expect(message(got.reply).usage).toMatchObject({ input: 3, output: 2 });
});

test("[C7] a web page, a broken event and a bare JSON value are failures with a sentence", async () => {
  const page = failure((await hear(stream(["<!doctype html><title>Hi</title>"]))).reply).failure.message;
  expect(page).toContain("web page");
  expect(page).not.toContain("<");
  expect(failure((await hear(stream(["data: {oops\n\n"]))).reply).failure.message).toContain("not a JSON object");
  expect(failure((await hear(wholeJson({ detail: "Not Found" }))).reply).failure.message).toContain("Not Found");
  expect(failure((await hear(wholeJson([1]))).reply).failure.retryable).toBe(true);
});

test("[C7] the texts of a whole message stand under each other, those of an event go on", async () => {
  const content = [
    { type: "text", text: "a" },
    { type: "text", text: "b" },
  ];
  const choice = { message: { role: "assistant", content }, finish_reason: "stop" };
  expect(textOf(message((await hear(wholeJson({ choices: [choice] }))).reply).message)).toBe("a\nb");
  expect(textOf(message((await hear(stream([delta({ content }, "stop"), DONE]))).reply).message)).toBe("ab");
});

test("[C7] content given as a list of parts is read", async () => {
  const content = [
    { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
    { type: "text", text: "Yes" },
  ];
  const got = await hear(stream([delta({ content }, "stop"), DONE]));
  expect([got.text, got.reasoning]).toEqual(["Yes", "hm"]);
});

test("[COST-02] usage is normalised: gross input, cached and reasoning tokens as parts", async () => {
  const usage = {
    prompt_tokens: 2785,
    prompt_tokens_details: { cached_tokens: 2688 },
    completion_tokens: 10,
    completion_tokens_details: { reasoning_tokens: 6 },
  };
  const got = message((await hear(reply({ text: "x", usage }))).reply).usage;
  expect(got).toEqual({ input: 2785, output: 10, cacheRead: 2688, cacheWrite: 0, reasoning: 6, cacheTold: true });
});

test("[X5] [C16] nothing read from a cache, and nothing said of one, are not the same", async () => {
  const usage = { prompt_tokens: 27, completion_tokens: 10 };
  const told = async (details: unknown): Promise<unknown> =>
    message((await hear(reply({ text: "x", usage: { ...usage, prompt_tokens_details: details } }))).reply).usage;
  const silent = { input: 27, output: 10, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  expect(await told({ cached_tokens: 0 })).toEqual({ ...silent, cacheTold: true });
  expect(await told({ cached_tokens: null })).toEqual(silent);
  expect(await told(null)).toEqual(silent);
});

test("[C4] missing ids are made up and stay the same; doubled ones are told apart", async () => {
  const nameless = callTools([{ id: null, name: "ls", arguments: {} }]);
  const first = calls((await hear(nameless)).reply);
  expect(first).toEqual(calls((await hear(nameless)).reply));
  expect(first).toEqual([[expect.stringMatching(/^call_[0-9a-f]{12}$/), "ls", "{}"]]);
  const doubled = await hear(callTools(["a", "b"].map((path) => ({ id: "same", name: "ls", arguments: { path } }))));
  expect(calls(doubled.reply)).toEqual([
    ["same", "ls", '{"path":"a"}'],
    ["same_2", "ls", '{"path":"b"}'],
  ]);
});

test("[C4] an id that the conversation has already is made new", async () => {
  const same = callTools([{ id: "call_0", name: "ls", arguments: {} }]);
  await using provider = await fakeProvider([same, same, say("done")]);
  using client = connect(provider.baseUrl);
  const history: Message[] = [userText("go")];
  for (const expected of ["call_0", "call_0_2"]) {
    const { message: asked } = message((await client.call({ history })).reply);
    expect(callsOf(asked).map((call) => call.callId)).toEqual([expected]);
    history.push(asked, { role: "tool", callId: expected, status: "ok", parts: [{ type: "text", text: "a.txt" }] });
  }
  expect((await client.call({ history })).text).toBe("done");
});

test.each([
  { prompt_tokens: 1e300, completion_tokens: 1 },
  { prompt_tokens: 3, completion_tokens: 1.5 },
  { prompt_tokens: 3, completion_tokens: 1, prompt_tokens_details: { cached_tokens: "12" } },
  { prompt_tokens: 3, completion_tokens: 1, cache_creation: { ephemeral_1h_input_tokens: -1 } },
  { prompt_tokens: 0, completion_tokens: 0 },
  {},
])("[COST-02] [X4] what no count can be, in %j, makes the usage unknown", async (usage) => {
  expect(message((await hear(reply({ text: "x", usage }))).reply)).not.toHaveProperty("usage");
});

test.each([null, "none", {}, 7])(
  "[C7] choices that are no list (%j) are nothing, beside a usage or alone",
  async (choices) => {
    const usage = { prompt_tokens: 3, completion_tokens: 1 };
    const { reply: got } = await hear(
      stream([event({ choices }), delta({ content: "x" }, "stop"), event({ choices, usage })]),
    );
    expect(got).toMatchObject({ type: "message", usage: { input: 3, output: 1 } });
    expect(failure((await hear(stream([event({ choices }), DONE]))).reply).failure.message).toContain(
      "check the base URL",
    );
  },
);
