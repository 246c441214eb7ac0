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
export function awsFrames(onEvent: (data: string, name: string | undefined) => void): FrameReader {
  const pending = new Pending();
  const headers = new Headers();
  let broken = false;
  const feed = (bytes: Uint8Array): void => {
    if (broken) return;
    pending.add(bytes);
    try {
      for (let frame = pending.take(); frame !== undefined; frame = pending.take()) emit(frame, headers, onEvent);
    } catch (error) {
      broken = true;
      const why = error instanceof Error ? error.message : String(error);
      onEvent(errorEvent("BrokenFrame", `a frame of its stream cannot be read (${why})`), undefined);
    }
  };
  return { feed, end: () => undefined };
}

const errorEvent = (type: string, message: string): string => JSON.stringify({ error: { type, message } });

function emit(frame: Buffer, known: Headers, onEvent: (data: string, name: string | undefined) => void): void {
  const end = frame.length - CHECKSUM;
  if (crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end)) throw new Error("its checksum is wrong");
  const start = PRELUDE + frame.readUInt32BE(4);
  const headers = known.textsIn(frame.subarray(PRELUDE, start));
  const text = (name: string): string => headers.get(name) ?? "";
  const payload = frame.toString("utf8", start, end);
  switch (text(":message-type")) {
    case "exception":
      onEvent(errorEvent(text(":exception-type"), messageIn(payload)), undefined);
      return;
    case "error":
      onEvent(errorEvent(text(":error-code"), text(":error-message")), undefined);
      return;
    default:
      onEvent(payload, text(":event-type"));
  }
}

/** Bytes of a header's value, by its kind: booleans, integers, an instant, a UUID. Kinds 6 and 7 say how long they are. */
const SIZES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
const TEXT = 7;

/** The pieces of a reply have the same headers, byte for byte: they are read once. */
class Headers {
  #bytes: Buffer = Buffer.alloc(0);
  #texts: ReadonlyMap<string, string> = new Map();

  textsIn(bytes: Buffer): ReadonlyMap<string, string> {
    if (!bytes.equals(this.#bytes)) {
      this.#texts = textsIn(bytes);
      this.#bytes = Buffer.from(bytes);
    }
    return this.#texts;
  }
}

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

  /** The next whole frame. Throws when what comes is no frame. */
  take(): Buffer | undefined {
    while (this.#length >= this.#due) {
      const bytes = this.#joined();
      const length = bytes.readUInt32BE(0);
      if (this.#due === PRELUDE) checkPrelude(bytes);
      if (bytes.length < length) {
        this.#due = length;
        continue;
      }
      this.#chunks = [bytes.subarray(length)];
      this.#length = bytes.length - length;
      this.#due = PRELUDE;
      return bytes.subarray(0, length);
    }
    return undefined;
  }

  #joined(): Buffer {
    const [only, ...more] = this.#chunks;
    const isWhole = only !== undefined && more.length === 0;
    const whole = isWhole ? Buffer.from(only.buffer, only.byteOffset, only.byteLength) : Buffer.concat(this.#chunks);
    this.#chunks = [whole];
    return whole;
  }
}

function checkPrelude(bytes: Buffer): void {
  const length = bytes.readUInt32BE(0);
  const headers = bytes.readUInt32BE(4);
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) throw new Error("its lengths have a wrong checksum");
  if (length > LONGEST_FRAME || PRELUDE + headers + CHECKSUM > length) throw new Error(`its length is ${length}`);
}
