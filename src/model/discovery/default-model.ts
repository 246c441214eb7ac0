/**
 * The model of a list that is taken where nobody names one: the newest of the first preferred family that is there.
 * Undefined where no family is.
 */
export function defaultModel(prefer: readonly RegExp[], listed: readonly string[]): string | undefined {
  for (const family of prefer) {
    const [newest] = listed.filter((id) => family.test(id)).toSorted(newestFirst);
    if (newest !== undefined) return newest;
  }
  return undefined;
}

/** A date at the end only marks an edition of the same model; the name without one is its newest edition. */
function newestFirst(a: string, b: string): number {
  const [bareA, bareB] = [withoutDate(a), withoutDate(b)];
  return bareA === bareB ? a.length - b.length : byNumbers(bareB, bareA);
}

const withoutDate = (id: string): string => id.replace(/-(?:\d{8}|\d{4}-\d\d-\d\d)$/u, "");

const byNumbers = (a: string, b: string): number => a.localeCompare(b, "en", { numeric: true });
