import fc from "fast-check";
import { expect, test } from "vitest";
import { assistantText, type AssistantMessage, type Message, userText } from "../../protocol/message.ts";
import type { ModelRequest } from "../../protocol/ports.ts";
import { markSteer } from "../../protocol/steer-marker.ts";
import { type Addressee, Conversation } from "../conversation.ts";
import { anthropicMessages } from "./index.ts";
import { PLAIN_REQUEST } from "../../../test/support/plain-request.ts";

const NONCE = "0a1b2c";
const MODEL = "claude-opus-4-6";
const TOOLS = [
  { name: "ls", description: "Lists.", parameters: { type: "object" } },
  { name: "cat", description: "", parameters: { type: "object", properties: { path: { type: "string" } } } },
];
const TO: Addressee = { dialect: anthropicMessages, host: "api.anthropic.com", provider: "anthropic" };

const request = (history: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  provider: "anthropic",
  model: MODEL,
  history,
  ...PLAIN_REQUEST,
  ...more,
});

const conversationOf = (to: Partial<Addressee> = {}, tools = TOOLS): Conversation =>
  new Conversation({ system: "You help.", tools, nonce: NONCE }, { ...TO, ...to });

interface Body {
  readonly messages: { readonly role: string; readonly content: Record<string, unknown>[] }[];
  readonly [key: string]: unknown;
}

const sent = (conversation: Conversation, asked: ModelRequest): Body =>
  JSON.parse(conversation.encode(asked).body.toString()) as Body;
const bodyOf = (history: readonly Message[], more: Partial<ModelRequest> = {}, to: Partial<Addressee> = {}): Body =>
  sent(conversationOf(to), request(history, more));
/** Without marks. */
const messagesOf = (history: readonly Message[], to: Partial<Addressee> = {}, model = MODEL): unknown =>
  bodyOf(history, { model }, { ...to }).messages.map(({ role, content }) => [
    role,
    content.map(({ cache_control: _mark, ...block }) => block),
  ]);

const calling = (callId: string, input = "{}", name = "ls"): AssistantMessage => ({
  role: "assistant",
  parts: [{ type: "tool-call", callId, name, input }],
});
const receipt = (callId: string, text: string): Extract<Message, { role: "tool" }> => ({
  role: "tool",
  callId,
  status: "ok",
  parts: [{ type: "text", text }],
});
const provenance = { provider: "anthropic", model: MODEL };
const signed = (text: string, by = provenance) =>
  ({ type: "reasoning", text, opaque: { signature: `of ${text}` }, provenance: by }) as const;
const call = (callId: string) => ({ type: "tool-call", callId, name: "ls", input: "{}" }) as const;
const text = (value: string) => ({ type: "text", text: value }) as const;

test("[C1] a request names model, tools, system prompt, messages and its longest reply", () => {
  const body = bodyOf([userText(" hi ")], { model: "anthropic/claude-opus-4.6" });
  expect(body).toMatchObject({
    model: "claude-opus-4-6",
    stream: true,
    max_tokens: 128_000,
    tools: [
      { name: "ls", description: "Lists.", input_schema: { type: "object", properties: {} } },
      { name: "cat", input_schema: { type: "object", properties: { path: { type: "string" } } } },
    ],
    system: [{ type: "text", text: expect.stringMatching(/^You help\./) as string }],
    messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
  });
  expect(body["tools"]).not.toHaveProperty("1.description");
  expect(body).not.toHaveProperty("thinking");
  expect(bodyOf([userText("a")], { maxOutput: 9, noTools: true })).toMatchObject({
    max_tokens: 9,
    tool_choice: { type: "none" },
  });
  expect(sent(conversationOf({}, []), request([userText("a")], { noTools: true }))).not.toHaveProperty("tool_choice");
});

test("[C5] where no tool is offered any more, calls of the past stand beside one that cannot be called", () => {
  const conversation = conversationOf({}, []);
  expect(sent(conversation, request([userText("a")]))).not.toHaveProperty("tools");
  expect(sent(conversation, request([userText("a"), calling("c"), receipt("c", "x")]))).toMatchObject({
    tools: [{ name: "none" }],
    tool_choice: { type: "none" },
    messages: [{}, { content: [{ type: "tool_use" }] }, { content: [{ type: "tool_result" }] }],
  });
});

