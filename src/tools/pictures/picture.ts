import type { ImagePart } from "../../protocol/message.ts";

/** What every provider takes (row C5): Bedrock has the smallest limit of bytes, Anthropic one of pixels beside it. */
const MOST_BYTES = 3_750_000;
const LONGEST_SIDE = 8_000;

/** Longest sides that are tried, one after the other, when a picture is made smaller: no model looks closer, pixels. */
const SMALLER_SIDES = [2_000, 1_400, 900];

/** Larger than any camera's, bytes: what is beyond is no picture for a conversation. */
export const LARGEST_PICTURE = 50_000_000;

/** Decoding more would take more memory than it is worth. */
const MOST_PIXELS = 100_000_000;

/** A picture that cannot be sent, in one sentence. */
export class PictureError extends Error {
  override readonly name = "PictureError";
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
  if (type === undefined) throw new PictureError(`${name} is no PNG, JPEG, GIF or WebP picture.`);
  const { width, height } = await sizeOf(bytes, name);
  if (bytes.length <= MOST_BYTES && Math.max(width, height) <= LONGEST_SIDE) return part(type, bytes);
  if (type !== "image/png" && type !== "image/jpeg") throw new PictureError(tooLarge(name, bytes, { width, height }));
  if (width * height > MOST_PIXELS) throw new PictureError(tooLarge(name, bytes, { width, height }));
  return part("image/jpeg", await smaller(bytes, type, name));
}

interface Size {
  readonly width: number;
  readonly height: number;
}

async function sizeOf(bytes: Uint8Array, name: string): Promise<Size> {
  const { imageSize } = await import("image-size");
  try {
    return imageSize(bytes);
  } catch (error) {
    throw new PictureError(`${name} is broken: its size cannot be read.`, { cause: error });
  }
}

const part = (type: string, bytes: Uint8Array): ImagePart => ({
  type: "image",
  url: `data:${type};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")}`,
});

function tooLarge(name: string, { length }: Uint8Array, { width, height }: Size): string {
  const is = `${name} has ${(length / 1e6).toFixed(1)} MB and ${width} x ${height} pixels`;
  const most = `providers take ${MOST_BYTES / 1e6} MB and ${LONGEST_SIDE} pixels a side`;
  return `${is}; ${most}. Only PNG and JPEG pictures of up to ${MOST_PIXELS / 1e6} megapixels are made smaller here: save it smaller, and send that.`;
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
    throw new PictureError(`${name} is broken: it cannot be read.`, { cause: error });
  }
  throw new PictureError(`${name} cannot be made small enough for a provider.`);
}
