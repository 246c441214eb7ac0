import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { type ImagePart, LARGEST_PICTURE } from "../../protocol/message.ts";
import { PictureError, pictureOf, pictureType } from "./picture.ts";

/** What a file is as a picture; undefined: it is none, or cannot be read. */
export type PictureFile =
  | { readonly type: "picture"; readonly picture: ImagePart }
  /** A picture that no provider takes; `why` is one sentence. */
  | { readonly type: "unfit"; readonly why: PictureError["words"] }
  | undefined;

const SIGNATURE = 16;

/** `name` is what the file is called in sentences. */
export async function readPicture(path: string, name: string): Promise<PictureFile> {
  try {
    const bytes = await pictureBytes(path, name);
    return bytes && { type: "picture", picture: await pictureOf(bytes, name) };
  } catch (error) {
    if (error instanceof PictureError) return { type: "unfit", why: error.words };
    return undefined;
  }
}

const huge = (name: string, megabytes: number): PictureError["words"] => ({
  en: `${name} has ${megabytes} MB, and a picture may have ${LARGEST_PICTURE / 1e6} MB: save it smaller, or as JPEG, and send that.`,
  zh: `${name} 有 ${megabytes} MB，而图片最多 ${LARGEST_PICTURE / 1e6} MB：请另存为较小的图片或 JPEG 再发送。`,
});

async function pictureBytes(path: string, name: string): Promise<Buffer | undefined> {
  // A pipe that nobody writes to would never open.
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stats = await file.stat();
  if (!stats.isFile()) return undefined;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SIGNATURE), 0, SIGNATURE, 0);
  if (pictureType(buffer.subarray(0, bytesRead)) === undefined) return undefined;
  if (stats.size > LARGEST_PICTURE) throw new PictureError(huge(name, Math.round(stats.size / 1e6)));
  const whole = Buffer.alloc(stats.size);
  const read = await file.read(whole, 0, whole.length, 0);
  return whole.subarray(0, read.bytesRead);
}
