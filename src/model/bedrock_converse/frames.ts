import { crc32 } from "node:zlib";
import type { FrameReader } from "../dialect.ts";

/** Larger than any event, bytes: a length that is none must not make us wait for ever. */
const LONGEST_FRAME = 16_777_216;

/** The lengths of a frame and of its headers, and their checksum, bytes; then come headers, payload and a checksum of all. */
const PRELUDE = 12;
const CHECKSUM = 4;

/**
 * Reads application/vnd.amazon.eventstream however it is cut. A frame that is an exception, or that cannot be read, is
 * handed on as the event `{error}`. (The package of the official client for this brings its whole core along, five times
 * as much code as all of this dialect.)
 */
export function awsFrames(onEvent: OnEvent): FrameReader {
  const pending = new Pending();
  const messages = new Messages(onEvent);
  let broken = false;
  const feed = (bytes: Uint8Array): void => {
    if (broken) return;
    pending.add(bytes);
    try {
      pending.takeFrames((joined, start, end) => messages.read(joined, start, end));
    } catch (error) {
      broken = true;
      const why = error instanceof Error ? error.message : String(error);
      onEvent(errorEvent("BrokenFrame", `a frame of its stream cannot be read (${why})`), undefined);
    }
  };
  return { feed, end: () => undefined };
}

type OnEvent = (data: string, name: string | undefined) => void;

const errorEvent = (type: string, message: string): string => JSON.stringify({ error: { type, message } });

class Messages {
  readonly #onEvent: OnEvent;
  /** The pieces of a reply have the same headers, byte for byte: they are read once. */
  #known = "";
  #headers: ReadonlyMap<string, string> = new Map();

  constructor(onEvent: OnEvent) {
    this.#onEvent = onEvent;
  }

  /** One whole frame. Throws when it is none. */
  read(bytes: Buffer, start: number, end: number): void {
    const checksum = end - CHECKSUM;
    if (crc32(bytes.subarray(start, checksum)) !== bytes.readUInt32BE(checksum))
      throw new Error("its checksum is wrong");
    const body = start + PRELUDE + bytes.readUInt32BE(start + 4);
    this.#readHeaders(bytes, start + PRELUDE, body);
    const payload = bytes.toString("utf8", body, checksum);
    switch (this.#header(":message-type")) {
      case "exception":
        this.#onEvent(errorEvent(this.#header(":exception-type"), messageIn(payload)), undefined);
        return;
      case "error":
        this.#onEvent(errorEvent(this.#header(":error-code"), this.#header(":error-message")), undefined);
        return;
      default:
        this.#onEvent(payload, this.#header(":event-type"));
    }
  }

  #readHeaders(bytes: Buffer, start: number, end: number): void {
    const headers = bytes.toString("latin1", start, end);
    if (headers !== this.#known) this.#headers = textsIn(bytes.subarray(start, end));
    this.#known = headers;
  }

  #header(name: string): string {
    return this.#headers.get(name) ?? "";
  }
}

/** Bytes of a header's value, by its kind: booleans, integers, an instant, a UUID. Kinds 6 and 7 say how long they are. */
const SIZES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
const TEXT = 7;

/** The headers that are texts. */
function textsIn(headers: Buffer): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  let at = 0;
  while (at < headers.length) {
    const nameEnd = at + 1 + headers.readUInt8(at);
    const kind = headers.readUInt8(nameEnd);
    const fixed = SIZES[kind];
    const start = nameEnd + (fixed === undefined ? 3 : 1);
    const end = start + (fixed ?? headers.readUInt16BE(nameEnd + 1));
    if (kind === TEXT) texts.set(headers.toString("utf8", at + 1, nameEnd), headers.toString("utf8", start, end));
    at = end;
  }
  return texts;
}

function messageIn(payload: string): string {
  const found = /"[Mm]essage"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(payload)?.[1];
  return found === undefined ? payload : String(JSON.parse(found));
}

/** Bytes that are not yet a whole frame. They are joined when a frame is complete, not with each piece. */
class Pending {
  #chunks: Uint8Array[] = [];
  #length = 0;
  #due = PRELUDE;

  add(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
    this.#length += bytes.length;
  }

  /** All frames that are whole. Throws when what comes is no frame. */
  takeFrames(take: (bytes: Buffer, start: number, end: number) => void): void {
    if (this.#length < this.#due) return;
    const bytes = this.#joined();
    let start = 0;
    let length = lengthAt(bytes, start);
    while (start + length <= bytes.length) {
      take(bytes, start, start + length);
      start += length;
      length = lengthAt(bytes, start);
    }
    this.#chunks = [bytes.subarray(start)];
    this.#length = bytes.length - start;
    this.#due = length;
  }

  #joined(): Buffer {
    const [only, ...more] = this.#chunks;
    const isWhole = only !== undefined && more.length === 0;
    return isWhole ? Buffer.from(only.buffer, only.byteOffset, only.byteLength) : Buffer.concat(this.#chunks);
  }
}

/** How long the frame is that begins here; before that is known, how much of it tells. */
function lengthAt(bytes: Buffer, start: number): number {
  if (start + PRELUDE > bytes.length) return PRELUDE;
  const length = bytes.readUInt32BE(start);
  const headers = bytes.readUInt32BE(start + 4);
  const isWhole = start + length <= bytes.length;
  // The checksum of a whole frame is of its lengths too.
  if (!isWhole && crc32(bytes.subarray(start, start + 8)) !== bytes.readUInt32BE(start + 8))
    throw new Error("its lengths have a wrong checksum");
  if (length > LONGEST_FRAME || PRELUDE + headers + CHECKSUM > length) throw new Error(`its length is ${length}`);
  return length;
}
