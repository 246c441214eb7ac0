import { bedrockConverse } from "../../../src/model/bedrock_converse/index.ts";
import { ReplyBuilder } from "../../../src/model/reply-builder.ts";
import { callsOf, reasoningOf, textOf as messageText } from "../../../src/protocol/message.ts";
import type { ModelReply } from "../../../src/protocol/ports.ts";
import type { Json } from "../case-file.ts";
import { listOf, objectOf, textOf } from "../input.ts";
import { requestOf } from "./dialect-request.ts";
import { replyOf } from "./whole-reply.ts";

/** `{messages}`: what of a request they become. */
export function bedrockMessagesCase(input: Json): unknown {
  const rows = listOf(objectOf(input, "input")["messages"], "messages");
  const asked = { model: "amazon.nova-pro-v1:0", host: "h.test", rows, tools: undefined, maxOutput: undefined };
  const { system, messages } = requestOf(bedrockConverse, asked);
  return { system: system ?? null, messages };
}

/** `{model, messages, tools?, max_tokens?}` as a request; the model stands in its path. */
export function bedrockRequestCase(input: Json): unknown {
  const { model, messages, tools, max_tokens: maxOutput } = objectOf(input, "input");
  const modelId = textOf(model, "model");
  const rows = listOf(messages, "messages");
  const { path } = bedrockConverse.route({ model: modelId, streaming: true });
  return {
    request: {
      modelId: decodeURIComponent(path.split("/")[2] ?? ""),
      ...requestOf(bedrockConverse, { model: modelId, host: "h.test", rows, tools, maxOutput }),
    },
  };
}

/** `{response}`: a whole reply, read. */
export const bedrockResponseCase = (input: Json): unknown =>
  told(replyOf(bedrockConverse, objectOf(input, "input")["response"] ?? null));

/** `{events}`: each an object whose one key is the event's name. */
export function bedrockStreamCase(input: Json): unknown {
  const provenance = { provider: "bedrock", model: "m" };
  const builder = new ReplyBuilder({ provenance, takenIds: new Set<string>(), continues: false, where: "h.test" });
  const reader = bedrockConverse.events(builder);
  for (const event of listOf(objectOf(input, "input")["events"], "events"))
    for (const [name, data] of Object.entries(objectOf(event, "event"))) reader.read(objectOf(data, name), name);
  builder.end();
  return told(builder.reply());
}

function told(reply: ModelReply): unknown {
  if (reply.type !== "message") throw new Error(`it is no message but ${reply.type}`);
  const { message, finish, usage } = reply;
  const [prompt, completion] = [usage?.input ?? 0, usage?.output ?? 0];
  return {
    content: messageText(message),
    finish_reason: finish,
    reasoning: reasoningOf(message),
    tool_calls: callsOf(message).map(({ callId, name, input }) => ({
      id: callId,
      name,
      arguments: JSON.parse(input) as unknown,
    })),
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  };
}

/** Arguments count as what they say, not as how they are spaced. */
export function bedrockExpectation(expect: Json): Json {
  const { tool_calls: calls, ...rest } = objectOf(expect, "expect");
  const read = listOf(calls ?? [], "tool_calls").map((call) => {
    const { arguments: text, ...others } = objectOf(call, "call");
    return { ...others, arguments: JSON.parse(textOf(text, "arguments")) as Json };
  });
  return { ...rest, tool_calls: read };
}
