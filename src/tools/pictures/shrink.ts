import type { PictureLimit } from "../../protocol/adjustment.ts";
import { imageData, type ImagePart } from "../../protocol/message.ts";
import { pictureSize } from "./picture-size.ts";

/** How much smaller each try is than the one before. */
const STEP = 0.7;
/** A picture that is smaller shows nothing any more, pixels of its longer side. */
const SMALLEST = 64;

/**
 * A picture within a limit: the same one where it is, else a JPEG. Undefined: it lies elsewhere, is of a type that cannot
 * be made smaller here (GIF, WebP), or is broken. Never rejects.
 */
export async function shrinkPicture(picture: ImagePart, limit: PictureLimit): Promise<ImagePart | undefined> {
  const data = imageData(picture.url);
  if (data === undefined) return undefined;
  const bytes = Buffer.from(data.base64, "base64");
  try {
    const { width, height } = await pictureSize(bytes);
    const side = Math.max(width, height);
    if (data.base64.length <= limit.base64 && side <= limit.side) return picture;
    const base64 = await smaller(bytes, data.mediaType, { ...limit, side: Math.min(side, limit.side) });
    return base64 === undefined ? undefined : { ...picture, url: `data:image/jpeg;base64,${base64}` };
  } catch {
    return undefined;
  }
}

async function smaller(
  bytes: Uint8Array,
  type: string,
  { base64: most, side: longest }: PictureLimit,
): Promise<string | undefined> {
  if (type !== "image/png" && type !== "image/jpeg") return undefined;
  const { decodePicture, encodeJpeg, scaled } = await import("./scale.ts");
  const pixels = decodePicture(bytes, type);
  for (let side = longest; side >= SMALLEST; side = Math.floor(side * STEP)) {
    const base64 = Buffer.from(encodeJpeg(scaled(pixels, side))).toString("base64");
    if (base64.length <= most) return base64;
  }
  return undefined;
}
