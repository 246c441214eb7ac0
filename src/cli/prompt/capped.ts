import type { Readable } from "node:stream";
import { leftOut } from "../../words/prompt.ts";

/** What is sent of the two ends of something large. Bytes. */
export const KEPT_BYTES: number = 128 * 1024;

/** A stream as it is kept: whole, or its two ends. */
export interface Capped {
  readonly head: Buffer;
  /** What follows the head, or the end of it. */
  readonly tail: Buffer;
  /** Of the whole. */
  readonly bytes: number;
}

/** Reads to the end, and holds no more in memory than what is kept. */
export async function readCapped(stream: Readable): Promise<Capped> {
  let head = Buffer.alloc(0);
  let rest: Buffer[] = [];
  let restBytes = 0;
  let bytes = 0;
  for await (const piece of stream) {
    const chunk = Buffer.from(piece as Uint8Array);
    const room = KEPT_BYTES - head.length;
    bytes += chunk.length;
    if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)]);
    if (chunk.length <= room) continue;
    rest.push(chunk.subarray(Math.max(room, 0)));
    restBytes += chunk.length - Math.max(room, 0);
    if (restBytes > 16 * KEPT_BYTES) {
      rest = [endOf(rest)];
      restBytes = KEPT_BYTES;
    }
  }
  return { head, tail: endOf(rest), bytes };
}

const endOf = (chunks: readonly Buffer[]): Buffer => Buffer.concat(chunks).subarray(-KEPT_BYTES);

export const isCut = ({ head, tail, bytes }: Capped): boolean => head.length + tail.length < bytes;

/** As text; where it was cut, a line says so, and no character is halved. */
export function textOfCapped(capped: Capped): string {
  const { head, tail, bytes } = capped;
  if (!isCut(capped)) return Buffer.concat([head, tail]).toString("utf8");
  const missing = bytes - head.length - tail.length;
  const [before, after] = [
    head.toString("utf8").replace(/\uFFFD+$/u, ""),
    tail.toString("utf8").replace(/^\uFFFD+/u, ""),
  ];
  return `${before}\n${leftOut(sizeOf(missing))}\n${after}`;
}

export const sizeOf = (bytes: number): string =>
  bytes < 10_000 ? `${bytes} bytes` : `${Math.round(bytes / 1024).toLocaleString("en-US")} KB`;
