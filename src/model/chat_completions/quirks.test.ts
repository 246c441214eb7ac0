import { expect, test } from "vitest";
import { type AssistantMessage, type Message, userText } from "../../protocol/message.ts";
import type { ModelRequest } from "../../protocol/ports.ts";
import { type Addressee, Conversation } from "../conversation.ts";
import { chatCompletions } from "./index.ts";
import { PLAIN_REQUEST } from "../../../test/support/plain-request.ts";

const TOOLS = [{ name: "ls", description: "Lists.", parameters: { type: "object" } }];
const request = (history: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  provider: "p",
  model: "m",
  history,
  ...PLAIN_REQUEST,
  ...more,
});
const conversation = (to: Partial<Addressee> = {}): Conversation =>
  new Conversation(
    { system: "You help.", tools: TOOLS, nonce: "0a1b" },
    { dialect: chatCompletions, host: "h.test", provider: "p", ...to },
  );

interface Body {
  readonly [key: string]: unknown;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
}
const read = (body: Buffer): Body => JSON.parse(body.toString()) as Body;
const bodyOf = (history: readonly Message[], more: Partial<ModelRequest> = {}, to: Partial<Addressee> = {}): Body =>
  read(conversation(to).encode(request(history, more)).body);

const calling = (callId: string): AssistantMessage => ({
  role: "assistant",
  parts: [{ type: "tool-call", callId, name: "ls", input: "{}" }],
});
const receipt = (callId: string): Message => ({ role: "tool", callId, status: "ok", parts: [] });
const thinking = (provider: string, model: string): AssistantMessage => ({
  role: "assistant",
  parts: [
    { type: "reasoning", text: "hm", provenance: { provider, model } },
    { type: "text", text: "ok" },
  ],
});

test("[C5] the system prompt is the developer's for the newer models of OpenAI's hosts", () => {
  const role = (host: string, model: string): unknown =>
    bodyOf([userText("a")], { model }, { host }).messages[0]?.["role"];
  expect(role("api.openai.com", "gpt-5.2")).toBe("developer");
  expect(role("me.openai.azure.com", "my-codex")).toBe("developer");
  expect(role("api.openai.com", "gpt-4o")).toBe("system");
  expect(role("openrouter.ai", "openai/gpt-5.2")).toBe("system");
});

test("[C12] whoever wants thoughts back gets the model's own, and a space for those of others", () => {
  const echoed = (to: Partial<Addressee>, model: string): unknown[] => {
    const history = [
      userText("a"),
      thinking("p", model),
      userText("b"),
      thinking("p", "other"),
      userText("c"),
      calling("x"),
      receipt("x"),
    ];
    const { messages } = bodyOf(history, { model }, to);
    return messages.filter(({ role }) => role === "assistant").map(({ reasoning_content: thought }) => thought);
  };
  expect(echoed({}, "deepseek-v4-flash")).toEqual(["hm", " ", " "]);
  expect(echoed({ host: "api.moonshot.ai" }, "kimi-k3")).toEqual(["hm", " ", " "]);
  expect(echoed({}, "xiaomi/MiMo-V2")).toEqual(["hm", " ", " "]);
  expect(echoed({}, "gpt-5")).toEqual([undefined, undefined, undefined]);
});

test("[C5] Mistral's ids are nine letters and digits, the same for a call and its receipt", () => {
  const ids = (model: string): unknown[] => {
    const history = [userText("a"), calling("call_1"), receipt("call_1"), calling("abcDEF123"), receipt("abcDEF123")];
    const { messages } = bodyOf(history, { model });
    return messages.flatMap(({ tool_call_id: answered, tool_calls: calls = [] }) => [
      ...(calls as { id: string }[]).map(({ id }) => id),
      ...(answered === undefined ? [] : [answered]),
    ]);
  };
  const [first, ...others] = ids("mistralai/devstral-2512");
  expect(first).toMatch(/^[a-zA-Z0-9]{9}$/u);
  expect(others).toEqual([first, "abcDEF123", "abcDEF123"]);
  expect(ids("m")).toEqual(["call_1", "call_1", "abcDEF123", "abcDEF123"]);
});

test("[B10] where a user must not speak behind a receipt, the model speaks between them", () => {
  const history: Message[] = [userText("a"), calling("x"), receipt("x"), { ...userText("b"), midTurn: true }];
  const roles = (messages: readonly Message[], tail: readonly Message[]): unknown[] => {
    const body = bodyOf(messages, { tail, model: "mistral-large-latest" });
    return body.messages.slice(1).map(({ role }) => role);
  };
  expect(roles(history, [])).toEqual(["user", "assistant", "tool", "assistant", "user"]);
  expect(roles(history.slice(0, 3), [userText("sum up")])).toEqual(["user", "assistant", "tool", "assistant", "user"]);
  expect(
    bodyOf(history)
      .messages.slice(1)
      .map(({ role }) => role),
  ).toEqual(["user", "assistant", "tool", "user"]);
});

test("[B4] where calls cannot be forbidden, the request has no tools; the next one has them again", () => {
  const own = conversation({ provider: "zai", host: "api.z.ai" });
  const history = [userText("a"), calling("x"), receipt("x")];
  const sent = [false, true, false].map((noTools) => {
    const { body, record } = own.encode(request(history, { noTools, model: "glm-5" }));
    const { tools, tool_choice: choice, messages } = read(body);
    return [tools !== undefined, choice, messages.length, record.continues];
  });
  expect(sent).toEqual([
    [true, undefined, 4, false],
    [false, undefined, 4, false],
    [true, undefined, 4, false],
  ]);
});

test("[C2] how much is thought is said where the model is known to take it", () => {
  const thinking = { low: "low", high: "high" };
  const said = (to: Partial<Addressee>): unknown => {
    const { reasoning_effort: flat, reasoning } = bodyOf([userText("a")], {}, { effort: "max", ...to });
    return flat ?? reasoning;
  };
  expect(said({})).toBeUndefined();
  expect(said({ thinking })).toBe("high");
  expect(said({ thinking, host: "openrouter.ai" })).toEqual({ effort: "high" });
  expect(said({ thinking, host: "api.moonshot.ai" })).toBeUndefined();
});
