import type { Message } from "../../protocol/message.ts";
import type { ModelRequest } from "../../protocol/ports.ts";
import type { Effort } from "../../protocol/provider.ts";
import type { ToolSpec } from "../../protocol/tool.ts";
import { type HeadOpening, type Reader, takes } from "../dialect.ts";
import { nearestWord } from "../effort.ts";
import { BETWEEN, encodeValue, quote } from "../wire-text.ts";
import { functionName, modelParts, receiptParts, userParts } from "./parts.ts";
import { geminiSchema } from "./schema.ts";

/** The functions, then the system prompt, then the place where messages stand. The model stands in the address. */
export function encodeOpening({ system, tools }: HeadOpening): readonly [string, string] {
  const list = tools.map(encodeTool).join();
  const shared = tools.length === 0 ? "{" : `{"tools":[{"functionDeclarations":[${list}]}],`;
  const prompt = system === "" ? "" : `"systemInstruction":{"role":"system","parts":[{"text":${quote(system)}}]},`;
  return [shared, `${prompt}"contents":[`];
}

/** A function without parameters has none at all: an object without properties is refused. */
function encodeTool({ name, description, parameters }: ToolSpec): string {
  const schema = geminiSchema(parameters);
  const takes = schema["properties"] === undefined ? "" : `,"parameters":${encodeValue(schema)}`;
  const about = description.trim() === "" ? "" : `,"description":${quote(description)}`;
  return `{"name":${quote(functionName(name))}${about}${takes}}`;
}

const roleOf = (message: Message): "model" | "user" => (message.role === "assistant" ? "model" : "user");

/**
 * What the head grows by: the last content stays open, for roles take turns and the answers to calls stand together.
 * Nothing else stands with them: their server counts the parts.
 */
export function encodeNext(message: Message, before: Message | undefined, reader: Reader): string {
  const role = roleOf(message);
  const parts = partsOf(message, reader);
  if (message.role === "user" && before?.role === "tool")
    return `]},{"role":"model","parts":[{"text":${quote(BETWEEN)}}]},{"role":"user","parts":[${parts}`;
  if (before !== undefined && roleOf(before) === role) return `,${parts}`;
  return `${before === undefined ? "" : "]},"}{"role":"${role}","parts":[${parts}`;
}

function partsOf(message: Message, reader: Reader): string {
  switch (message.role) {
    case "user":
      return userParts(message);
    case "assistant":
      return modelParts(message, reader);
    case "tool":
      return receiptParts(message, reader);
  }
}

/** What belongs to this attempt alone: what is `said` in private, whether functions may be called, limits, brackets. */
export function encodeTail(
  said: readonly Message[],
  last: Message | undefined,
  { noTools, maxOutput }: ModelRequest,
  reader: Reader,
): string {
  const messages = said.map((message, at) => encodeNext(message, said[at - 1] ?? last, reader));
  const choice = noTools && reader.hasTools ? `,"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}` : "";
  const settings = [
    ...(maxOutput === undefined || !takes(reader, "maxOutputTokens") ? [] : [`"maxOutputTokens":${maxOutput}`]),
    ...(reader.effort === undefined ? [] : thinkingOf(reader, reader.effort)),
  ];
  const config = settings.length === 0 ? "" : `,"generationConfig":{${settings.join()}}`;
  return `${messages.join("")}]}]${choice}${config}}`;
}

/** Gemini 2.5 is told how many tokens it may think, later ones how much. Older ones do not think. */
const BY_BUDGET = /gemini-2\.5/;
const BY_LEVEL = /gemini-(?:[3-9]|[1-9]\d|[a-z-]*latest)/;

const BUDGETS: Readonly<Record<Effort, number>> = {
  minimal: 512,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 24_576,
  max: 24_576,
};

/** Where nothing is known of a model: all know low and high, some the ones between. */
const LEVELS: Readonly<Record<Effort, "low" | "high">> = {
  minimal: "low",
  low: "low",
  medium: "high",
  high: "high",
  xhigh: "high",
  max: "high",
};

function thinkingOf(reader: Reader, effort: Effort): readonly string[] {
  const { model, thinking } = reader;
  if (!takes(reader, "thinkingConfig")) return [];
  const shown = `"includeThoughts":true`;
  if (BY_BUDGET.test(model)) return [`"thinkingConfig":{${shown},"thinkingBudget":${BUDGETS[effort]}}`];
  const word = thinking === undefined ? LEVELS[effort] : nearestWord(effort, thinking);
  return word !== undefined && BY_LEVEL.test(model)
    ? [`"thinkingConfig":{${shown},"thinkingLevel":${quote(word)}}`]
    : [];
}
