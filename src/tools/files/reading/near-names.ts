import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { likeness } from "../../likeness.ts";
import { shownPath, whyAskToRead, type Place } from "../../paths.ts";
import { entriesOf } from "./list-folder.ts";

const MOST_NAMES = 3;
/** difflib's own default. */
const LEAST = 0.6;

/** What may have been meant by a path that leads nowhere: names like it, where it goes wrong first. */
export function nearNames(real: string, place: Place): string | undefined {
  let missing = real;
  while (!existsSync(dirname(missing)) && dirname(missing) !== missing) missing = dirname(missing);
  const folder = dirname(missing);
  // Names of a folder that needs a yes are told to nobody.
  if (whyAskToRead(folder, place) !== undefined) return undefined;
  const wanted = basename(missing).toLowerCase();
  const near = namesIn(folder, place)
    .map((name) => ({ name, like: likeness(name.toLowerCase(), wanted) }))
    .filter(({ like }) => like >= LEAST)
    .toSorted((a, b) => b.like - a.like)
    .slice(0, MOST_NAMES);
  if (near.length === 0) return undefined;
  return `Did you mean ${near.map(({ name }) => shownPath(join(folder, name), place)).join(" or ")}?`;
}

function namesIn(folder: string, place: Place): string[] {
  try {
    return entriesOf(folder, place).map(({ name }) => name);
  } catch {
    return [];
  }
}
