import type { Pages } from "./pages.ts";

export type Value = null | number | string | Uint8Array;

/** A row as it lies in a page of a table. */
export interface RawRow {
  readonly id: number;
  readonly values: readonly Value[];
}

const TABLE_LEAF = 0x0d;
/** The first page begins with the head of the file. */
const FILE_HEAD = 100;
/** Longer than any row of ours is allowed to be, bytes: a number that is none. */
const MOST = 1024 * 1024 * 1024;

class Damaged extends Error {}

/** The rows of a page, each for itself: one that is damaged takes no other with it. */
export function* rowsIn(pages: Pages, number: number, page: Buffer): Generator<RawRow | undefined> {
  const head = number === 1 ? FILE_HEAD : 0;
  if (page[head] !== TABLE_LEAF) return;
  const cells = Math.min(page.readUInt16BE(head + 3), Math.floor((page.length - head - 8) / 2));
  for (let cell = 0; cell < cells; cell++) {
    try {
      yield rowAt(pages, page, page.readUInt16BE(head + 8 + 2 * cell));
    } catch (error) {
      if (!(error instanceof Damaged) && !(error instanceof RangeError) && !(error instanceof TypeError)) throw error;
      yield undefined;
    }
  }
}

function rowAt(pages: Pages, page: Buffer, at: number): RawRow {
  const [length, afterLength] = varint(page, at);
  const [id, start] = varint(page, afterLength);
  if (length > MOST) throw new Damaged();
  return { id, values: valuesIn(payload(pages, page.subarray(start), length)) };
}

/** https://www.sqlite.org/fileformat2.html#b_tree_pages: what does not fit goes on in pages of its own. */
function payload(pages: Pages, cell: Buffer, length: number): Buffer {
  const { size } = pages;
  const least = Math.floor(((size - 12) * 32) / 255) - 23;
  if (length <= size - 35) return exactly(cell.subarray(0, length), length);
  const wanted = least + ((length - least) % (size - 4));
  const local = wanted <= size - 35 ? wanted : least;
  const parts = [exactly(cell.subarray(0, local), local)];
  let next = cell.readUInt32BE(local);
  for (let left = length - local; left > 0; left -= size - 4) {
    const page = pages.follow(next);
    if (page === undefined) throw new Damaged();
    parts.push(page.subarray(4, 4 + Math.min(left, size - 4)));
    next = page.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

function exactly(bytes: Buffer, length: number): Buffer {
  if (bytes.length < length) throw new Damaged();
  return bytes;
}

/** The number at a place, and where it ends. */
function varint(bytes: Buffer, at: number): readonly [value: number, end: number] {
  let value = 0;
  for (let index = 0; index < 8; index++) {
    const byte = bytes.readUInt8(at + index);
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return [value, at + index + 1];
  }
  throw new Damaged(); // larger than any number of ours
}

function valuesIn(record: Buffer): Value[] {
  const [headEnd, first] = varint(record, 0);
  if (headEnd > record.length) throw new Damaged();
  const values: Value[] = [];
  let at = headEnd;
  for (let head = first; head < headEnd;) {
    const [type, next] = varint(record, head);
    head = next;
    const length = lengthOf(type);
    values.push(valueOf(type, exactly(record.subarray(at, at + length), length)));
    at += length;
  }
  return values;
}

const INTEGERS = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function lengthOf(type: number): number {
  return INTEGERS[type] ?? (type < 12 ? MOST : Math.floor((type - 12) / 2));
}

const TEXT = new TextDecoder("utf-8", { fatal: true });

function valueOf(type: number, bytes: Buffer): Value {
  if (type >= 12) return type % 2 === 0 ? bytes : TEXT.decode(bytes);
  if (type === 0) return null;
  if (type >= 8) return type - 8;
  if (type === 7) throw new Damaged(); // no column of ours has fractions
  return type === 6 ? Number(bytes.readBigInt64BE(0)) : bytes.readIntBE(0, bytes.length);
}
