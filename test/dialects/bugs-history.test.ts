import { expect, test } from "vitest";
import { callsOf, type Message, type ReasoningPart, userText } from "../../src/protocol/message.ts";
import { PAUSE } from "../support/wire-script.ts";
import { talkTo } from "./client.ts";
import { bot, NEW } from "./refusing.ts";
import { calls, type Mode, raw, replies, says, thinks } from "./script.ts";
import type { Json } from "./shape.ts";
import { sideOf } from "./subjects.ts";
import { fakeDialect, sseFrame } from "./wire.ts";

const frame = (data: { readonly type: string } & Json): Buffer => sseFrame({ name: data.type, data }, {});

const anthropicStart = [
  frame({ type: "message_start", message: { type: "message", role: "assistant", content: [] } }),
  frame({ type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } }),
  frame({ type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "half a tho" } }),
];

test.each(["anthropic_messages", "bedrock_converse", "gemini"] as const)(
  "[HIST-04] [C17] text of nothing but white space is not sent to %s: a call stands alone, an empty message goes",
  async (mode) => {
    await using server = await fakeDialect(sideOf(mode).wire, [says("Done.")]);
    await using on = bot(mode, server);
    await on.importMessages("s", [
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: "\n\n ",
        tool_calls: [{ id: "w1", type: "function", function: { name: "ls", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "w1", content: "x" },
      { role: "assistant", content: "\n\n " },
    ]);
    expect(await on.run("and now?", { sessionId: "s" })).toMatchObject({ answer: "Done." });
    const sent = server.requests[0]?.text ?? "";
    expect(sent).toContain("ls");
    expect(sent).not.toContain(String.raw`"\n\n "`);
    expect(sent).not.toMatch(/"text":"\s*"/);
  },
);

test("[HIST-08] [C5] a thought that was cut before its seal came is not sent back, neither alone nor beside a text", async () => {
  const { wire } = sideOf("anthropic_messages");
  await using server = await fakeDialect(wire, [
    raw({ frames: anthropicStart, end: "reset" }),
    says("Hello."),
    raw({
      frames: [
        ...anthropicStart,
        frame({ type: "content_block_start", index: 1, content_block: { type: "text", text: "" } }),
        frame({ type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "So far" } }),
        PAUSE,
      ],
    }),
    says("Fine."),
  ]);
  await using on = bot("anthropic_messages", server);
  expect(await on.run("hi", { sessionId: "s" })).toMatchObject({ answer: "Hello." });
  const shown = Promise.withResolvers<string>();
  const stopped = on.run("more", { sessionId: "s", onText: shown.resolve });
  expect(await shown.promise).toBe("So far");
  await (await on.sessions.lane("s")).interrupt("user");
  expect((await stopped).exit.reason).toBe("interrupted_during_api_call");
  expect(await on.run("and now?", { sessionId: "s" })).toMatchObject({ answer: "Fine." });
  expect(server.requests).toHaveLength(4);
  expect(server.requests.at(-1)?.text).toContain("So far");
  for (const { text } of server.requests) expect(text).not.toContain("half a tho");
});

test("[HIST-08] [C5] a thought that never got a seal is kept to be read, and not sent back", async () => {
  const { wire } = sideOf("anthropic_messages");
  const unsealed = [
    ...anthropicStart,
    frame({ type: "content_block_stop", index: 0 }),
    frame({ type: "content_block_start", index: 1, content_block: { type: "text", text: "Hello." } }),
    frame({ type: "content_block_stop", index: 1 }),
    frame({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } }),
    frame({ type: "message_stop" }),
  ];
  await using server = await fakeDialect(wire, [raw({ frames: unsealed }), says("Fine.")]);
  await using on = bot("anthropic_messages", server);
  expect(await on.run("hi", { sessionId: "s" })).toMatchObject({ answer: "Hello.", lastReasoning: "half a tho" });
  expect(await on.run("and now?", { sessionId: "s" })).toMatchObject({ answer: "Fine." });
  expect(server.requests.at(-1)?.text).not.toContain("half a tho");
});

const SEALED: readonly { mode: Mode; other: string; sealed: RegExp }[] = [
  { mode: "anthropic_messages", other: "claude-other-2", sealed: /"type":"thinking"/ },
  { mode: "bedrock_converse", other: "us.anthropic.claude-other-v2:0", sealed: /"reasoningContent"/ },
  { mode: "codex_responses", other: "gpt-other-2", sealed: /"type":"reasoning"/ },
  { mode: "gemini", other: "learnlm-other-2", sealed: /"thoughtSignature"/ },
];

