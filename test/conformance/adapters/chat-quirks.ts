import { encodeMessage } from "../../../src/model/chat_completions/encode.ts";
import { chatCompletions } from "../../../src/model/chat_completions/index.ts";
import { endsNaturally } from "../../../src/model/chat_completions/natural-ending.ts";
import { isObject, type Json } from "../case-file.ts";
import { objectOf, textOf } from "../input.ts";
import { takeOver } from "./openai-rows.ts";
import { replyOf } from "./whole-reply.ts";

/** `{text}`: whether it ends as people end theirs. */
export const naturalEndingCase = (input: Json): unknown => ({
  natural: endsNaturally(textOf(objectOf(input, "input")["text"], "text")),
});

/** `{provider, model, base_url, source_message, api_message}`: what is sent of a message's thoughts. */
export function reasoningEchoCase(input: Json): unknown {
  const { provider, model, base_url: url, source_message: source, api_message: sent } = objectOf(input, "input");
  const [message] = takeOver([source ?? null], { maxReceiptChars: Infinity }).messages;
  if (message === undefined) throw new Error("the message is not read");
  const wire: unknown = JSON.parse(
    encodeMessage(message, {
      provider: textOf(provider, "provider"),
      model: textOf(model, "model"),
      host: URL.parse(textOf(url, "base_url"))?.hostname ?? "",
      nonce: "",
      hasTools: true,
      hasSystem: false,
      maxOutput: undefined,
      calls: new Map(),
    }),
  );
  const thought = isObject(wire as Json)
    ? (wire as { readonly reasoning_content?: string }).reasoning_content
    : undefined;
  return {
    api_message: { ...objectOf(sent, "api_message"), ...(thought !== undefined && { reasoning_content: thought }) },
  };
}

/** `{reasoning_content, thinking_blocks, content}`: what was thought, and what was said. */
export function reasoningExtractCase(input: Json): unknown {
  const { reasoning_content: thought, content } = objectOf(input, "input");
  return thoughtAndSaid(thought ?? null, content ?? null);
}

function thoughtAndSaid(thought: Json, content: Json): { readonly reasoning: string | null; readonly content: string } {
  const message = { role: "assistant", reasoning_content: thought, content };
  const reply = replyOf(chatCompletions, { choices: [{ message, finish_reason: "stop" }] });
  const parts = reply.type === "message" ? reply.message.parts : reply.type === "empty" ? [reply.reasoning] : [];
  const textsOf = (type: "text" | "reasoning"): string =>
    parts.map((part) => (part?.type === type ? part.text : "")).join("");
  return { reasoning: textsOf("reasoning") || null, content: textsOf("text") };
}

/** `{text}`: a thought without the tags at its edges. */
export const reasoningTagsCase = (input: Json): unknown => ({
  text: thoughtAndSaid(objectOf(input, "input")["text"] ?? null, "said").reasoning,
});
