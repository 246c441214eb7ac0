import { PNG } from "pngjs";
import { expect, test } from "vitest";
import { imageData, type ImagePart } from "../../protocol/message.ts";
import { decodePicture } from "./scale.ts";
import { shrinkPicture } from "./shrink.ts";

/** Every pixel another colour: nothing that packs well. */
function noise(side: number): ImagePart {
  const picture = new PNG({ width: side, height: side });
  for (let at = 0; at < picture.data.length; at++)
    picture.data[at] = at % 4 === 3 ? 255 : Math.imul(at, 0x9e3779b1) >>> 24;
  return at(`data:image/png;base64,${PNG.sync.write(picture).toString("base64")}`);
}
const at = (url: string): ImagePart => ({ type: "image", url, detail: "low" });

test("[C5] [D3] a picture within the limit stays the same; another one becomes a JPEG within it", async () => {
  const picture = noise(400);
  expect(await shrinkPicture(picture, { base64: 4_194_304, side: 8_000 })).toBe(picture);
  for (const limit of [
    { base64: 4_194_304, side: 200 },
    { base64: 20_000, side: 8_000 },
  ]) {
    const smaller = await shrinkPicture(picture, limit);
    const { mediaType, base64 = "" } = imageData(smaller?.url ?? "") ?? {};
    expect({ mediaType, detail: smaller?.detail }).toEqual({ mediaType: "image/jpeg", detail: "low" });
    expect(base64.length).toBeLessThanOrEqual(limit.base64);
    const { width, height } = decodePicture(Buffer.from(base64, "base64"), "image/jpeg");
    expect(Math.max(width, height)).toBeLessThanOrEqual(limit.side);
  }
});

test("[C5] [D3] what lies elsewhere, is of another type, is broken or cannot be made small enough is none", async () => {
  const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
  gif.writeUInt16LE(9_000, 6);
  const tiny = { base64: 100, side: 8_000 };
  for (const url of [
    "https://h.test/x.png",
    `data:image/gif;base64,${gif.toString("base64")}`,
    "data:image/png;base64,AAAA",
  ])
    expect(await shrinkPicture(at(url), { base64: 4_194_304, side: 8_000 })).toBeUndefined();
  expect(await shrinkPicture(noise(100), tiny)).toBeUndefined();
});
