import { canonicalPath, PathError, permittedPath, printable, shownPath, type Place } from "../paths.ts";

/** A file that is to be written, whether there is one or not. */
export interface Target {
  readonly real: string;
  readonly shown: string;
  readonly place: Place;
}

/** Throws PathError for what is not written, by its name, its place or the links on the way. */
export function targetOf(given: string, place: Place, approved: string | undefined): Target {
  if (given.endsWith("/")) throw new PathError(`${printable(given)} names a folder: give the name of a file.`);
  const real = permittedPath(given, place, { mode: "writes", approved });
  return { real, shown: shownPath(real, place), place };
}

/** Where paths lead, as a model wrote them; those that name nothing are left out. */
export const resolvedPaths = (given: readonly unknown[], place: Place): string[] =>
  given.flatMap((path) => {
    try {
      return typeof path === "string" ? [canonicalPath(path, place)] : [];
    } catch (error) {
      if (error instanceof PathError) return [];
      throw error;
    }
  });
