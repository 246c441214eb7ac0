/**
 * A model of a disk that loses its power. What was written is certain when its file was synced, an entry of a folder when
 * that folder was; of everything since, each write is there, lost, torn or zeros by itself, in no order, and the entries of
 * a folder are there up to some point. It is harsher than the file systems we know.
 */
export type DiskOp =
  | { readonly type: "write"; readonly path: string; readonly at: number; readonly bytes: Buffer }
  | { readonly type: "truncate"; readonly path: string; readonly size: number }
  /** `since`: the number of the operation it began behind. What was written while it ran it does not vouch for. */
  | { readonly type: "sync"; readonly path: string; readonly since: number }
  | { readonly type: "create" | "unlink"; readonly path: string }
  | { readonly type: "rename"; readonly path: string; readonly to: string }
  /** Somebody outside has learnt something. */
  | { readonly type: "told"; readonly text: string };

/** The files of a disk by path. */
export type Disk = ReadonlyMap<string, Buffer>;

type Change = Extract<DiskOp, { type: "write" | "truncate" }>;
type Entry = Extract<DiskOp, { type: "create" | "unlink" | "rename" }>;

interface File {
  /** What is certain. */
  safe: Buffer;
  /** What is not, with the number of its operation. */
  open: { readonly op: Change; readonly number: number }[];
}

interface Pending {
  readonly op: Entry;
  readonly file: File | undefined;
  readonly number: number;
}

/** A disk while operations are done on it. */
export class FailingDisk {
  /** As the running system sees it. */
  private readonly seen = new Map<string, File>();
  private readonly safe = new Map<string, File>();
  private readonly pending = new Map<string, Pending[]>();
  private number = 0;

  constructor(before: Disk = new Map()) {
    for (const [path, bytes] of before) {
      const file = { safe: bytes, open: [] };
      this.seen.set(path, file);
      this.safe.set(path, file);
    }
  }

  do(op: DiskOp): void {
    const number = this.number++;
    switch (op.type) {
      case "write":
      case "truncate":
        this.file(op.path).open.push({ op, number });
        return;
      case "sync":
        this.sync(op.path, op.since);
        return;
      case "create":
        if (!this.seen.has(op.path)) this.enter(op, number, { safe: Buffer.alloc(0), open: [] });
        return;
      case "unlink":
      case "rename":
        this.enter(op, number, this.seen.get(op.path));
        return;
      case "told":
        return;
    }
  }

  private file(path: string): File {
    const file = this.seen.get(path);
    if (file === undefined) throw new Error(`${path} was never opened`);
    return file;
  }

  private enter(op: Entry, number: number, file: File | undefined): void {
    const folder = folderOf(op.path);
    this.pending.set(folder, [...(this.pending.get(folder) ?? []), { op, file, number }]);
    apply(this.seen, op, file);
  }

  private sync(path: string, since: number): void {
    const entries = this.pending.get(path) ?? [];
    for (const { op, file } of entries.filter((it) => it.number < since)) apply(this.safe, op, file);
    this.pending.set(
      path,
      entries.filter((it) => it.number >= since),
    );
    const file = this.seen.get(path);
    if (file === undefined) return;
    const certain = file.open.filter((it) => it.number < since).map(({ op }) => op);
    file.safe = changed(file.safe, certain);
    file.open = file.open.filter((it) => it.number >= since);
  }

  /** What is found after the power has gone now. `random` gives numbers from 0 up to 1. */
  lose(random: () => number): Disk {
    const found = new Map(this.safe);
    for (const entries of this.pending.values()) {
      const kept = entries.slice(0, Math.floor(random() * (entries.length + 1)));
      for (const { op, file } of kept) apply(found, op, file);
    }
    return new Map([...found].map(([path, file]) => [path, afterLoss(file, random)]));
  }

  /** What is found when only the process has died. */
  keep(): Disk {
    const whole = ({ safe, open }: File): Buffer =>
      changed(
        safe,
        open.map(({ op }) => op),
      );
    return new Map([...this.seen].map(([path, file]) => [path, whole(file)]));
  }
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));

function apply(entries: Map<string, File>, op: Entry, file: File | undefined): void {
  if (op.type !== "create") entries.delete(op.path);
  const path = op.type === "rename" ? op.to : op.path;
  if (op.type !== "unlink" && file !== undefined) entries.set(path, file);
}

/** Bytes: what a disk writes whole, and what a system writes at once. */
const SECTOR = 512;
const PAGE = 4_096;

function afterLoss({ safe, open }: File, random: () => number): Buffer {
  // Often everything up to a point and nothing behind it, which is what a system does that writes in order.
  const inOrder = random() < 0.3;
  const upTo = Math.floor(random() * (open.length + 1));
  const survivors = open.flatMap(({ op }, at) => (inOrder ? (at < upTo ? [op] : []) : survivor(op, random)));
  return changed(safe, survivors);
}

function survivor(op: Change, random: () => number): Change[] {
  const fate = random();
  if (fate < 0.4) return [op];
  if (op.type === "truncate" || fate < 0.7) return [];
  if (fate < 0.85) return [{ ...op, bytes: Buffer.alloc(op.bytes.length) }];
  return torn(op, random);
}

/** Some of its sectors or pages. */
function torn(op: Extract<Change, { type: "write" }>, random: () => number): Change[] {
  const unit = random() < 0.5 ? SECTOR : PAGE;
  const parts: Change[] = [];
  for (let from = 0; from < op.bytes.length;) {
    const next = Math.min(op.bytes.length, from + unit - ((op.at + from) % unit));
    if (random() < 0.5) parts.push({ ...op, at: op.at + from, bytes: op.bytes.subarray(from, next) });
    from = next;
  }
  return parts;
}

function changed(bytes: Buffer, ops: readonly Change[]): Buffer {
  if (ops.length === 0) return bytes;
  const ends = ops.map((op) => (op.type === "truncate" ? op.size : op.at + op.bytes.length));
  const result = Buffer.alloc(Math.max(bytes.length, ...ends));
  bytes.copy(result);
  let size = bytes.length;
  for (const [at, op] of ops.entries()) {
    const end = ends[at] ?? 0;
    if (op.type === "write") op.bytes.copy(result, op.at);
    else if (end < size) result.fill(0, end, size);
    size = op.type === "write" ? Math.max(size, end) : end;
  }
  return result.subarray(0, size);
}
