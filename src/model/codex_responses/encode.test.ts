import { expect, test } from "vitest";
import { type AssistantMessage, assistantText, type Message, userText } from "../../protocol/message.ts";
import type { ModelRequest } from "../../protocol/ports.ts";
import { markSteer } from "../../protocol/steer-marker.ts";
import { type Addressee, Conversation } from "../conversation.ts";
import { codexResponses } from "./index.ts";
import { PLAIN_REQUEST } from "../../../test/support/plain-request.ts";

const NONCE = "0a1b2c";
const HOME = { provider: "openai", model: "gpt-5.4" };
const TOOLS = [{ name: "ls", description: "Lists.", parameters: { type: "object" } }];
const request = (history: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  ...HOME,
  history,
  ...PLAIN_REQUEST,
  ...more,
});
const conversation = (more: Partial<Addressee> = {}): Conversation =>
  new Conversation(
    { system: "You help.", tools: TOOLS, nonce: NONCE },
    { dialect: codexResponses, host: "api.openai.com", provider: HOME.provider, ...more },
  );

interface Body {
  readonly [key: string]: unknown;
  readonly input: readonly Readonly<Record<string, unknown>>[];
}
const bodyOf = (history: readonly Message[], more: Partial<ModelRequest> = {}, to: Partial<Addressee> = {}): Body =>
  JSON.parse(conversation(to).encode(request(history, more)).body.toString()) as Body;

const calling = (callId: string, input = "{}"): AssistantMessage => ({
  role: "assistant",
  parts: [{ type: "tool-call", callId, name: "ls", input }],
});
const receipt = (callId: string, text = "r"): Message => ({
  role: "tool",
  callId,
  status: "ok",
  parts: [{ type: "text", text }],
});
const thought = (sealed: string, made = HOME): AssistantMessage["parts"][number] => ({
  type: "reasoning",
  text: "a\n\nb",
  opaque: {
    summary: [
      { type: "summary_text", text: "a" },
      { type: "summary_text", text: "b" },
    ],
    encrypted_content: sealed,
  },
  provenance: made,
});

test("[C2] a request says how it is to be answered, and that nothing is to be stored", () => {
  const { prompt_cache_key: key, instructions, ...body } = bodyOf([userText(" hi ")]);
  expect(body).toEqual({
    model: "gpt-5.4",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    tools: [
      {
        type: "function",
        name: "ls",
        description: "Lists.",
        strict: false,
        parameters: { type: "object", properties: {} },
      },
    ],
    input: [{ role: "user", content: "hi" }],
  });
  expect(instructions).toMatch(/^You help\./u);
  expect(key).toMatch(/^[\da-f]{32}$/u);
});

test("[C2] how much is thought is said in the model's own words, the nearest there are", () => {
  const words = { off: "none", low: "low", medium: "medium", high: "high", xhigh: "xhigh" };
  const asked = (to: Partial<Addressee>, model = HOME.model): unknown[] => {
    const { include, reasoning } = bodyOf([userText("a")], { model }, to);
    return [include !== undefined, reasoning];
  };
  const thinks = (effort: string): unknown[] => [true, { effort, summary: "auto" }];
  expect(asked({ effort: "max", thinking: words })).toEqual(thinks("xhigh"));
  expect(asked({ effort: "minimal", thinking: words })).toEqual(thinks("low"));
  expect(asked({ effort: "medium", thinking: { low: "low", high: "high" } })).toEqual(thinks("low"));
  expect(asked({ effort: "max" })).toEqual(thinks("high"));
  expect(asked({ thinking: words })).toEqual([true, undefined]);
  expect(asked({ effort: "high", thinking: {} })).toEqual([false, undefined]);
  for (const model of ["openai/gpt-4.1-mini", "gpt-5.2-chat-latest"])
    expect(asked({ effort: "high" }, model)).toEqual([false, undefined]);
});

