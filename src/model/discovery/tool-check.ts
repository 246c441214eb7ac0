import { isObject } from "../../protocol/json.ts";
import type { Answer } from "../ask.ts";
import { limitName } from "../chat_completions/encode.ts";

/** What one tiny call showed. */
export interface ToolCheck {
  /** Null: the call showed nothing about tools. */
  readonly tools: boolean | null;
  /** Tokens it took, as the server counts. */
  readonly tokens: number | null;
}

/** Enough to think a little and to call one tool. */
const REPLY_TOKENS = 256;

/** Asks for a call of a tool that does nothing. */
export const toolQuestion = (model: string, host: string): object => ({
  model,
  messages: [{ role: "user", content: "Call the tool named ready now, and say nothing else." }],
  tools: [
    {
      type: "function",
      function: {
        name: "ready",
        description: "Says that you are ready.",
        parameters: { type: "object", properties: {} },
      },
    },
  ],
  stream: false,
  [limitName(model, host)]: REPLY_TOKENS,
});

/** A refusal that speaks of tools, or words where a call was asked for, mean no; a reply cut short means nothing. */
export function readToolCheck(answer: Answer): ToolCheck {
  if (answer.type !== "json") return { tools: null, tokens: null };
  const { status, json } = answer;
  if (status < 400) return { tools: calledTool(json), tokens: tokensOf(json) };
  const aboutTools = status < 500 && /\btools?\b|tool[_-]|function call/iu.test(JSON.stringify(json));
  return { tools: aboutTools ? false : null, tokens: null };
}

function calledTool(json: unknown): boolean | null {
  const choices = isObject(json) ? json["choices"] : undefined;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (!isObject(choice) || !isObject(choice["message"])) return null;
  const calls = choice["message"]["tool_calls"];
  if (Array.isArray(calls) && calls.length > 0) return true;
  return choice["finish_reason"] === "length" ? null : false;
}

function tokensOf(json: unknown): number | null {
  const usage = isObject(json) ? json["usage"] : undefined;
  const total = isObject(usage) ? usage["total_tokens"] : undefined;
  return typeof total === "number" ? total : null;
}
