import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";

/** A file in an archive; its name has no folder. */
export interface Entry {
  readonly name: string;
  readonly bytes: Buffer;
}

const [LOCAL, CENTRAL, END] = [0x04034b50, 0x02014b50, 0x06054b50] as const;
const DEFLATED = 8;
/** Names are UTF-8. */
const UTF8 = 0x0800;

/** A zip archive: the files deflated, without times, so that the same files are the same archive. */
export function zipOf(entries: readonly Entry[]): Buffer {
  const pieces: Buffer[] = [];
  const index: Buffer[] = [];
  let at = 0;
  for (const { name, bytes } of entries) {
    const packed = deflateRawSync(bytes);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(UTF8, 2);
    shared.writeUInt16LE(DEFLATED, 4);
    // The first day that such archives know.
    shared.writeUInt16LE(0x21, 8);
    shared.writeUInt32LE(crc32(bytes), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(bytes.length, 18);
    shared.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([word(LOCAL), shared, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    // Its owner may read it, and nobody else.
    rest.writeUInt32LE(0o100600 * 0x10000, 6);
    rest.writeUInt32LE(at, 10);
    index.push(Buffer.concat([word(CENTRAL), half(0x031e), shared, rest, Buffer.from(name)]));
    pieces.push(local);
    at += local.length;
  }
  const central = Buffer.concat(index);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...pieces, central, word(END), end]);
}

const word = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

const half = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
};

/** The largest file that is read out of an archive, bytes. */
const LARGEST = 512 * 1024 * 1024;

/** The files of an archive that `zipOf` has made, up to the first that cannot be read. */
export function readZip(archive: Buffer): Entry[] {
  const entries: Entry[] = [];
  let at = 0;
  while (at + 30 <= archive.length && archive.readUInt32LE(at) === LOCAL) {
    const sum = archive.readUInt32LE(at + 14);
    const packed = archive.readUInt32LE(at + 18);
    const begins = at + 30 + archive.readUInt16LE(at + 26) + archive.readUInt16LE(at + 28);
    const name = archive.toString("utf8", at + 30, at + 30 + archive.readUInt16LE(at + 26));
    const bytes = inflated(archive.subarray(begins, begins + packed));
    if (bytes === undefined || crc32(bytes) !== sum) return entries;
    entries.push({ name, bytes });
    at = begins + packed;
  }
  return entries;
}

function inflated(packed: Buffer): Buffer | undefined {
  try {
    return inflateRawSync(packed, { maxOutputLength: LARGEST });
  } catch {
    return undefined;
  }
}
