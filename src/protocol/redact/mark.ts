/** What stands in a mark for the kind of secret: a closed list, so that no secret passes for a mark. */
export type Kind = "known" | "key" | "password" | "header" | "url" | "private-key";

/** A mark as it stands in a text. */
export const MARK: RegExp = /‹redacted:(?:known|key|password|header|url|private-key):[0-9a-f]{4}›/u;

const EVERY_MARK = new RegExp(MARK.source, "gu");

/** Two random numbers of 32 bits, of one process alone: whoever reads marks later cannot try values against them. */
export type MarkKey = readonly [number, number];

/** Stands for a secret: equal ones look equal under one key, and nothing of them shows (security §3.13). */
export const markOf = (kind: Kind, secret: string, key: MarkKey): string =>
  `‹redacted:${kind}:${(halfSipHash(secret, key) & 0xffff).toString(16).padStart(4, "0")}›`;

/** From where to where marks stand, in their order. */
export const marksIn = (text: string): readonly (readonly [from: number, to: number])[] =>
  text.includes("‹redacted:")
    ? [...text.matchAll(EVERY_MARK)].map(({ index, 0: mark }) => [index, index + mark.length] as const)
    : [];

const rotated = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

/** HalfSipHash-2-4 over the UTF-16 units: a keyed hash that needs no library. */
function halfSipHash(text: string, [k0, k1]: MarkKey): number {
  let [a, b, c, d] = [k0, k1, 0x6c796765 ^ k0, 0x74656462 ^ k1];
  const rounds = (count: number): void => {
    for (let round = 0; round < count; round++) {
      a = (a + b) | 0;
      b = rotated(b, 5) ^ a;
      a = rotated(a, 16);
      c = (c + d) | 0;
      d = rotated(d, 8) ^ c;
      a = (a + d) | 0;
      d = rotated(d, 7) ^ a;
      c = (c + b) | 0;
      b = rotated(b, 13) ^ c;
      c = rotated(c, 16);
    }
  };
  const take = (word: number): void => {
    d ^= word;
    rounds(2);
    a ^= word;
  };
  for (let at = 0; at < text.length; at += 2) take(text.charCodeAt(at) | ((text.charCodeAt(at + 1) || 0) << 16));
  take(text.length);
  c ^= 0xff;
  rounds(4);
  return b ^ d;
}
