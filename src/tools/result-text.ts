import { isObject } from "../protocol/json.ts";
import { imageData, type ImagePart, type TextPart } from "../protocol/message.ts";

/**
 * What a tool returned, as the model reads it: text as it is, any other JSON value as JSON. Nothing at all — no value,
 * blank text, an empty list — is told as such, because many servers refuse an empty receipt (nanobot.md §9.4).
 */
export function resultText(tool: string, result: unknown): string {
  const text = textOf(result);
  if (text.trim() !== "") return text;
  return resultImages(result).length > 0 ? `(${tool} returned a picture)` : `(${tool} completed with no output)`;
}

function textOf(result: unknown): string {
  if (typeof result === "string") return result;
  const blocks = blocksOf(result);
  if (blocks !== undefined) return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  // Undefined and functions are no JSON.
  return result === null ? "" : ((JSON.stringify(result) as string | undefined) ?? "");
}

/** The pictures of what a tool returned. */
export const resultImages = (result: unknown): ImagePart[] =>
  (blocksOf(result) ?? []).filter((block) => block.type === "image");

type Block = TextPart | ImagePart;

/** Undefined for what is no list of texts and pictures. */
function blocksOf(result: unknown): Block[] | undefined {
  if (!Array.isArray(result)) return undefined;
  const blocks = result.flatMap(blockOf);
  return blocks.length === result.length ? blocks : undefined;
}

function blockOf(item: unknown): Block[] {
  if (!isObject(item)) return [];
  const { type, text, url } = item;
  if (type === "text" && typeof text === "string") return [{ type, text }];
  return type === "image" && typeof url === "string" && isPicture(url) ? [{ type, url }] : [];
}

const isPicture = (url: string): boolean => /^https?:\/\//iu.test(url) || imageData(url) !== undefined;