test("[C5] receipts, what was said meanwhile and new questions share one message, receipts first", () => {
  const steer = { type: "steer", steerId: "s", text: "hurry" } as const;
  const second = receipt("b", "two");
  const history: Message[] = [
    userText("go"),
    { role: "assistant", parts: [text("I look.\n"), call("a"), call("b")] },
    receipt("a", " "),
    { ...second, status: "error", parts: [...second.parts, steer] },
    { ...userText("and then?"), midTurn: true },
  ];
  expect(messagesOf(history)).toEqual([
    ["user", [{ type: "text", text: "go" }]],
    [
      "assistant",
      [
        { type: "text", text: "I look.\n" },
        { type: "tool_use", id: "a", name: "ls", input: {} },
        { type: "tool_use", id: "b", name: "ls", input: {} },
      ],
    ],
    [
      "user",
      [
        { type: "tool_result", tool_use_id: "a", content: "(no output)" },
        { type: "tool_result", tool_use_id: "b", content: `two\n\n${markSteer("hurry", NONCE)}`, is_error: true },
        { type: "text", text: "and then?" },
      ],
    ],
  ]);
});

test("[C5] ids of calls are written in legal letters, two stay two, and receipts find theirs", () => {
  const message: Message = { role: "assistant", parts: [call("call|1"), call("call:1"), call("call_1")] };
  const ids = ["call|1", "call:1", "call_1"];
  const { messages } = bodyOf([userText("a"), message, ...ids.map((id) => receipt(id, "x"))]);
  const asked = messages[1]?.content.map(({ id }) => String(id)) ?? [];
  expect(new Set(asked).size).toBe(3);
  for (const id of asked) expect(id).toMatch(/^[\w-]+$/);
  expect(messages[2]?.content.map(({ tool_use_id: id }) => id)).toEqual(asked);
});

