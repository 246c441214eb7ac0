import { isObject, type JsonObject } from "../../protocol/json.ts";
import type { ImagePart, TextPart } from "../../protocol/message.ts";
import { reasonOf } from "../../protocol/reason-of.ts";

/** Parts of one result that are told of. */
const MOST_PARTS = 200;
const MOST_PICTURES = 5;
/** Of a resource that a result brings, characters. */
const LONGEST_RESOURCE = 50_000;
/** A picture in base64, characters. */
const LARGEST_PICTURE = 28_000_000;

type Block = TextPart | ImagePart;

/**
 * What a call of a server gave, for a model: nothing that it only names is fetched, and pictures are looked at first. Throws
 * what the server says where it says that the call has failed.
 */
export async function toldResult(result: JsonObject): Promise<readonly Block[] | string> {
  const { content, structuredContent, isError } = result;
  const parts = Array.isArray(content) ? content.slice(0, MOST_PARTS) : [];
  const blocks: Block[] = [];
  for (const part of parts) blocks.push(await told(isObject(part) ? part : {}, blocks));
  const more = Array.isArray(content) ? content.length - parts.length : 0;
  if (more > 0) blocks.push(text(`[${more} more parts are not told]`));
  if (structuredContent !== undefined && !saysSo(blocks, structuredContent))
    blocks.push(text(JSON.stringify(structuredContent)));
  if (isError === true) throw new Error(wordsOf(blocks) || "The server says that the call has failed.");
  return blocks.some(({ type }) => type === "image") ? blocks : wordsOf(blocks);
}

const text = (words: string): TextPart => ({ type: "text", text: words });

const wordsOf = (blocks: readonly Block[]): string =>
  blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");

/** Servers say in a text what they also give as data. */
function saysSo(blocks: readonly Block[], data: unknown): boolean {
  const written = JSON.stringify(data);
  return blocks.some((block) => {
    if (block.type !== "text") return false;
    try {
      return JSON.stringify(JSON.parse(block.text)) === written;
    } catch {
      return false;
    }
  });
}

async function told(part: JsonObject, before: readonly Block[]): Promise<Block> {
  const { type, data, mimeType } = part;
  switch (type) {
    case "text":
      return text(wordOf(part["text"]));
    case "image":
      return picture(wordOf(data), before.filter((block) => block.type === "image").length);
    case "audio":
      return text(`[sound of the kind ${kind(mimeType)}, not told]`);
    case "resource_link":
      return text(`[names ${wordOf(part["uri"]).slice(0, 2_000)}, which was not fetched]`);
    case "resource":
      return resource(isObject(part["resource"]) ? part["resource"] : {});
    default:
      return text(`[a part of the kind ${kind(type)}, not told]`);
  }
}

const wordOf = (value: unknown): string => (typeof value === "string" ? value : "");

const kind = (value: unknown): string => JSON.stringify(wordOf(value).slice(0, 60));

async function picture(base64: string, before: number): Promise<Block> {
  if (before >= MOST_PICTURES) return text("[one picture more, not shown]");
  if (base64.length > LARGEST_PICTURE) return text("[a picture that is too large, not shown]");
  try {
    const { pictureOf } = await import("../pictures/picture.ts");
    return await pictureOf(Buffer.from(base64, "base64"), "picture");
  } catch (error) {
    return text(`[a picture that cannot be shown: ${reasonOf(error)}]`);
  }
}

function resource({ uri, text: words, blob, mimeType }: JsonObject): Block {
  const name = wordOf(uri).slice(0, 2_000);
  if (typeof words !== "string")
    return text(`[${name}: ${wordOf(blob).length} characters of ${kind(mimeType)}, not told]`);
  const shown = words.slice(0, LONGEST_RESOURCE);
  const rest = words.length - shown.length;
  return text(`[${name}]\n${shown}${rest > 0 ? `\n[${rest} characters more are not told]` : ""}`);
}
