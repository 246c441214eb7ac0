import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { plural } from "../../../protocol/plural.ts";
import { heldFolder } from "../../path-guard/held-folder.ts";
import { PathError, printable, whyPrivate, type Place } from "../../paths.ts";
import { explain } from "../open-file.ts";

/** Names that are shown (nanobot.md §9.5). */
const MOST_NAMES = 200;

/** What is in a folder, its folders first; undefined: it is none. */
export function listFolder(real: string, shown: string, place: Place): string | undefined {
  if (!isFolderAt(real)) return undefined;
  const entries = readOrExplain(real, shown, place);
  const names = [...entries.filter(isFolder), ...entries.filter((entry) => !isFolder(entry))].map(
    (entry) => `${printable(entry.name)}${isFolder(entry) ? "/" : ""}`,
  );
  const more = names.length > MOST_NAMES ? [`… and ${names.length - MOST_NAMES} more`] : [];
  const head = `${shown} is a folder of ${plural(names.length, "entry", "entries")}; to look further down, use search_files.`;
  return [head, ...names.slice(0, MOST_NAMES), ...more].join("\n");
}

function isFolderAt(real: string): boolean {
  try {
    return lstatSync(real).isDirectory();
  } catch {
    // Whatever is wrong with it, opening it says so.
    return false;
  }
}

function readOrExplain(real: string, shown: string, place: Place): Dirent[] {
  try {
    return entriesOf(real, place);
  } catch (error) {
    throw new PathError(explain(error, shown), { cause: error });
  }
}

const isFolder = (entry: Dirent): boolean => entry.isDirectory();

/** In order of their names, without those that are private (security.md §3.4). */
export function entriesOf(folder: string, place: Place): Dirent[] {
  using held = heldFolder(folder);
  return readdirSync(held.pathOf("."), { withFileTypes: true })
    .filter(({ name }) => whyPrivate(join(folder, name), place) === undefined)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
