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

/** Two running sums of 32 bits. */
type Sum = readonly [number, number];

const LITTLE = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/**
 * The log in words as its checksums take them. All of it is added up at each opening: whole words of 32 bits, one after the
 * other, are what that can be done with in a millisecond or two.
 */
function wordsOf(bytes: Buffer, bigEndian: boolean): Int32Array {
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 4));
  const isAligned = whole.byteOffset % 4 === 0;
  const ours = isAligned && bigEndian !== LITTLE ? whole : Buffer.from(new Uint8Array(whole).buffer);
  if (bigEndian === LITTLE) ours.swap32();
  return new Int32Array(ours.buffer, ours.byteOffset, ours.length / 4);
}

/** As SQLite adds up, over pairs of words; `from` and `to` in bytes. */
function added(sum: Sum, words: Int32Array, from: number, to: number): Sum {
  let one = sum[0] | 0;
  let other = sum[1] | 0;
  const end = to >> 2;
  for (let at = from >> 2; at < end; at += 2) {
    one = (one + (words[at] as number) + other) | 0;
    other = (other + (words[at + 1] as number) + one) | 0;
  }
  return [one, other];
}

const saltsAt = (bytes: Buffer, at: number): string => bytes.toString("hex", at, at + 8);
const pairAt = (bytes: Buffer, at: number): Sum => [bytes.readInt32BE(at), bytes.readInt32BE(at + 4)];
const same = (one: Sum, other: Sum): boolean => one[0] === other[0] && one[1] === other[1];

/**
 * The frames of a log since it was last begun, also behind one that is damaged; undefined where there are none. Each
 * frame is held against the checksum that stands in the one before it, so one that is damaged says nothing of the others.
 */
export function readLog(bytes: Buffer): Log | undefined {
  if (bytes.length < HEADER + FRAME_HEADER) return undefined;
  const words = wordsOf(bytes, bytes.readUInt32BE(0) === MAGIC + 1);
  const whole = same(added([0, 0], words, 0, HEADER - 8), pairAt(bytes, HEADER - 8));
  const pageSize = whole ? bytes.readUInt32BE(8) : 4096;
  // Where the head of the log is damaged its frames still say what belongs together.
  const saltsFrom = whole ? 16 : HEADER + 8;
  const salts = pairAt(bytes, saltsFrom);
  const frames: Frame[] = [];
  let before: Sum | undefined = whole ? pairAt(bytes, HEADER - 8) : undefined;
  for (let at = HEADER; at + FRAME_HEADER + pageSize <= bytes.length; at += FRAME_HEADER + pageSize) {
    const stands = pairAt(bytes, at + 16);
    const page = at + FRAME_HEADER;
    if (same(pairAt(bytes, at + 8), salts)) {
      const sum = before && added(added(before, words, at, at + 8), words, page, page + pageSize);
      frames.push({
        page: bytes.readUInt32BE(at),
        commit: bytes.readUInt32BE(at + 4),
        at: page,
        sound: sum !== undefined && same(sum, stands),
      });
    }
    before = stands;
  }
  return { pageSize, salts: saltsAt(bytes, saltsFrom), frames };
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
  const word = (at: number): number => (LITTLE ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  if (bytes[12] !== 1) return undefined; // nobody has begun to use it
  return { salts: saltsAt(bytes, 32), frames: word(16), brought: word(96) };
}
