import { expect, test } from "vitest";
import { type AssistantMessage, userText } from "../../protocol/message.ts";
import { Conversation } from "../conversation.ts";
import { ReplyDecoder } from "../reply-decoder.ts";
import { chatCompletions } from "./index.ts";
import { PLAIN_REQUEST } from "../../../test/support/plain-request.ts";

const MODEL = "google/gemini-4-pro";

function heard(deltas: readonly object[]): AssistantMessage {
  const decoder = new ReplyDecoder({
    dialect: chatCompletions,
    provenance: { provider: "openrouter", model: MODEL },
    takenIds: new Set(),
    continues: false,
    where: "h.test",
    advice: "check the base URL",
    mask: (text) => text,
    now: () => 0,
  });
  const chunks = [...deltas.map((delta) => ({ delta })), { delta: {}, finish_reason: "stop" }];
  for (const choice of chunks) decoder.feed(Buffer.from(`data: ${JSON.stringify({ choices: [choice] })}\n\n`));
  decoder.end();
  const reply = decoder.reply();
  if (reply.type !== "message") throw new Error(JSON.stringify(reply));
  return reply.message;
}

function sentTo(provider: string, host: string, message: AssistantMessage): unknown {
  const to = { dialect: chatCompletions, host, provider };
  const { body } = new Conversation({ system: "", tools: [], nonce: "0a1b" }, to).encode({
    provider,
    model: MODEL,
    history: [userText("q"), message, userText("r")],
    ...PLAIN_REQUEST,
  });
  const { messages } = JSON.parse(body.toString()) as {
    readonly messages: readonly Readonly<Record<string, unknown>>[];
  };
  return messages[1]?.["reasoning_details"];
}

test("[C12] what an aggregator says beside a thought goes back with it, and to nobody else", () => {
  const piece = (more: object): object => ({ type: "reasoning.text", index: 0, ...more });
  const message = heard([
    { reasoning: "Let ", reasoning_details: [piece({ text: "Let " })] },
    { reasoning: "me.", reasoning_details: [piece({ text: "me.", signature: null })] },
    { reasoning_details: [piece({ signature: "c2ln" }), { type: "reasoning.encrypted", index: 1, data: "ZGF0YQ==" }] },
    { content: "ok", reasoning_details: [] },
  ]);
  expect(message.parts).toMatchObject([
    { type: "reasoning", text: "Let me." },
    { type: "text", text: "ok" },
  ]);
  expect(sentTo("openrouter", "openrouter.ai", message)).toEqual([
    { type: "reasoning.text", index: 0, text: "Let me.", signature: "c2ln" },
    { type: "reasoning.encrypted", index: 1, data: "ZGF0YQ==" },
  ]);
  expect(sentTo("openrouter", "elsewhere.test", message)).toBeUndefined();
  expect(sentTo("other", "openrouter.ai", message)).toBeUndefined();
});
