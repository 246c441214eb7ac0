import { gzipSync } from "node:zlib";
import { entriesTrouble } from "../../../src/context/skills/install/entries.ts";
import { entriesIn } from "../../../src/context/skills/install/read-archive.ts";
import { ArchiveError } from "../../../src/context/skills/install/tar.ts";
import { type Made, tarOf } from "../../support/tar.ts";
import type { Json } from "../case-file.ts";
import { listOf, objectOf } from "../input.ts";

/** `{entries}`, `{count}` or `{ratio}`: whether a skill is taken out of such an archive. Nothing is ever written for it. */
export function archiveCase(input: Json): unknown {
  const { entries, count, ratio } = objectOf(input, "input");
  if (typeof count === "number") return entriesTrouble(emptyFiles(count)) === undefined ? TAKEN : REFUSED;
  if (typeof ratio === "number") return judged(gzipSync(tarOf([["x", Buffer.alloc(ratio * 4_096)]])));
  return judged(gzipSync(tarOf(listOf(entries, "entries").map(entryOf))));
}

const TAKEN = "extract";
const REFUSED = "refuse all";

/** Each way to say that nothing of it is written. */
export const archiveExpectation = (expect: Json): Json =>
  typeof expect === "string" && /^(?:refuse|stop)\b/u.test(expect) ? REFUSED : expect;

export const archiveUnsupported = (input: Json): string | undefined => {
  const { entries, count, ratio } = objectOf(input, "input");
  return Array.isArray(entries) || [count, ratio].some((it) => typeof it === "number")
    ? undefined
    : "needs another kind of archive, a later part";
};

function judged(archive: Buffer): string {
  try {
    return Array.isArray(entriesIn(archive)) ? TAKEN : REFUSED;
  } catch (error) {
    if (error instanceof ArchiveError) return REFUSED;
    throw error;
  }
}

function* emptyFiles(count: number): Generator<{ path: string; kind: "file"; bytes: number }> {
  for (let at = 0; at < count; at++) yield { path: `f${at}`, kind: "file", bytes: 0 };
}

/** What a tar archive calls them. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ["device", "3"],
  ["block", "4"],
  ["fifo", "6"],
  ["pipe", "6"],
  ["socket", "6"],
  ["link", "2"],
  ["symlink", "2"],
  ["hardlink", "1"],
  ["hard_link", "1"],
  ["dir", "5"],
  ["directory", "5"],
]);

const TARGETS = ["to", "target", "linkname", "link_to"];

/** A name, or a name behind the word for what it is. */
function entryOf(entry: Json): Made {
  if (typeof entry === "string") {
    const [, from, to = ""] = /^(.+) -> (.+)$/u.exec(entry) ?? [];
    return from === undefined ? [entry, Buffer.from("x")] : [from, NONE, "2", to];
  }
  const fields = objectOf(entry, "entry");
  const kind = Object.keys(fields).find((key) => TYPES.has(key)) ?? "name";
  const type = TYPES.get(kind) ?? "0";
  const [path, target = ""] = textsIn(
    fields[kind],
    fields["name"],
    fields["path"],
    ...TARGETS.map((key) => fields[key]),
  );
  if (path === undefined) throw new Error("an entry without a name");
  const size = fields["size"];
  return [path, type === "0" ? Buffer.alloc(typeof size === "number" ? size : 1) : NONE, type, target];
}

const NONE = Buffer.alloc(0);

const textsIn = (...values: readonly (Json | undefined)[]): string[] =>
  (values.flat() as readonly Json[]).filter((value) => typeof value === "string");
