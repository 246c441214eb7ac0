import { isUtf8 } from "node:buffer";

/** Bytes of the valid UTF-8 sequence that begins here; 0: none does. */
export function sequenceAt(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  return at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}
