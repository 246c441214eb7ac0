import type { DiskOp } from "../durability/power-loss.ts";

/** The calls that `disk-trace` understands. */
export const DISK_CALLS: readonly string[] =
  "openat pwrite64 write writev fsync fdatasync ftruncate rename unlink".split(" ");

/** So that texts are written whole, each byte as two digits. */
export const IN_HEX: readonly string[] = ["-xx", "-s", "1000000"];

/** What a recorded life did to the files of a folder, in order, and what others learnt from it meanwhile. */
export function diskOps(trace: string, folder: string): DiskOp[] {
  const ops: DiskOp[] = [];
  for (const { text, since } of wholeCalls(trace, () => ops.length)) {
    const op = opOf(text, since);
    if (op !== undefined && (op.type === "told" || op.path.startsWith(folder))) ops.push(op);
  }
  return ops;
}

/** Calls as they end; `since`: what `now` said when they began. Another thread may have had its turn in between. */
function* wholeCalls(trace: string, now: () => number): Generator<{ readonly text: string; readonly since: number }> {
  const begun = new Map<string, { readonly text: string; readonly since: number }>();
  for (const line of trace.split("\n")) {
    const [, thread = "", rest = ""] = /^(\d+) +(.*)$/u.exec(line) ?? [];
    const [, end] = /^<\.\.\. \w+ resumed>(.*)$/u.exec(rest) ?? [];
    const before = begun.get(thread);
    if (rest.endsWith(" <unfinished ...>")) begun.set(thread, { text: rest.slice(0, -17), since: now() });
    else if (end !== undefined && before !== undefined) yield { ...before, text: before.text + end };
    else yield { text: rest, since: now() };
  }
}

interface Call {
  /** Between its parentheses. */
  readonly inside: string;
  /** Of its descriptor. */
  readonly path: string;
  readonly texts: readonly Buffer[];
  readonly since: number;
}

function opOf(text: string, since: number): DiskOp | undefined {
  const [, name = "", inside = "", result = ""] = /^(\w+)\((.*)\) += (-?\d+)/u.exec(text) ?? [];
  if (result.startsWith("-")) return undefined;
  const path = plain(/^\d+<([^>]*)>/u.exec(inside)?.[1] ?? "");
  const texts = [...inside.matchAll(/"((?:\\x[0-9a-f]{2})*)"/gu)].map(([, hex = ""]) => bytesOf(hex));
  return READ[name]?.({ inside, path, texts, since });
}

const nth =
  (at: number) =>
  ({ texts }: Call): Buffer =>
    texts[at] ?? Buffer.alloc(0);
const [first, second] = [nth(0), nth(1)];
const lastNumber = ({ inside }: Call): number => Number(inside.slice(inside.lastIndexOf(",") + 1));
const sync = ({ path, since }: Call): DiskOp => ({ type: "sync", path, since });
const told = (call: Call): DiskOp | undefined =>
  /^(?:pipe|socket|UNIX|TCP)/u.test(call.path) ? { type: "told", text: first(call).toString() } : undefined;

const READ: Readonly<Record<string, (call: Call) => DiskOp | undefined>> = {
  openat: (call) => (call.inside.includes("O_CREAT") ? { type: "create", path: first(call).toString() } : undefined),
  pwrite64: (call) => ({ type: "write", path: call.path, at: lastNumber(call), bytes: first(call) }),
  write: told,
  writev: told,
  fsync: sync,
  fdatasync: sync,
  ftruncate: (call) => ({ type: "truncate", path: call.path, size: lastNumber(call) }),
  rename: (call) => ({ type: "rename", path: first(call).toString(), to: second(call).toString() }),
  unlink: (call) => ({ type: "unlink", path: first(call).toString() }),
};

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll("\\x", ""), "hex");
/** Paths are in the same digits. */
const plain = (text: string): string => (text.startsWith("\\x") ? bytesOf(text).toString() : text);
