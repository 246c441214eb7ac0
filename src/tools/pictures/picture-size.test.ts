import { expect, test } from "vitest";
import { pictureSize } from "./picture-size.ts";

test("[C5] what lies in memory behind a picture is no part of it", async () => {
  // Behind the first three bytes, this is a Targa picture of 37 x 51 pixels; the other is a PNG without its height.
  const targa = Buffer.from("00000033000000ec00004e0025003300", "hex");
  const png = Buffer.from("89504e470d0a1a0a0000000d494844520000000400000004", "hex");
  for (const cut of [targa.subarray(0, 3), png.subarray(0, 18)])
    await expect(pictureSize(cut)).rejects.toThrow(/outside the bounds|Unsupported/i);
  expect(await pictureSize(png)).toMatchObject({ width: 4, height: 4 });
});
