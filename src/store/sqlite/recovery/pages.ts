import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { committedFrames, type Frame, type Log, readLog, readShared, takenFrames } from "./log.ts";

/** SQLite's own, and ours: no store was ever made with another. */
const PAGE = 4096;

/** The first byte of a page of a tree, https://www.sqlite.org/fileformat2.html#b_tree_pages. */
const PAGE_TYPES: ReadonlySet<number | undefined> = new Set([2, 5, 10, 13]);

/** Pages as they lie in the files of a store, with those that its log holds; whatever is damaged in them. */
export class Pages {
  readonly size: number;
  readonly count: number;
  private readonly file: number;
  private readonly log: Buffer;
  private readonly newest = new Map<number, Frame>();
  /** Frames with the wrong checksum: what they hold counts where nothing else does. */
  private readonly doubtful: Frame[] = [];
  private readonly free: ReadonlySet<number>;
  /** Pages that a row goes on in. */
  private readonly followed = new Set<number>();
  /** So many there should be, as far as the files say. */
  private readonly told: number;

  /** Throws what reading throws. */
  constructor(path: string) {
    this.file = openSync(path, "r");
    const bytes = fstatSync(this.file).size;
    this.log = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.alloc(0);
    const log = readLog(this.log);
    this.size = log?.pageSize ?? PAGE;
    const frames = log === undefined ? [] : log.frames.slice(0, committedIn(log, path));
    for (const frame of frames) {
      if (frame.sound) this.newest.set(frame.page, frame);
      else this.doubtful.push(frame);
    }
    const inLog = frames.findLast(({ commit, sound }) => commit > 0 && sound)?.commit ?? 0;
    const inHead = inLog > 0 ? inLog : toldBy(this.page(1));
    this.count = Math.max(Math.ceil(bytes / this.size), inLog);
    this.told = inHead;
    this.free = this.freePages();
  }

  /** The newest of this number that is whole; undefined where the file ends before it. */
  page(number: number): Buffer | undefined {
    const frame = this.newest.get(number);
    if (frame !== undefined) return this.ofFrame(frame);
    const page = Buffer.alloc(this.size);
    const read = readSync(this.file, page, 0, this.size, (number - 1) * this.size);
    return read === 0 ? undefined : page;
  }

  /** All that are in use, then those that are in doubt. */
  *all(): Generator<{ readonly number: number; readonly page: Buffer; readonly sure: boolean }> {
    for (let number = 1; number <= this.count; number++) {
      const page = this.free.has(number) ? undefined : this.page(number);
      if (page !== undefined) yield { number, page, sure: true };
    }
    for (const frame of this.doubtful) yield { number: frame.page, page: this.ofFrame(frame), sure: false };
  }

  /** A page that the row of another one goes on in. */
  follow(number: number): Buffer | undefined {
    this.followed.add(number);
    return number > 1 && number <= this.count ? this.page(number) : undefined;
  }

  /** When all rows were read: so many pages are missing, or are nothing that a page of a store can be. */
  lost(): number {
    let lost = Math.max(0, this.told - this.count);
    for (let number = 2; number <= this.count; number++) {
      if (this.free.has(number) || this.followed.has(number)) continue;
      if (!PAGE_TYPES.has(this.page(number)?.[0])) lost++;
    }
    return lost;
  }

  close(): void {
    closeSync(this.file);
  }

  private ofFrame({ at }: Frame): Buffer {
    return this.log.subarray(at, at + this.size);
  }

  /** What lies in them was removed. */
  private freePages(): Set<number> {
    const free = new Set<number>();
    let trunk = this.page(1)?.readUInt32BE(32) ?? 0;
    while (trunk > 1 && trunk <= this.count && !free.has(trunk)) {
      free.add(trunk);
      const page = this.page(trunk) ?? Buffer.alloc(this.size);
      const leaves = Math.min(page.readUInt32BE(4), this.size / 4 - 2);
      for (let leaf = 0; leaf < leaves; leaf++) free.add(page.readUInt32BE(8 + 4 * leaf));
      trunk = page.readUInt32BE(0);
    }
    return free;
  }
}

/** How many pages there are by the head of the file, where its own numbers agree. */
const toldBy = (head: Buffer | undefined): number =>
  head !== undefined && head.readUInt32BE(24) === head.readUInt32BE(92) ? head.readUInt32BE(28) : 0;

/** The log can be cut off in its last frame; what the processes had agreed on says whether that was committed. */
function committedIn(log: Log, path: string): number {
  const shared = sharedOf(path);
  return Math.max(
    committedFrames(log),
    takenFrames(log),
    shared?.salts === log.salts ? Math.min(shared.frames, log.frames.length) : 0,
  );
}

function sharedOf(path: string): ReturnType<typeof readShared> {
  return existsSync(`${path}-shm`) ? readShared(readFileSync(`${path}-shm`)) : undefined;
}
