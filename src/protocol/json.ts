/** A JSON object of which nothing is known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Deeper than anything a tool takes; parsers of servers give up at 128 levels, and ours at some thousands. */
const DEEPEST = 100;

/** It can be written, walked and sent again without running out of stack. */
export const isShallow = (value: unknown, levels: number = DEEPEST): boolean =>
  typeof value !== "object" ||
  value === null ||
  (levels > 0 && Object.values(value).every((item) => isShallow(item, levels - 1)));

/** The same JSON value, so that what is equal but for the order of its keys is the same text. Copies only what is out of order. */
export function inKeyOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inKeyOrder);
  const entries = Object.entries(value);
  const inOrder = entries.every(([key], i) => i === 0 || (entries[i - 1]?.[0] ?? "") <= key);
  if (inOrder && entries.every(([, item]) => typeof item !== "object")) return value;
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, item]) => [key, inKeyOrder(item)]));
}
