import { delta, DONE, event, refuse, type Step, stream, wholeJson } from "../../support/wire-script.ts";
import { isObject, type Json, type JsonObject } from "../case-file.ts";
import { listOf, textOrNone } from "../input.ts";

/** A recorded reply of a model, whichever of the two references recorded it. */
const REPLY_KEYS: ReadonlySet<string> = new Set([
  "content",
  "finish_reason",
  "tool_calls",
  "reasoning_content",
  "reasoning",
  "thinking_blocks",
  "refusal",
  "usage",
  "model",
  "id",
]);

/** Keys of a recorded reply that nothing here gives a meaning. */
export const strangeReplyKeys = (reply: JsonObject): string[] =>
  Object.keys(reply).filter((key) => !REPLY_KEYS.has(key) && reply[key] !== null);

/** The words of the references' own vocabulary that no server of this dialect says. */
const WIRE_FINISH: ReadonlyMap<string, string> = new Map([["refusal", "content_filter"]]);

/** A recorded reply as the stream of a server. */
export function replyStep(reply: JsonObject): Step {
  // A list of texts is what a server sends that does not stream.
  if (Array.isArray(reply["content"])) return wholeReply(reply);
  const { content, refusal, usage } = reply;
  const calls = listOf(reply["tool_calls"] ?? [], "tool_calls");
  const thought = thoughtIn(reply);
  const said = [
    ...(thought !== "" ? [{ reasoning_content: thought }] : []),
    ...(isGiven(content) ? [{ content }] : []),
    ...(isGiven(refusal) ? [{ refusal }] : []),
    ...calls.map((call, index) => ({ tool_calls: [callDelta(call, index)] })),
  ];
  const word = textOrNone(reply["finish_reason"]) || (calls.length > 0 ? "tool_calls" : "stop");
  const finish = WIRE_FINISH.get(word) ?? word;
  return stream([
    delta({ role: "assistant", content: "" }),
    ...said.map((fields) => delta(fields)),
    delta({}, finish),
    ...(isGiven(usage) ? [event({ choices: [], usage })] : []),
    DONE,
  ]);
}

function wholeReply({ finish_reason: finish = null, usage, tool_calls: calls = [], ...rest }: JsonObject): Step {
  const asked = listOf(calls, "tool_calls").map(callDelta);
  const message = { role: "assistant", ...rest, ...(asked.length > 0 && { tool_calls: asked }) };
  return wholeJson({ choices: [{ index: 0, message, finish_reason: finish ?? "stop" }], usage });
}

/** What was thought: in a field of its own, or in blocks. */
export function thoughtIn({ reasoning_content: native, reasoning, thinking_blocks: blocks }: JsonObject): string {
  const text = textOrNone(native) || textOrNone(reasoning);
  if (text !== "" || !Array.isArray(blocks)) return text;
  return (blocks as readonly Json[]).map((block) => textOrNone(isObject(block) ? block["thinking"] : block)).join("\n");
}

const isGiven = (value: Json | undefined): boolean => value !== undefined && value !== null && value !== "";

/** Calls are written flat or under `function`, arguments as text or as a value. */
function callDelta(call: Json, index: number): object {
  const { id, function: nested, ...flat } = isObject(call) ? call : {};
  const { name = null, arguments: input = null } = nested !== undefined && isObject(nested) ? nested : flat;
  const written = input === null || typeof input === "string" ? input : JSON.stringify(input);
  return { index, ...(isGiven(id) && { id }), type: "function", function: { name, arguments: written ?? "" } };
}

/** Kinds of exceptions that mean that the line broke, as both references name them. */
const BROKEN_LINE = /timeout|connect|protocol|network|transport/iu;

/** `{status, message, code?, type?, headers?}`, or with a whole `body`: a refusal; else the line broke, or the stream says it. */
export function errorStep({ status, message, type, code, headers, body }: JsonObject): Step {
  const error = { message: message ?? "", ...(isGiven(code) && { code }), ...(isGiven(type) && { type }) };
  if (typeof status === "number")
    return refuse(status, body ?? { error }, headers !== undefined && isObject(headers) ? textsOf(headers) : {});
  if (typeof type === "string" && BROKEN_LINE.test(type)) return stream([], { end: "reset" });
  return stream([event({ error }), DONE]);
}

const textsOf = (headers: JsonObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === "number" ? `${value}` : textOrNone(value)]),
  );

/** A reply in which there is none. */
export const noChoices: Step = wholeJson({ id: "chatcmpl-fake", object: "chat.completion", choices: [] });
