import { plural } from "../../protocol/plural.ts";
import { basename, join } from "node:path";
import { printable, shownPath } from "../paths.ts";
import { routeOf, type SearchRequest } from "./search-request.ts";
import { leftOut, newWalk, sizeOf, walk, type Entry, type FileSize, type Walked } from "./walk.ts";

export type Order = "name" | "size" | "modified";

type Listed = FileSize & { readonly path: string; readonly link: boolean };

interface Sorting {
  readonly says: string;
  readonly reversed: string;
  readonly compare: (a: Listed, b: Listed) => number;
}

const ORDERS: Readonly<Record<Order, Sorting>> = {
  name: { says: "by name", reversed: "by name from the end", compare: (a, b) => byName(a, b) },
  size: { says: "largest first", reversed: "smallest first", compare: (a, b) => b.size - a.size },
  modified: { says: "newest first", reversed: "oldest first", compare: (a, b) => b.modifiedMs - a.modifiedMs },
};

const byName = (a: Listed, b: Listed): number => (a.path < b.path ? -1 : Number(a.path > b.path));

export interface ListOptions {
  readonly order: Order;
  /** The other end first; files that are equal stay sorted by name. */
  readonly reverse: boolean;
}

export async function listFiles(search: SearchRequest, { order, reverse }: ListOptions): Promise<string> {
  const walked = newWalk();
  const tally = await collect(search, walked);
  const listed = measure(search, tally.matching);
  const { says, reversed, compare } = ORDERS[order];
  listed.sort((a, b) => (reverse ? compare(b, a) : compare(a, b)) || byName(a, b));
  const bytes = listed.reduce((sum, file) => sum + file.size, 0);
  const files =
    search.pattern === ""
      ? plural(tally.files, "file")
      : `${listed.length} of ${plural(tally.files, "file")} ${listed.length === 1 ? "matches" : "match"} ${printable(search.pattern)}`;
  const lines = [
    `${files}, ${plural(tally.folders, "folder")}, ${plural(bytes, "byte")} in ${search.shownRoot} (${reverse ? reversed : says})`,
  ];
  for (const file of listed.slice(0, search.limit)) lines.push(line(file, search, order));
  const more = listed.length - search.limit;
  if (more > 0) lines.push(`(${more} more: raise limit or narrow the pattern)`);
  if (walked.cut)
    lines.push(`(stopped after ${search.bounds.maxEntries} entries: there are more, and the counts are of those seen)`);
  lines.push(...leftOut(walked));
  return lines.join("\n");
}

interface Tally {
  readonly matching: readonly Pick<Entry, "path" | "type">[];
  readonly files: number;
  readonly folders: number;
}

async function collect(search: SearchRequest, walked: Walked): Promise<Tally> {
  if (search.rootIsFile) {
    const type = "file" as const;
    return { matching: search.matchesName(basename(search.root)) ? [{ path: "", type }] : [], files: 1, folders: 0 };
  }
  const matching: Entry[] = [];
  let files = 0;
  let folders = 0;
  for await (const entry of walk(routeOf(search), walked)) {
    if (entry.type === "folder") {
      folders += 1;
      continue;
    }
    files += 1;
    if (search.matchesName(entry.path)) matching.push(entry);
  }
  return { matching, files, folders };
}

function measure(search: SearchRequest, entries: Tally["matching"]): Listed[] {
  return entries.flatMap((entry) => {
    const path = join(search.root, entry.path);
    const size = sizeOf(path);
    return size === undefined ? [] : [{ ...size, path, link: entry.type === "link" }];
  });
}

function line(file: Listed, search: SearchRequest, order: Order): string {
  const about = [file.link ? "link" : plural(file.size, "byte")];
  if (order === "modified") about.push(new Date(file.modifiedMs).toISOString());
  return `${shownPath(file.path, search.place)} (${about.join(", ")})`;
}
