import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { type Entry, entriesTrouble } from "../../../src/context/skills/install/entries.ts";
import { entriesIn } from "../../../src/context/skills/install/read-archive.ts";
import { ArchiveError } from "../../../src/context/skills/install/tar.ts";
import { type Made, tarOf } from "../../support/tar.ts";
import { isObject, type Json, type JsonObject } from "../case-file.ts";
import { listOf, objectOf } from "../input.ts";

/** What an archive has one of: whether a skill is taken out of it. Nothing is ever written for it. */
const KINDS: ReadonlyMap<string, (value: number) => string> = new Map([
  ["count", (count) => listed(files(count, 0))],
  ["ratio", (ratio) => judged(grownBy(ratio))],
  ["depth", (depth) => judged(tarOf([["d/".repeat(depth - 1) + "x", SMALL]]))],
  ...["total", "total_bytes", "unpacked_bytes", "bytes", "size"].map(
    (name) => [name, (bytes: number) => listed(files(Math.ceil(bytes / MEBIBYTE), MEBIBYTE))] as const,
  ),
]);

/** `{entries}`, `{count}`, `{ratio}`, …; the one folder that holds everything is left off without being asked (`strip`). */
export function archiveCase(input: Json): unknown {
  const [[name, value] = []] = Object.entries(objectOf(input, "input"));
  if (name === "entries") return judged(tarOf(listOf(value, "entries").map(entryOf)));
  return KINDS.get(name ?? "")?.(Number(value));
}

const TAKEN = "extract";
const REFUSED = "refuse all";

/** Each way to say that nothing of it is written. */
export const archiveExpectation = (expect: Json): Json =>
  typeof expect === "string" && /^(?:refuse|stop)/u.test(expect) ? REFUSED : expect;

export const archiveUnsupported = (input: Json): string | undefined => {
  const [[name, value] = [], ...others] = Object.entries(objectOf(input, "input")).filter(([key]) => key !== "strip");
  const isKnown = name === "entries" ? Array.isArray(value) : KINDS.has(name ?? "") && typeof value === "number";
  return isKnown && others.length === 0 ? undefined : "needs another kind of archive, a later part";
};

function judged(archive: Buffer): string {
  try {
    return Array.isArray(entriesIn(archive)) ? TAKEN : REFUSED;
  } catch (error) {
    if (error instanceof ArchiveError) return REFUSED;
    throw error;
  }
}

const listed = (entries: Iterable<Entry>): string => (entriesTrouble(entries) === undefined ? TAKEN : REFUSED);

const MEBIBYTE = 1024 * 1024;
const SMALL = Buffer.from("x");
const NONE = Buffer.alloc(0);

function* files(count: number, bytes: number): Generator<Entry> {
  for (let at = 0; at < count; at++) yield { path: `f${at}`, kind: "file", bytes };
}

/** An archive that unpacks to nearly so many times its size and no more; gzip reaches about a thousand. */
function grownBy(ratio: number): Buffer {
  const noise = Buffer.concat(Array.from({ length: 128 }, (_, at) => createHash("sha256").update(`${at}`).digest()));
  const holding = (zeros: number): { archive: Buffer; ratio: number } => {
    const tar = tarOf([["x", Buffer.concat([noise, Buffer.alloc(zeros)])]]);
    const archive = gzipSync(tar);
    return { archive, ratio: tar.length / archive.length };
  };
  let [least, most] = [0, 4 * MEBIBYTE];
  if (holding(most).ratio <= ratio) return holding(most).archive;
  while (most - least > 512) {
    const middle = (least + most) >> 1;
    if (holding(middle).ratio <= ratio) least = middle;
    else most = middle;
  }
  return holding(least).archive;
}

/** What a tar archive calls them. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ["file", "0"],
  ["setuid", "0"],
  ["setgid", "0"],
  ["hardlink", "1"],
  ["hard_link", "1"],
  ["link", "2"],
  ["symlink", "2"],
  ["device", "3"],
  ["char", "3"],
  ["char_device", "3"],
  ["block", "4"],
  ["block_device", "4"],
  ["dir", "5"],
  ["directory", "5"],
  ["fifo", "6"],
  ["pipe", "6"],
  ["socket", "6"],
  ["sparse", "S"],
]);

/** A name, or a name behind the word for what it is. */
function entryOf(entry: Json): Made {
  if (typeof entry === "string") {
    const [, from, to = ""] = /^(.+) -> (.+)$/u.exec(entry) ?? [];
    return from === undefined ? [entry, SMALL] : [from, NONE, "2", to];
  }
  const fields = objectOf(entry, "entry");
  const kind = kindOf(fields);
  const type = TYPES.get(kind) ?? "0";
  const [path, target = ""] = namesIn(kind, fields);
  if (path === undefined) throw new Error("an entry without a name");
  const size = [fields["size"], fields["bytes"]].find((value) => typeof value === "number");
  // What is larger than any file may be is refused by the same line, however much larger it is.
  const content = type === "0" ? Buffer.alloc(Math.min(Number(size ?? 1), 2 * MEBIBYTE)) : NONE;
  return [path, content, type, target, modeOf(fields)];
}

function kindOf(fields: JsonObject): string {
  const { type } = fields;
  if (typeof type === "string" && TYPES.has(type)) return type;
  return Object.keys(fields).find((key) => TYPES.has(key)) ?? (fields["linkname"] === undefined ? "file" : "symlink");
}

/** Its name, and where it leads. */
function namesIn(kind: string, fields: JsonObject): string[] {
  const inner = fields[kind] ?? null;
  const { name, path, ...rest }: JsonObject = { ...fields, ...(isObject(inner) ? inner : {}) };
  const targets = ["to", "target", "linkname", "link_to"].map((key) => rest[key]);
  const values = [name, path, ...(Array.isArray(inner) ? (inner as readonly Json[]) : [inner]), ...targets];
  return values.filter((value) => typeof value === "string");
}

const PLAIN_MODE = 0o644;

function modeOf({ mode, setuid, setgid }: JsonObject): number {
  if (setuid !== undefined && setuid !== false) return 0o4755;
  if (setgid !== undefined && setgid !== false) return 0o2755;
  if (typeof mode === "string" && /^(?:0o)?[0-7]+$/u.test(mode)) return Number.parseInt(mode.replace("0o", ""), 8);
  return typeof mode === "number" ? mode : PLAIN_MODE;
}
