import { isObject } from "../../protocol/json.ts";
import { callsOf, userText } from "../../protocol/message.ts";
import type { ModelReply, ModelRequest } from "../../protocol/ports.ts";
import type { ToolSpec } from "../../protocol/tool.ts";
import type { Answer } from "../ask.ts";
import type { Dialect, Reader } from "../dialect.ts";
import { ReplyBuilder } from "../reply-builder.ts";

/** What one tiny call showed. */
export interface ToolCheck {
  /** Null: the call showed nothing about tools. */
  readonly tools: boolean | null;
  /** Tokens it took, as the server counts. */
  readonly tokens: number | null;
}

/** Enough to think a little and to call one tool. */
export const READY_TOKENS = 256;

export const READY_QUESTION = "Call the tool named ready now, and say nothing else.";

export const READY: ToolSpec = {
  name: "ready",
  description: "Says that you are ready.",
  parameters: { type: "object", properties: {} },
};

/** The body of a request for a call of a tool that does nothing. */
export function toolQuestion(dialect: Dialect, to: Pick<Reader, "provider" | "model" | "host">): string {
  const reader: Reader = { ...to, nonce: "", hasTools: true, hasSystem: false, maxOutput: undefined, calls: new Map() };
  const asks = userText(READY_QUESTION);
  const opening = dialect.encodeOpening({ system: "", tools: [READY], streaming: false, reader });
  const request: ModelRequest = {
    provider: to.provider,
    model: to.model,
    history: [asks],
    compaction: undefined,
    tail: [],
    noTools: false,
    continues: false,
    maxOutput: READY_TOKENS,
    streaming: false,
  };
  const message = dialect.encodeMessage(asks, undefined, reader);
  return `${opening.join("")}${message}${dialect.encodeTail([], asks, request, reader)}`;
}

/** A refusal that speaks of tools means no; a reply cut short means nothing. */
export function readToolCheck(answer: Answer, dialect: Dialect): ToolCheck {
  if (answer.type !== "json") return { tools: null, tokens: null };
  const { status, json } = answer;
  if (status < 400) return isObject(json) ? readReply(replyIn(json, dialect)) : { tools: null, tokens: null };
  const aboutTools = status < 500 && speaksOfTools(JSON.stringify(json));
  return { tools: aboutTools ? false : null, tokens: null };
}

export const speaksOfTools = (text: string): boolean => /\btools?\b|tool[_-]|function call/iu.test(text);

function replyIn(json: Parameters<ReturnType<Dialect["events"]>["read"]>[0], dialect: Dialect): ModelReply {
  const provenance = { provider: "", model: "" };
  const builder = new ReplyBuilder({ provenance, takenIds: new Set(), continues: false, where: "the server" });
  const reading = dialect.events(builder).read(json, undefined);
  if (reading === "part") builder.done();
  builder.end();
  return builder.reply();
}

function readReply(reply: ModelReply): ToolCheck {
  const usage = "usage" in reply ? reply.usage : undefined;
  return { tools: calledTool(reply), tokens: usage === undefined ? null : usage.input + usage.output };
}

/** Words where a call was asked for mean no. */
export function calledTool(reply: ModelReply): boolean | null {
  if (reply.type === "empty") return false;
  if (reply.type !== "message") return null;
  if (callsOf(reply.message).length > 0) return true;
  return reply.finish === "length" ? null : false;
}
