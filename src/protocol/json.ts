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
