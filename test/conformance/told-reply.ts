import { UNNAMED_TOOL } from "../../src/protocol/tool.ts";
import { isJson } from "../../src/protocol/json.ts";
import { thoughtIn } from "./adapters/scripted-reply.ts";
import { isObject, type Json, type JsonObject } from "./case-file.ts";
import { textOrNone } from "./input.ts";
import type { ToldReply } from "./told.ts";
import { shownOf } from "./think-model.ts";

const NOTHING: ToldReply = { type: "line", text: "", thoughts: false, calls: [], cut: false };

const REFUSED: ReadonlySet<Json> = new Set(["content_filter", "refusal"]);

/** A recorded reply as the plain model of the loop hears it. */
export function toldReply(reply: JsonObject): ToldReply {
  const { finish_reason: finish = null, tool_calls: listed } = reply;
  const written = textsIn(reply["content"]);
  const text = shownOf(written).shown;
  const calls = Array.isArray(listed) ? (listed as readonly Json[]).map(callIn) : [];
  const refusal = text === "" && calls.length === 0 ? textOrNone(reply["refusal"]) : "";
  if (finish === "error") return { ...NOTHING, type: "rejected", text };
  if (REFUSED.has(finish) || refusal !== "") return { ...NOTHING, type: "refusal", text: text || refusal };
  const thoughts = text !== written || thoughtIn(reply).trim() !== "";
  return { type: "reply", text, thoughts, calls, cut: finish === "length" && isCut(calls) };
}

const textsIn = (content: Json = null): string =>
  Array.isArray(content) ? (content as readonly Json[]).map(textIn).join("\n") : textIn(content);

/** The output limit leaves no call that can be read, or there was none. */
const isCut = (calls: ToldReply["calls"]): boolean => calls.length === 0 || calls.some(({ input }) => !isJson(input));

const textIn = (value: Json): string => textOrNone(isObject(value) ? value["text"] : value);

function callIn(call: Json, at: number): ToldReply["calls"][number] {
  const { id, function: nested, ...flat } = isObject(call) ? call : {};
  const { name, arguments: input = null } = nested !== undefined && isObject(nested) ? nested : flat;
  return {
    id: textOrNone(id) || `made-up-${at}`,
    name: textOrNone(name).trim() || UNNAMED_TOOL,
    input: input === null ? "" : typeof input === "string" ? input : JSON.stringify(input),
  };
}

/** Kinds of refusals, by the clearest words of hermes.md §10.7, in the order they are asked. */
const KINDS: readonly (readonly [RegExp, ToldReply["type"]])[] = [
  [/available_tokens|available tokens/u, "smaller"],
  [/context length|context window|maximum context|too long|too large/u, "overflow"],
  [/flagged|content_filter|usage policies/u, "refusal"],
  [/model.*(?:not found|does not exist)|not a valid model/u, "rejected"],
];

/** Statuses after which it may go better (hermes.md §10.4). */
const PASSING: ReadonlySet<Json> = new Set([404, 408, 429, 500, 502, 503, 504, 529]);

/** A recorded error. One without a status came from the line, which has no words of its own. */
export function toldError({ status = null, message = null, type: cause = null }: JsonObject): ToldReply {
  if (status === null && cause !== null) return NOTHING;
  const text = textOrNone(message);
  const words = text.toLowerCase();
  const kind = status === 413 ? "overflow" : KINDS.find(([pattern]) => pattern.test(words))?.[1];
  const type = kind ?? (status === null || PASSING.has(status) ? "line" : "rejected");
  return { ...NOTHING, type, text };
}

/** A reply in which there is none. */
export const TOLD_NOTHING: ToldReply = NOTHING;