test.each(SEALED)(
  "[HIST-09] [C5] what $mode sealed is for its own model: it is kept, left out for another one, and sent again on the way back",
  async ({ mode, other, sealed }) => {
    const side = sideOf(mode);
    const acts = [
      replies([thinks("Hm."), { type: "text", text: "ans" }, calls("ls", {})]),
      says("theirs", NEW),
      says("mine", NEW),
    ];
    await using client = await talkTo(side, acts, { provider: "there" });
    const history: Message[] = [userText("q")];
    const ask = async (model: string): Promise<string | undefined> => {
      const { reply } = await client.ask(history, { model });
      if (reply.type !== "message") throw new Error(JSON.stringify(reply));
      const receipts = callsOf(reply.message).map(({ callId }): Message => ({
        role: "tool",
        callId,
        status: "ok",
        parts: [{ type: "text", text: "x" }],
      }));
      history.push(reply.message, ...receipts);
      return client.server.requests.at(-1)?.text;
    };
    await ask(side.model);
    const kept = structuredClone(history);
    const theirs = await ask(other);
    expect(theirs).not.toMatch(sealed);
    expect(theirs).toContain("ans");
    expect(theirs).toMatch(/"name":"ls"/);
    expect(history.slice(0, kept.length)).toEqual(kept);
    history.push(userText("go on"));
    expect(await ask(side.model)).toMatch(sealed);
    const made = kept.flatMap((message) => (message.role === "assistant" ? message.parts : []));
    const thought = made.find((part): part is ReasoningPart => part.type === "reasoning");
    expect(thought?.provenance).toEqual({ provider: "there", model: side.model });
  },
);

/** The report's ids, and rules of servers for them. */
const IDS = [
  "call_PTLP8xhu3uwZk4l3nlnrrJha",
  "toolu_01ABC",
  "turn1_0",
  "bash-uOQIdN0O",
  "functions.ls:0",
  "",
  "a".repeat(200),
];

const ID_RULES: readonly { mode: Mode; provider: string; rule: RegExp; call: RegExp; result: RegExp }[] = [
  {
    mode: "chat_completions",
    provider: "mistral",
    rule: /^[a-zA-Z0-9]{9}$/,
    call: /"id":"([^"]*)","type":"function"/g,
    result: /"tool_call_id":"([^"]*)"/g,
  },
  {
    mode: "anthropic_messages",
    provider: "there",
    rule: /^[a-zA-Z0-9_-]+$/,
    call: /"type":"tool_use","id":"([^"]*)"/g,
    result: /"tool_use_id":"([^"]*)"/g,
  },
  {
    mode: "bedrock_converse",
    provider: "there",
    rule: /^[a-zA-Z0-9_-]{1,64}$/,
    call: /"toolUse":\{"toolUseId":"([^"]*)"/g,
    result: /"toolResult":\{"toolUseId":"([^"]*)"/g,
  },
  {
    mode: "codex_responses",
    provider: "there",
    rule: /^\S{1,64}$/,
    call: /"type":"function_call","call_id":"([^"]*)"/g,
    result: /"type":"function_call_output","call_id":"([^"]*)"/g,
  },
];

test.each(ID_RULES)(
  "[HIST-16] [C2] ids of calls from anywhere become ids that $mode of $provider takes: the same for call and result, each time, and no two alike",
  async ({ mode, provider, rule, call, result }) => {
    const history: Message[] = [
      userText("go"),
      {
        role: "assistant",
        parts: IDS.map((callId) => ({ type: "tool-call", callId, name: "ls", input: "{}" })),
      },
      ...IDS.map((callId): Message => ({ role: "tool", callId, status: "ok", parts: [{ type: "text", text: "x" }] })),
    ];
    const kept = structuredClone(history);
    const sent: string[][] = [];
    for (let time = 0; time < 2; time++) {
      await using client = await talkTo(sideOf(mode), [says("ok")], { provider });
      await client.ask(history);
      const text = client.server.requests[0]?.text ?? "";
      sent.push(...[call, result].map((ids) => [...text.matchAll(ids)].map(([, id = ""]) => id)));
    }
    const [ids = [], ...others] = sent;
    expect(ids).toHaveLength(IDS.length);
    for (const id of ids) expect(id).toMatch(rule);
    expect(new Set(ids).size).toBe(IDS.length);
    for (const other of others) expect(other).toEqual(ids);
    expect(history).toEqual(kept);
  },
);

const inputTypes = ({ body }: { readonly body: Json }): unknown[] =>
  (body["input"] as readonly Json[]).map(({ type, role }) => type ?? role);