test("[C5] pictures are blocks, in questions and in receipts; what is none to the API is told", () => {
  const web = { type: "image", url: "https://h.test/x.png" } as const;
  const bytes = { type: "image", url: "data:image/png;base64,aGk=" } as const;
  const strange = { type: "image", url: "data:image/bmp;base64,aGk=" } as const;
  const shot: Message = { role: "tool", callId: "c", status: "ok", parts: [text("shot"), bytes] };
  expect(messagesOf([{ role: "user", parts: [text("see"), web, text(" "), strange] }, calling("c"), shot])).toEqual([
    [
      "user",
      [
        { type: "text", text: "see" },
        { type: "image", source: { type: "url", url: "https://h.test/x.png" } },
        { type: "text", text: "[image: image/bmp]" },
      ],
    ],
    ["assistant", [{ type: "tool_use", id: "c", name: "ls", input: {} }]],
    [
      "user",
      [
        {
          type: "tool_result",
          tool_use_id: "c",
          content: [
            { type: "text", text: "shot" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
          ],
        },
      ],
    ],
  ]);
});

test("[C5] thoughts go back in their places, with their seals, to the model they are of", () => {
  const hidden = { type: "reasoning", text: "", opaque: { data: "c2VhbA" }, provenance } as const;
  const unsigned = { type: "reasoning", text: "loose", provenance } as const;
  const parts = [signed("one"), call("a"), hidden, signed("two"), call("b"), unsigned];
  const history: Message[] = [userText("go"), { role: "assistant", parts }, receipt("a", "1"), receipt("b", "2")];
  const use = (id: string): object => ({ type: "tool_use", id, name: "ls", input: {} });
  const whole = [
    { type: "thinking", thinking: "one", signature: "of one" },
    use("a"),
    { type: "redacted_thinking", data: "c2VhbA" },
    { type: "thinking", thinking: "two", signature: "of two" },
    use("b"),
  ];
  expect(messagesOf(history)).toMatchObject([{}, ["assistant", whole], {}]);
  const bare = [use("a"), use("b")];
  for (const [to, model] of [
    [{ provider: "openrouter" }, MODEL],
    [{}, "claude-sonnet-4-6"],
  ] as const)
    expect(messagesOf(history, to, model)).toMatchObject([{}, ["assistant", bare], {}]);
  expect(messagesOf(history, {}, "claude-opus-4-6-20260101")).toMatchObject([{}, ["assistant", whole], {}]);
});

test("[C5] a thought never ends a message, and one that was never signed goes back only where none is", () => {
  const unsigned = { type: "reasoning", text: "hm", provenance: { provider: "deepseek", model: "r" } } as const;
  const history: Message[] = [userText("a"), { role: "assistant", parts: [unsigned, text("b"), unsigned] }];
  const answer = { type: "text", text: "b" };
  expect(messagesOf(history, { provider: "deepseek", host: "h" }, "r")).toMatchObject([{}, ["assistant", [answer]]]);
  const there = messagesOf(history, { provider: "deepseek", host: "api.deepseek.com" }, "r");
  expect(there).toMatchObject([{}, ["assistant", [{ type: "thinking", thinking: "hm" }, answer]]]);
});

const marksOf = (body: Body): unknown[] =>
  [body["tools"], body["system"], ...body.messages.map(({ content }) => content)].map((blocks) =>
    ((blocks ?? []) as Record<string, unknown>[]).map(({ cache_control: mark }) => mark),
  );

test("[C14] marks stand behind tools, system prompt and all that stays; the head keeps its bytes", () => {
  const mark = { type: "ephemeral" };
  const conversation = conversationOf();
  const history: Message[] = [userText("a"), calling("c"), receipt("c", "x")];
  expect(marksOf(sent(conversation, request([userText("a")])))).toEqual([[undefined, mark], [mark], [mark]]);
  const first = conversation.encode(request(history.slice(0, 1)));
  const firstHead = first.body.length - Buffer.byteLength(first.record.tail);
  const start = Buffer.from(first.body.subarray(0, firstHead)).toString();
  const nudge = [assistantText("(empty)"), userText("Go on.")];
  const second = conversation.encode(request(history, { tail: nudge }));
  expect(second.record.continues).toBe(true);
  expect(second.body.toString().startsWith(start)).toBe(true);
  expect(marksOf(JSON.parse(second.body.toString()) as Body)).toEqual([
    [undefined, mark],
    [mark],
    [undefined],
    [undefined],
    [mark],
    [undefined],
    [undefined],
  ]);
  expect(marksOf(bodyOf(history, {}, { cacheTtl: "1h" })).flat()).toContainEqual({ type: "ephemeral", ttl: "1h" });
  const elsewhere = bodyOf(history, { model: "glm-5" }, { provider: "zai", host: "api.z.ai" });
  expect(marksOf(elsewhere).flat().filter(Boolean)).toEqual([]);
});

test("[C2] a model is told to think as it can be told: by effort, by a budget, or not at all", () => {
  const told = (model: string, effort: NonNullable<Addressee["effort"]>, more: Partial<ModelRequest> = {}): unknown => {
    const {
      thinking,
      output_config: config,
      max_tokens: most,
    } = bodyOf([userText("a")], { model, ...more }, { effort });
    return { thinking, config, most };
  };
  const adaptive = { type: "adaptive", display: "summarized" };
  expect(told("claude-opus-4-7", "xhigh")).toEqual({ thinking: adaptive, config: { effort: "xhigh" }, most: 128_000 });
  expect(told("claude-sonnet-4-6", "xhigh")).toMatchObject({ config: { effort: "max" } });
  expect(told("claude-mythos-preview", "minimal")).toMatchObject({ thinking: adaptive, config: { effort: "low" } });
  const budget = (tokens: number) => ({ type: "enabled", budget_tokens: tokens });
  expect(told("claude-sonnet-4-5-20250929", "high", { maxOutput: 4_096 })).toEqual({
    thinking: budget(16_000),
    most: 20_096,
  });
  expect(told("claude-opus-4-1", "max")).toEqual({ thinking: budget(32_000 - 4_096), most: 32_000 });
  expect(told("claude-3-5-haiku-20241022", "high")).toEqual({ most: 8_192 });
  expect(told("kimi-k2.5", "high")).toEqual({ most: 128_000 });
});

test("[C2] with a budget nothing is thought where calls are answered that another model made without a thought", () => {
  const think = (first: AssistantMessage["parts"][number]): unknown =>
    bodyOf(
      [userText("a"), { role: "assistant", parts: [first, call("c")] }, receipt("c", "x")],
      { model: "claude-sonnet-4-5" },
      { effort: "high" },
    )["thinking"];
  expect(think(signed("hm", { provider: "anthropic", model: "claude-sonnet-4-5" }))).toBeDefined();
  expect(think(signed("hm"))).toBeUndefined();
  expect(think(text("well"))).toBeUndefined();
});

test("[C13] incremental heads are the bytes of a head built anew", () => {
  const words = fc.string({ unit: "binary", maxLength: 20 });
  fc.assert(
    fc.property(fc.array(fc.tuple(words, words, fc.boolean()), { maxLength: 8 }), (turns) => {
      const grown = conversationOf();
      const history: Message[] = [userText("go")];
      for (const [i, [input, output, thinks]] of turns.entries()) {
        grown.encode(request(history, { tail: [assistantText("(empty)"), userText(output)] }));
        const parts = [...(thinks ? [signed(input)] : []), text(output), call(`c${i}`)];
        history.push({ role: "assistant", parts }, receipt(`c${i}`, output));
      }
      const anew = conversationOf();
      expect(grown.encode(request(history)).body.equals(anew.encode(request(history)).body)).toBe(true);
      JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(grown.encode(request(history)).body));
    }),
  );
});
