import type { Readable } from "node:stream";
import { leftOut } from "../../words/prompt.ts";

/** What is sent of the two ends of something large that is handed in. Bytes. */
export const KEPT_BYTES: number = 128 * 1024;

/** A stream as it is kept: whole, or its two ends. */
export interface Capped {
  readonly head: Buffer;
  /** What follows the head, or the end of it. */
  readonly tail: Buffer;
  /** Of the whole. */
  readonly bytes: number;
}

/** Reads to the end, and holds no more in memory than what is kept of each end, and as much again. */
export async function readCapped(stream: Readable, kept: number = KEPT_BYTES): Promise<Capped> {
  const head: Buffer[] = [];
  let rest: Buffer[] = [];
  let room = kept;
  let restBytes = 0;
  let bytes = 0;
  for await (const piece of stream) {
    const chunk = Buffer.from(piece as Uint8Array);
    bytes += chunk.length;
    if (room > 0) head.push(chunk.subarray(0, room));
    const over = chunk.subarray(room);
    room -= chunk.length - over.length;
    if (over.length === 0) continue;
    rest.push(over);
    restBytes += over.length;
    if (restBytes <= 2 * kept) continue;
    rest = [endOf(rest, kept)];
    restBytes = kept;
  }
  return { head: Buffer.concat(head), tail: endOf(rest, kept), bytes };
}

const endOf = (chunks: readonly Buffer[], kept: number): Buffer => Buffer.concat(chunks).subarray(-kept);

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
