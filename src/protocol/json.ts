/** A JSON object of which nothing is known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The JSON object that a text is; undefined where it is none. Of what a parser says, which quotes the text, nothing is told. */
export function objectInText(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

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
export function isShallow(value: unknown, levels: number = DEEPEST): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels <= 0) return false;
  for (const item of Object.values(value)) if (!isShallow(item, levels - 1)) return false;
  return true;
}

function isFlatInOrder(value: JsonObject): boolean {
  let last = "";
  for (const key of Object.keys(value)) {
    if (key < last || typeof value[key] === "object") return false;
    last = key;
  }
  return true;
}

/** The same JSON value, so that what is equal but for the order of its keys is the same text. Copies only what is out of order. */
export function inKeyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (!isObject(value) || isFlatInOrder(value)) return value;
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, item]) => [key, inKeyOrder(item)]));
}
