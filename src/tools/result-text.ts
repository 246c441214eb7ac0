import { isObject } from "../protocol/json.ts";

/**
 * What a tool returned, as the model reads it: text as it is, any other JSON value as JSON. Nothing at all — no value,
 * blank text, an empty list — is told as such, because many servers refuse an empty receipt (nanobot.md §9.4).
 */
export function resultText(tool: string, result: unknown): string {
  const text = textOf(result);
  return text.trim() === "" ? `(${tool} completed with no output)` : text;
}

function textOf(result: unknown): string {
  if (typeof result === "string") return result;
  if (Array.isArray(result) && result.every(isTextBlock)) return result.map(({ text }) => text).join("\n");
  // Undefined and functions are no JSON.
  return result === null ? "" : ((JSON.stringify(result) as string | undefined) ?? "");
}

const isTextBlock = (item: unknown): item is { readonly text: string } =>
  isObject(item) && item["type"] === "text" && typeof item["text"] === "string";

/**
 * The longest result that is kept and sent, in characters (row G4). Hermes has 100,000 for all but read_file, whose own
 * limit that is (hermes.md §26.13); a little more leaves room for what read_file says beside the text.
 */
const MAX_CHARS = 110_000;
const HEAD_CHARS = 50_000;
const TAIL_CHARS = 50_000;

/** The beginning and the end of what is longer, and how much is missing between them. */
export function withinLimit(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  const left = text.length - HEAD_CHARS - TAIL_CHARS;
  const [head, tail] = [text.slice(0, HEAD_CHARS), text.slice(-TAIL_CHARS)];
  return `${head.toWellFormed()}\n[… ${left} characters left out …]\n${tail.toWellFormed()}`;
}