test("[C5] reasoning stands once, before what it led to, and never last", () => {
  const twice: AssistantMessage = {
    role: "assistant",
    parts: [thought("one"), thought("one"), { type: "text", text: " ok " }, ...calling("c").parts, thought("two")],
  };
  const sealed = {
    type: "reasoning",
    summary: [
      { type: "summary_text", text: "a" },
      { type: "summary_text", text: "b" },
    ],
    encrypted_content: "one",
  };
  expect(bodyOf([userText("q"), twice, receipt("c")]).input.slice(1)).toEqual([
    sealed,
    { role: "assistant", content: "ok" },
    { type: "function_call", call_id: "c", name: "ls", arguments: "{}" },
    { type: "function_call_output", call_id: "c", output: "r" },
  ]);
  for (const made of [
    { ...HOME, model: "gpt-5" },
    { ...HOME, provider: "azure" },
  ]) {
    const said: AssistantMessage = { role: "assistant", parts: [thought("one", made), { type: "text", text: "ok" }] };
    expect(bodyOf([userText("q"), said, userText("r")]).input[1]).toEqual({ role: "assistant", content: "ok" });
  }
});

test("[C5] texts that a server told apart stay apart, others are one", () => {
  const text = (value: string, phase?: string): AssistantMessage["parts"][number] => ({
    type: "text",
    text: value,
    ...(phase !== undefined && { opaque: { phase }, provenance: HOME }),
  });
  const parts = [text("a", "commentary"), text("\n\n"), text("b", "final_answer"), text("c"), text("d")];
  const { input } = bodyOf([userText("q"), { role: "assistant", parts }, userText("r")]);
  const item = (value: string, phase: string): unknown => ({
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: value }],
    phase,
  });
  expect(input.slice(1, -1)).toEqual([
    item("a", "commentary"),
    item("b", "final_answer"),
    { role: "assistant", content: "cd" },
  ]);
});

test("[C5] an id of another dialect is made one that is taken, the same for a call and its receipt", () => {
  const ids = ["call_1|fc_1", "call_2|", "toolu 1", "x".repeat(65), "a|b"];
  const history = [userText("q"), ...ids.flatMap((id) => [calling(id), receipt(id)])];
  const sent = bodyOf(history).input.slice(1);
  const called = sent.filter(({ type }) => type === "function_call").map(({ call_id: id }) => id);
  expect(sent.filter(({ type }) => type === "function_call_output").map(({ call_id: id }) => id)).toEqual(called);
  const hashed = expect.stringMatching(/^call_[\da-f]{32}$/u) as unknown;
  expect(called).toEqual(["call_1", "call_2", hashed, hashed, "a|b"]);
});

test("[B8] [C5] pictures are shown in questions and in receipts; the user's word stands behind the output", () => {
  const image = { type: "image", url: "https://h.test/x.png", detail: "low" } as const;
  const shown = { type: "input_image", image_url: image.url, detail: "low" };
  const steer = { type: "steer", steerId: "s", text: "hurry" } as const;
  const seen: Message = {
    role: "tool",
    callId: "c",
    status: "ok",
    parts: [{ type: "text", text: "shot" }, image, steer],
  };
  const asked: Message = { role: "user", parts: [{ type: "text", text: " see " }, image] };
  const { input } = bodyOf([asked, calling("c"), seen]);
  expect(input[0]).toEqual({ role: "user", content: [{ type: "input_text", text: "see" }, shown] });
  expect(input[2]?.["output"]).toEqual([{ type: "input_text", text: `shot\n\n${markSteer("hurry", NONCE)}` }, shown]);
});

test("[B10] [C17] a request that goes on says what one from scratch would say", () => {
  const all: readonly Message[] = [
    userText("a"),
    { role: "assistant", parts: [thought("one")] },
    userText("b"),
    { ...userText("inj"), midTurn: true },
    calling("c"),
    receipt("c"),
    { ...userText("more"), midTurn: true },
    assistantText("x"),
    assistantText("y"),
    userText("d"),
  ];
  const going = conversation();
  for (const [at, message] of all.entries()) {
    const history = all.slice(0, at + 1);
    if (message.role === "assistant" && message.parts[0]?.type === "tool-call") continue;
    const body = going.encode(request(history)).body.toString();
    expect(body).toBe(conversation().encode(request(history)).body.toString());
  }
});

test("[B4] what holds for one attempt stands behind its messages", () => {
  const body = bodyOf([userText("a")], { tail: [userText("sum up")], noTools: true, maxOutput: 5 });
  expect(body).toMatchObject({ tool_choice: "none", max_output_tokens: 16 });
  expect(body.input.at(-1)).toEqual({ role: "user", content: "sum up" });
});
