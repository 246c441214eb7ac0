import { sequenceAt } from "./utf8.ts";

export type LegacyEncoding = "gbk" | "windows-1252";

/** Bytes that Windows-1252 has no character for. */
const UNUSED: ReadonlySet<number> = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

/**
 * Which of the encodings that were usual before UTF-8 these bytes are surely in, and what they say; undefined where it is
 * not sure, or where the bytes could not be made again from what they say.
 */
export function legacyEncoding(bytes: Buffer): { text: string; encoding: LegacyEncoding } | undefined {
  const encoding = likelyEncoding(bytes);
  if (encoding === undefined) return undefined;
  const text = new TextDecoder(encoding).decode(bytes);
  return legacyBytes(text, encoding)?.equals(bytes) === true ? { text, encoding } : undefined;
}

function likelyEncoding(bytes: Buffer): LegacyEncoding | undefined {
  const { high, pairs, hanzi, unused } = countHigh(bytes);
  if (high === 0 || inSequences(bytes) * 2 >= high) return undefined;
  // Chinese: they stand in pairs, and nearly all of those are characters of GB 2312.
  if (pairs * 4 >= high && hanzi > 0 && hanzi >= 0.9 * pairs) return "gbk";
  // Western: letters with accents stand alone between others.
  return !unused && pairs * 4 <= high ? "windows-1252" : undefined;
}

interface Counts {
  /** Bytes that are not ASCII. */
  high: number;
  /** Of them, pairs that stand next to each other. */
  pairs: number;
  /** Pairs that are characters of GB 2312. */
  hanzi: number;
  unused: boolean;
}

function countHigh(bytes: Buffer): Counts {
  const counts: Counts = { high: 0, pairs: 0, hanzi: 0, unused: false };
  for (let at = 0; at < bytes.length; at++) {
    const [byte = 0, next = 0] = [bytes[at], bytes[at + 1]];
    if (byte < 0x80) continue;
    counts.high += 1;
    counts.unused ||= UNUSED.has(byte);
    if (next < 0x80) continue;
    counts.high += 1;
    counts.pairs += 1;
    counts.unused ||= UNUSED.has(next);
    if (byte >= 0xa1 && byte <= 0xf7 && next >= 0xa1) counts.hanzi += 1;
    at += 1;
  }
  return counts;
}

/** Bytes of whole UTF-8 characters that are not ASCII: where most are, only some bytes of a UTF-8 text are odd. */
function inSequences(bytes: Buffer): number {
  let found = 0;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceAt(bytes, at);
    if (length > 1) found += length;
    at += Math.max(1, length);
  }
  return found;
}

/** Undefined: one of the characters does not exist in this encoding. */
export function legacyBytes(text: string, encoding: LegacyEncoding): Buffer | undefined {
  const codes = codesOf(encoding);
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.charCodeAt(0);
    if (code < 0x80) {
      bytes.push(code);
      continue;
    }
    const found = codes.get(character);
    if (found === undefined) return undefined;
    bytes.push(...found);
  }
  return Buffer.from(bytes);
}

type Codes = ReadonlyMap<string, readonly number[]>;
const known = new Map<LegacyEncoding, Codes>();

/** Read off the decoder, once: Node brings no encoder for them. */
function codesOf(encoding: LegacyEncoding): Codes {
  const before = known.get(encoding);
  if (before !== undefined) return before;
  const all = encoding === "gbk" ? pairsOfGbk() : Array.from({ length: 0x80 }, (_, at) => [0x80 + at]);
  // A line break between them keeps a byte without a character from taking the next one with it.
  const shown = new TextDecoder(encoding).decode(Buffer.from(all.flatMap((code) => [...code, 10]))).split("\n");
  const codes = new Map<string, readonly number[]>();
  for (const [at, code] of all.entries()) {
    const character = shown[at] ?? "";
    if (character.length === 1 && character !== "\uFFFD" && !codes.has(character)) codes.set(character, code);
  }
  known.set(encoding, codes);
  return codes;
}

function pairsOfGbk(): number[][] {
  const pairs: number[][] = [];
  for (let lead = 0x81; lead <= 0xfe; lead++)
    for (let trail = 0x40; trail <= 0xfe; trail++) if (trail !== 0x7f) pairs.push([lead, trail]);
  return pairs;
}
