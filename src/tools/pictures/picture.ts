import type { ImagePart } from "../../protocol/message.ts";
import { pictureSize, type PictureSize } from "./picture-size.ts";

/** What every provider takes (row C5): Bedrock has the smallest limit of bytes, Anthropic one of pixels beside it. */
const MOST_BYTES = 3_750_000;
const LONGEST_SIDE = 8_000;

/** Longest sides that are tried, one after the other, when a picture is made smaller: no model looks closer, pixels. */
const SMALLER_SIDES = [2_000, 1_400, 900];

/** Decoding more would take more memory than it is worth. */
const MOST_PIXELS = 100_000_000;

/** What is wrong with a picture, in each language of people. */
type Sentence = Readonly<Record<"en" | "zh", string>>;

/** A picture that cannot be sent, in one sentence. */
export class PictureError extends Error {
  override readonly name = "PictureError";
  readonly words: Sentence;

  constructor(words: Sentence, cause?: unknown) {
    super(words.en, { cause });
    this.words = words;
  }
}

/** The media type of the pictures that providers take; undefined for all else. */
export function pictureType(start: Uint8Array): string | undefined {
  const head = Buffer.from(start.buffer, start.byteOffset, Math.min(start.byteLength, 12)).toString("latin1");
  if (head.startsWith("\x89PNG\r\n")) return "image/png";
  if (head.startsWith("\xFF\xD8\xFF")) return "image/jpeg";
  if (head.startsWith("GIF8")) return "image/gif";
  return head.startsWith("RIFF") && head.slice(8) === "WEBP" ? "image/webp" : undefined;
}

/** A picture as a message carries it, made smaller where a provider would refuse it. Throws PictureError. */
export async function pictureOf(bytes: Uint8Array, name: string): Promise<ImagePart> {
  const type = pictureType(bytes);
  if (type === undefined) throw new PictureError(noPicture(name));
  const { width, height } = await sizeOf(bytes, name);
  if (bytes.length <= MOST_BYTES && Math.max(width, height) <= LONGEST_SIDE) return part(type, bytes);
  if (type !== "image/png" && type !== "image/jpeg") throw new PictureError(tooLarge(name, bytes, { width, height }));
  if (width * height > MOST_PIXELS) throw new PictureError(tooLarge(name, bytes, { width, height }));
  return part("image/jpeg", await smaller(bytes, type, name));
}

async function sizeOf(bytes: Uint8Array, name: string): Promise<PictureSize> {
  try {
    return await pictureSize(bytes);
  } catch (error) {
    throw new PictureError(broken(name), error);
  }
}

const part = (type: string, bytes: Uint8Array): ImagePart => ({
  type: "image",
  url: `data:${type};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")}`,
});

const noPicture = (name: string): Sentence => ({
  en: `${name} is no PNG, JPEG, GIF or WebP picture.`,
  zh: `${name} 不是 PNG、JPEG、GIF 或 WebP 图片。`,
});

const broken = (name: string): Sentence => ({
  en: `${name} is a broken picture: save it anew, and send that.`,
  zh: `${name} 是损坏的图片：请重新保存后再发送。`,
});

function tooLarge(name: string, { length }: Uint8Array, { width, height }: PictureSize): Sentence {
  const [megabytes, most] = [(length / 1e6).toFixed(1), MOST_BYTES / 1e6];
  return {
    en: `${name} has ${megabytes} MB and ${width} x ${height} pixels; providers take ${most} MB and ${LONGEST_SIDE} pixels a side, and this one cannot be made smaller here: save it smaller, and send that.`,
    zh: `${name} 有 ${megabytes} MB，${width} x ${height} 像素；服务商最多接受 ${most} MB、每边 ${LONGEST_SIDE} 像素，这里无法缩小它：请另存为较小的图片再发送。`,
  };
}

async function smaller(bytes: Uint8Array, type: "image/png" | "image/jpeg", name: string): Promise<Uint8Array> {
  const { decodePicture, encodeJpeg, scaled } = await import("./scale.ts");
  try {
    const pixels = decodePicture(bytes, type);
    for (const side of SMALLER_SIDES) {
      const jpeg = encodeJpeg(scaled(pixels, side));
      if (jpeg.length <= MOST_BYTES) return jpeg;
    }
  } catch (error) {
    throw new PictureError(broken(name), error);
  }
  throw new PictureError({
    en: `${name} cannot be made small enough for a provider.`,
    zh: `${name} 无法缩小到服务商可接受的大小。`,
  });
}
