/** What SQLite's write-ahead log says, https://www.sqlite.org/fileformat2.html#the_write_ahead_log. */

const HEADER = 32;
const FRAME_HEADER = 24;
const MAGIC = 0x377f0682;

export interface Log {
  readonly pageSize: number;
  /** The two numbers that stand in each frame since the log was last begun anew. */
  readonly salts: string;
  readonly frames: readonly Frame[];
}

export interface Frame {
  readonly page: number;
  /** Pages of the store behind this commit; 0: the transaction goes on. */
  readonly commit: number;
  /** Of the page in the file of the log, bytes. */
  readonly at: number;
  /** Its checksum goes on from that of the frame before it. */
  readonly sound: boolean;
}

type Sum = readonly [number, number];

/** As SQLite adds up: two running sums over pairs of words. */
function added([one, two]: Sum, bytes: Uint8Array, bigEndian: boolean): Sum {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [a, b] = [one, two];
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    a = (a + words.getUint32(at, !bigEndian) + b) >>> 0;
    b = (b + words.getUint32(at + 4, !bigEndian) + a) >>> 0;
  }
  return [a, b];
}

const saltsAt = (bytes: Buffer, at: number): string => bytes.subarray(at, at + 8).toString("hex");
const sumAt = (bytes: Buffer, at: number): Sum => [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
const same = (one: Sum, other: Sum): boolean => one[0] === other[0] && one[1] === other[1];

/**
 * The frames of a log since it was last begun, also behind one that is damaged; undefined where there are none. Each
 * frame is held against the checksum that stands in the one before it, so one that is damaged says nothing of the others.
 */
export function readLog(bytes: Buffer): Log | undefined {
  if (bytes.length < HEADER + FRAME_HEADER) return undefined;
  const bigEndian = bytes.readUInt32BE(0) === MAGIC + 1;
  const whole = same(added([0, 0], bytes.subarray(0, HEADER - 8), bigEndian), sumAt(bytes, HEADER - 8));
  const told = bytes.readUInt32BE(8);
  const pageSize = whole ? told : 4096;
  // Where the head of the log is damaged its frames still say what belongs together.
  const salts = whole ? saltsAt(bytes, 16) : saltsAt(bytes, HEADER + 8);
  const frames: Frame[] = [];
  let before: Sum | undefined = whole ? sumAt(bytes, HEADER - 8) : undefined;
  for (let at = HEADER; at + FRAME_HEADER + pageSize <= bytes.length; at += FRAME_HEADER + pageSize) {
    const stands = sumAt(bytes, at + 16);
    const page = at + FRAME_HEADER;
    if (saltsAt(bytes, at + 8) === salts) {
      const sum =
        before &&
        added(added(before, bytes.subarray(at, at + 8), bigEndian), bytes.subarray(page, page + pageSize), bigEndian);
      frames.push({
        page: bytes.readUInt32BE(at),
        commit: bytes.readUInt32BE(at + 4),
        at: page,
        sound: sum !== undefined && same(sum, stands),
      });
    }
    before = stands;
  }
  return { pageSize, salts, frames };
}

/** So many frames SQLite takes: up to the last commit before the first one that is not sound. */
export function takenFrames({ frames }: Log): number {
  const broken = frames.findIndex(({ sound }) => !sound);
  return frames.slice(0, broken < 0 ? undefined : broken).findLastIndex(({ commit }) => commit > 0) + 1;
}

/** So many frames were committed, as far as the log itself can say. */
export const committedFrames = ({ frames }: Log): number =>
  frames.findLastIndex(({ commit, sound }) => commit > 0 && sound) + 1;

/** What the processes on a store had agreed on of its log, from the file of their shared memory. */
export interface Shared {
  readonly salts: string;
  /** So many frames were committed. */
  readonly frames: number;
  /** So many of them were brought into the store itself. */
  readonly brought: number;
}

/** Bytes of the shared memory that are read: two copies of its head, and how far the log was brought in. */
const SHARED_BYTES = 100;

/** Undefined where nothing is said. https://www.sqlite.org/walformat.html#the_wal_index_header */
export function readShared(bytes: Buffer): Shared | undefined {
  if (bytes.length < SHARED_BYTES || !bytes.subarray(0, 48).equals(bytes.subarray(48, 96))) return undefined;
  const little = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;
  const word = (at: number): number => (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  if (bytes[12] !== 1) return undefined; // nobody has begun to use it
  return { salts: saltsAt(bytes, 32), frames: word(16), brought: word(96) };
}
