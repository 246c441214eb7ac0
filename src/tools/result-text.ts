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
