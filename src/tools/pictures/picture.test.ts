import { createCipheriv } from "node:crypto";
import { PNG } from "pngjs";
import { expect, test } from "vitest";
import { imageData } from "../../protocol/message.ts";
import { pictureOf, PictureError, pictureType } from "./picture.ts";
import { decodePicture, encodeJpeg, scaled } from "./scale.ts";

/** Half red, half see-through. */
function png(width: number, height: number): Buffer {
  const picture = new PNG({ width, height });
  for (let at = 0; at < picture.data.length; at += 4) {
    const isLeft = (at / 4) % width < width / 2;
    picture.data.set(isLeft ? [255, 0, 0, 255] : [0, 0, 0, 0], at);
  }
  return PNG.sync.write(picture);
}

/** Of four million bytes that are the same at each run, and do not pack. */
function noise(): Buffer {
  const picture = new PNG({ width: 1_000, height: 1_000 });
  const stream = createCipheriv("aes-256-ctr", Buffer.alloc(32), Buffer.alloc(16));
  stream.update(Buffer.alloc(picture.data.length)).copy(picture.data);
  return PNG.sync.write(picture, { filterType: 0, deflateLevel: 1 });
}

test("[C5] a picture that every provider takes goes as it is", async () => {
  const bytes = png(4, 4);
  const { url } = await pictureOf(bytes, "a.png");
  expect(imageData(url)).toEqual({ mediaType: "image/png", base64: bytes.toString("base64") });
});

test("[C5] a picture with a side that is too long, or with too many bytes, is made smaller", async () => {
  for (const bytes of [png(9_000, 10), noise()]) {
    const { url } = await pictureOf(bytes, "a.png");
    const { mediaType, base64 = "" } = imageData(url) ?? {};
    expect(mediaType).toBe("image/jpeg");
    expect(base64.length).toBeLessThan(5_000_000);
    const { width, height } = decodePicture(Buffer.from(base64, "base64"), "image/jpeg");
    expect(Math.max(width, height)).toBeLessThanOrEqual(2_000);
  }
});

test("[C5] what is scaled keeps its shape and its colours, on white", () => {
  const { width, height, data } = scaled(decodePicture(png(40, 20), "image/png"), 10);
  expect([width, height]).toEqual([10, 5]);
  expect([...data.subarray(0, 4)]).toEqual([255, 0, 0, 255]);
  expect([...data.subarray(36, 40)]).toEqual([255, 255, 255, 255]);
  expect(pictureType(encodeJpeg({ width, height, data }))).toBe("image/jpeg");
});

test("[C5] what is no picture, is broken, or cannot be made smaller is told in one sentence", async () => {
  await expect(pictureOf(Buffer.from("text"), "a.txt")).rejects.toThrow("a.txt is no PNG, JPEG, GIF or WebP picture.");
  await expect(pictureOf(png(4, 4).subarray(0, 12), "cut.png")).rejects.toThrow(PictureError);
  const gif = Buffer.alloc(4_000_000);
  gif.write("GIF89a");
  gif.writeUInt16LE(10, 6);
  gif.writeUInt16LE(10, 8);
  await expect(pictureOf(gif, "big.gif")).rejects.toThrow(
    /big.gif has 4.0 MB and 10 x 10 pixels; providers take 3.75 MB/u,
  );
});