test("[HIST-18] [C3] items of one response go back in their order as a group, and no reasoning without what it led to", async () => {
  const { wire } = sideOf("codex_responses");
  const thought = thinks("Hm.");
  const text = { type: "text", text: "Look:" } as const;
  const variants = [
    [thought, calls("ls", {}), text],
    [text, calls("ls", {})],
    [thought, text, thinks("And then."), calls("ls", {}), thinks("So.")],
  ];
  const expected = [
    ["reasoning", "function_call", "assistant"],
    ["assistant", "function_call"],
    ["reasoning", "assistant", "reasoning", "function_call"],
  ];
  for (const [at, parts] of variants.entries()) {
    await using server = await fakeDialect(wire, [replies(parts), says("done")]);
    await using on = bot("codex_responses", server);
    expect(await on.run("go")).toMatchObject({ answer: "done" });
    const [, second] = server.requests;
    if (second === undefined) throw new Error("there was no second request");
    expect(inputTypes(second)).toEqual(["user", ...(expected[at] ?? []), "function_call_output"]);
    expect(second.text).not.toMatch(/"id":"(?:rs|msg|fc)_/);
  }
});

test("[HIST-18] [C3] a response that was aborted behind its reasoning leaves none behind", async () => {
  const { wire } = sideOf("codex_responses");
  await using server = await fakeDialect(wire, [
    replies([thinks("Hm."), { type: "text", text: "So far" }, thinks("And then")], {
      broken: { after: 3, by: "stall" },
    }),
    says("Fine."),
  ]);
  await using on = bot("codex_responses", server);
  const shown = Promise.withResolvers<string>();
  const stopped = on.run("go", { sessionId: "s", onText: shown.resolve });
  expect(await shown.promise).toBe("So far");
  await (await on.sessions.lane("s")).interrupt("user");
  await stopped;
  expect(await on.run("and now?", { sessionId: "s" })).toMatchObject({ answer: "Fine." });
  const [, second] = server.requests;
  expect(second && inputTypes(second)).toEqual(["user", "assistant", "user"]);
});

test("[HIST-19] [C3] reasoning that came without encrypted content is not sent back, and no id is", async () => {
  const { wire, model } = sideOf("codex_responses");
  const response = {
    object: "response",
    model,
    status: "completed",
    output: [
      {
        type: "reasoning",
        id: "rs_9",
        summary: [{ type: "summary_text", text: "Hm." }],
        encrypted_content: null,
      },
      {
        type: "function_call",
        id: "fc_9",
        call_id: "c1",
        name: "ls",
        arguments: "{}",
        status: "completed",
      },
    ],
  };
  const whole = raw({ headers: { "content-type": "application/json" }, frames: [JSON.stringify(response)] });
  await using server = await fakeDialect(wire, [whole, says("done")]);
  await using on = bot("codex_responses", server);
  expect(await on.run("go")).toMatchObject({ answer: "done" });
  const [, second] = server.requests;
  expect(second && inputTypes(second)).toEqual(["user", "function_call", "function_call_output"]);
  expect(second?.text).not.toMatch(/(?:rs|fc)_9/);
});

test("[HIST-21] [C2] all answers to a turn's calls stand in one content, in order, and what the user says then in another", async () => {
  await using client = await talkTo(sideOf("gemini"), [says("ok"), says("bye")]);
  const call = (callId: string, name: string) => ({ type: "tool-call", callId, name, input: "{}" }) as const;
  const receipt = (callId: string): Message => ({
    role: "tool",
    callId,
    status: "ok",
    parts: [{ type: "text", text: callId }],
  });
  const history: Message[] = [
    userText("go"),
    { role: "assistant", parts: [call("1", "a"), call("2", "b")] },
    receipt("1"),
    receipt("2"),
  ];
  await client.ask(history);
  await client.ask([...history, { ...userText("also do c"), midTurn: true }]);
  const contents = client.server.requests.at(-1)?.body["contents"] as readonly Json[];
  const shown = contents.map(({ role, parts }) => [
    role,
    (parts as readonly Json[]).flatMap((part) => Object.keys(part)),
  ]);
  expect(shown).toEqual([
    ["user", ["text"]],
    ["model", ["functionCall", "functionCall"]],
    ["user", ["functionResponse", "functionResponse"]],
    ["model", ["text"]],
    ["user", ["text"]],
  ]);
  expect(JSON.stringify(contents[2])).toMatch(/"name":"a".*"name":"b"/);
  expect(contents.at(-1)?.["parts"]).toEqual([{ text: "also do c" }]);
});
