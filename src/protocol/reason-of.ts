/** What was thrown, in words. Anything can be thrown, also what throws again when it is asked for its words. */
export const reasonOf = (thrown: unknown): string => wordsOf(thrown, "message");

/** The same with the way to where it was thrown, for a log. */
export const stackOf = (thrown: unknown): string => wordsOf(thrown, "stack");

function wordsOf(thrown: unknown, part: "message" | "stack"): string {
  try {
    return String(thrown instanceof Error ? thrown[part] : thrown);
  } catch {
    return "what was thrown has no words";
  }
}
