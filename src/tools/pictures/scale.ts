import jpeg from "jpeg-js";
import { PNG } from "pngjs";

/** Four bytes a pixel: red, green, blue, opacity. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Throws for bytes that are no picture of this type. */
export const decodePicture = (bytes: Uint8Array, type: "image/png" | "image/jpeg"): Pixels =>
  type === "image/png"
    ? PNG.sync.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    : jpeg.decode(bytes, { useTArray: true, maxMemoryUsageInMB: 1_024, maxResolutionInMP: 110 });

export const encodeJpeg = ({ width, height, data }: Pixels): Uint8Array =>
  jpeg.encode({ width, height, data }, 85).data;

/** Scaled so that no side is longer than `side`, on white: each pixel is the mean of those it stands for. */
export function scaled(pixels: Pixels, side: number): Pixels {
  const factor = Math.min(1, side / Math.max(pixels.width, pixels.height));
  const width = Math.max(1, Math.round(pixels.width * factor));
  const height = Math.max(1, Math.round(pixels.height * factor));
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    const rows = span(y, height, pixels.height);
    for (let x = 0; x < width; x++) data.set(mean(pixels, span(x, width, pixels.width), rows), (y * width + x) * 4);
  }
  return { width, height, data };
}

interface Span {
  readonly from: number;
  readonly to: number;
}

const span = (at: number, of: number, all: number): Span => {
  const from = Math.floor((at * all) / of);
  return { from, to: Math.max(from + 1, Math.floor(((at + 1) * all) / of)) };
};

function mean({ width, data }: Pixels, columns: Span, rows: Span): [number, number, number, number] {
  let [red, green, blue] = [0, 0, 0];
  for (let y = rows.from; y < rows.to; y++) {
    for (let x = columns.from; x < columns.to; x++) {
      const at = (y * width + x) * 4;
      const opacity = (data[at + 3] ?? 255) / 255;
      const white = 255 * (1 - opacity);
      red += (data[at] ?? 0) * opacity + white;
      green += (data[at + 1] ?? 0) * opacity + white;
      blue += (data[at + 2] ?? 0) * opacity + white;
    }
  }
  const count = (columns.to - columns.from) * (rows.to - rows.from);
  return [red / count, green / count, blue / count, 255];
}
