import { isObject, type JsonObject, objectInText } from "../../protocol/json.ts";
import type { RequestPlace } from "../../protocol/replay.ts";
import { PICTURE_BYTES } from "../../protocol/window.ts";

/** A piece of a request that a cache reads as one: a tool, the system prompt, a block of a message. */
export interface Part {
  readonly place: RequestPlace;
  /** As JSON, without cache marks. */
  readonly text: string;
  /** What it counts for, bytes: a picture by what a model makes of it. */
  readonly weight: number;
  /** A cache mark stands behind it. */
  readonly marked: boolean;
}

/** A request in the order in which a prefix cache reads it, whatever its dialect: tools, system prompt, messages. */
export interface Body {
  readonly parts: readonly Part[];
  /** What it says of itself beside them, by its path, as JSON. */
  readonly parameters: ReadonlyMap<string, string>;
  /** How long its marks ask for; undefined: it has none. */
  readonly marks: "5m" | "1h" | undefined;
  /** It leaves it to the server to put a mark behind all of it. */
  readonly moving: boolean;
}

/** What of a body is no part of the prompt, and cannot change what a cache has of it. */
const NO_MATTER: ReadonlySet<string> = new Set([
  "model",
  "stream",
  "stream_options",
  "store",
  "include",
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "generationConfig.maxOutputTokens",
  "inferenceConfig.maxTokens",
]);

/** Reads a body as it was kept; what is no JSON object has no parts. */
export function readBody(text: string): Body {
  const body = objectInText(text) ?? {};
  const draft: Draft = { tools: [], system: [], said: [], parameters: new Map(), ttls: new Set() };
  for (const [name, value] of Object.entries(body)) readField(draft, name, value);
  const { tools, system, said, parameters, ttls } = draft;
  return {
    parts: [...tools, ...system, ...said],
    parameters,
    marks: ttls.size === 0 ? undefined : ttls.has("1h") ? "1h" : "5m",
    moving: body["cache_control"] !== undefined,
  };
}

interface Draft {
  readonly tools: Part[];
  readonly system: Part[];
  readonly said: Part[];
  readonly parameters: Map<string, string>;
  readonly ttls: Set<string>;
}

function readField(draft: Draft, name: string, value: unknown): void {
  switch (name) {
    case "tools":
      return readTools(draft, value);
    case "system":
    case "instructions":
    case "systemInstruction":
      return readSystem(draft, value);
    case "messages":
    case "input":
    case "contents":
      return readMessages(draft, value);
    case "cache_control":
      return void markIn(draft, { cache_control: value });
    default:
      return isObject(value) ? readNested(draft, name, value) : setParameter(draft, name, value);
  }
}

function readNested(draft: Draft, name: string, value: JsonObject): void {
  for (const [inner, each] of Object.entries(value))
    if (name === "toolConfig" && inner === "tools") readTools(draft, each);
    else setParameter(draft, `${name}.${inner}`, each);
}

function setParameter({ parameters }: Draft, name: string, value: unknown): void {
  if (!NO_MATTER.has(name)) parameters.set(name, JSON.stringify(value));
}

/** Gemini has them one level deeper. */
function readTools(draft: Draft, list: unknown): void {
  const { tools } = draft;
  const each = objectsIn(list).flatMap((tool) =>
    Array.isArray(tool["functionDeclarations"]) ? objectsIn(tool["functionDeclarations"]) : [tool],
  );
  for (const tool of each) {
    const isMarked = markIn(draft, tool);
    const text = withoutMark(tool);
    if (text === undefined) markLast(tools);
    else tools.push(partOf({ type: "tool", index: tools.length, name: toolName(tool) }, text, isMarked));
  }
}

const toolName = (tool: JsonObject): string => textIn(toolFields(tool)["name"]);

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** The level at which name, description and schema stand. */
export function toolFields(tool: JsonObject): JsonObject {
  const inner = tool["function"] ?? tool["toolSpec"];
  return isObject(inner) ? inner : tool;
}

function readSystem(draft: Draft, value: unknown): void {
  const blocks = typeof value === "string" ? [{ text: value }] : blocksIn(value);
  pushBlocks(draft, draft.system, { place: { type: "system" }, blocks });
}

function readMessages(draft: Draft, list: unknown): void {
  let index = 0;
  for (const message of typeof list === "string" ? [{ role: "user", content: list }] : objectsIn(list)) {
    const role = textIn(message["role"] ?? message["type"]);
    if (role === "system" || role === "developer") {
      const { content } = message;
      pushBlocks(draft, draft.system, {
        place: { type: "system" },
        blocks: typeof content === "string" ? [{ text: content }] : blocksIn(content),
      });
      continue;
    }
    const place = { type: "message", index: index++, role } as const;
    const { content, parts, role: _role, ...rest } = message;
    const blocks = content ?? parts;
    if (!Array.isArray(blocks)) pushBlocks(draft, draft.said, { place, blocks: [message] });
    else
      pushBlocks(draft, draft.said, {
        place,
        blocks: [...objectsIn(blocks), ...(Object.keys(rest).length > 0 ? [rest] : [])],
      });
  }
}

interface Blocks {
  readonly place: RequestPlace;
  readonly blocks: readonly JsonObject[];
}

function pushBlocks(draft: Draft, to: Part[], { place, blocks }: Blocks): void {
  for (const block of blocks) {
    const isMarked = markIn(draft, block);
    const text = withoutMark(block);
    if (text === undefined) markLast(to);
    else to.push(partOf(place, text, isMarked));
  }
}

/** Whether a mark stands on it, which is noted. */
function markIn({ ttls }: Draft, block: JsonObject): boolean {
  const mark = block["cache_control"] ?? block["cachePoint"];
  if (!isObject(mark)) return false;
  ttls.add(mark["ttl"] === "1h" ? "1h" : "5m");
  return true;
}

/** Undefined: it is nothing but a mark, for what stands before it. */
function withoutMark(block: JsonObject): string | undefined {
  const { cache_control: _mark, cachePoint, ...rest } = block;
  return isObject(cachePoint) && Object.keys(rest).length === 0 ? undefined : JSON.stringify(rest);
}

function markLast(parts: Part[]): void {
  const last = parts.at(-1);
  if (last !== undefined) parts[parts.length - 1] = { ...last, marked: true };
}

/** Bytes of a picture on the wire, which no text has in one piece. */
const PICTURE = /"(?:data:[^",]*,)?[A-Za-z0-9+/]{4000,}={0,2}"/gu;

function partOf(place: RequestPlace, text: string, marked: boolean): Part {
  let weight = Buffer.byteLength(text);
  if (weight > 4_000) for (const [picture] of text.matchAll(PICTURE)) weight += PICTURE_BYTES - picture.length;
  return { place, text, weight, marked };
}

const blocksIn = (value: unknown): readonly JsonObject[] => {
  if (Array.isArray(value)) return objectsIn(value);
  return isObject(value) ? blocksIn(value["parts"]) : [];
};

const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly unknown[]).filter(isObject) : [];
