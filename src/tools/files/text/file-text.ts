import { isUtf8 } from "node:buffer";
import { legacyBytes, legacyEncoding } from "./legacy-encoding.ts";
import { sequenceAt } from "./utf8.ts";

/** How the bytes of a file stand for text: `odd` is UTF-8 in which some bytes stand for no character. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "gbk" | "windows-1252" | "odd";

/** A file as text from which its bytes can be made again. */
export interface FileText {
  /** Without the byte order mark. A byte that stands for no character is a lone surrogate, U+DC00 and the byte. */
  readonly text: string;
  readonly encoding: Encoding;
  /** It begins with a byte order mark. */
  readonly mark: boolean;
}

const MARKS = { "utf-8": "efbbbf", "utf-16le": "fffe", "utf-16be": "feff" } as const;

/**
 * Reads bytes as text without losing any: `bytesOf` gives the same bytes again. Undefined: they are no text (a NUL stands
 * among them, and no mark says UTF-16).
 */
export function textOf(bytes: Buffer): FileText | undefined {
  const start = bytes.toString("hex", 0, 3);
  if ((start.startsWith(MARKS["utf-16le"]) || start.startsWith(MARKS["utf-16be"])) && bytes.length % 2 === 0) {
    const encoding = start.startsWith(MARKS["utf-16le"]) ? "utf-16le" : "utf-16be";
    return { text: swapped(bytes.subarray(2), encoding).toString("utf16le"), encoding, mark: true };
  }
  if (bytes.includes(0)) return undefined;
  const mark = start === MARKS["utf-8"];
  const rest = mark ? bytes.subarray(3) : bytes;
  if (isUtf8(rest)) return { text: rest.toString("utf8"), encoding: "utf-8", mark };
  const legacy = mark ? undefined : legacyEncoding(rest);
  if (legacy !== undefined) return { text: legacy.text, encoding: legacy.encoding, mark };
  return { text: withOddBytes(rest), encoding: "odd", mark };
}

/** The bytes of a text in this encoding; undefined: it holds a character that the encoding does not have. */
export function bytesOf({ text, encoding, mark }: FileText): Buffer | undefined {
  switch (encoding) {
    case "utf-8":
      return marked(Buffer.from(text), encoding, mark);
    case "utf-16le":
    case "utf-16be":
      return marked(swapped(Buffer.from(text, "utf16le"), encoding), encoding, mark);
    case "gbk":
    case "windows-1252":
      return legacyBytes(text, encoding);
    case "odd":
      return marked(oddBytes(text), "utf-8", mark);
  }
}

const marked = (bytes: Buffer, encoding: keyof typeof MARKS, mark: boolean): Buffer =>
  mark ? Buffer.concat([Buffer.from(MARKS[encoding], "hex"), bytes]) : bytes;

const swapped = (bytes: Buffer, encoding: Encoding): Buffer =>
  encoding === "utf-16be" ? Buffer.from(bytes).swap16() : bytes;

function withOddBytes(bytes: Buffer): string {
  const pieces: string[] = [];
  let start = 0;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceAt(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    pieces.push(bytes.toString("utf8", start, at), String.fromCharCode(0xdc00 + (bytes[at] ?? 0)));
    at += 1;
    start = at;
  }
  return pieces.join("") + bytes.toString("utf8", start);
}

function oddBytes(text: string): Buffer {
  const pieces: Buffer[] = [];
  let start = 0;
  // Of a pair of surrogates, this finds neither half.
  for (const { index, 0: odd } of text.matchAll(/[\u{DC80}-\u{DCFF}]/gu)) {
    pieces.push(Buffer.from(text.slice(start, index)), Buffer.of(odd.charCodeAt(0) - 0xdc00));
    start = index + 1;
  }
  return Buffer.concat([...pieces, Buffer.from(text.slice(start))]);
}
