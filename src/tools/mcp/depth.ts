/** Whether a value that was read from JSON is nested deeper than this; it is looked at level by level, however deep it is. */
export function isDeeper(value: unknown, most: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
  return false;
}
