import type { DiaryEntry } from "../../protocol/dream.ts";
import { type JsonObject, objectInText } from "../../protocol/json.ts";

/** The objects that lines hold; what else stands there, such as the first half of a line, is none of ours. */
export const objectsIn = (text: string): JsonObject[] =>
  text.split("\n").flatMap((line) => {
    const object = line.trim() === "" ? undefined : objectInText(line);
    return object === undefined ? [] : [object];
  });

const isCursor = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

const isTextOrNone = (value: unknown): value is string | undefined => value === undefined || typeof value === "string";

/** The entry that an object is; undefined: another program, or a hand, has written something else. */
function entryOf(object: JsonObject): DiaryEntry | undefined {
  const { cursor, timestamp, content, session, tainted } = object;
  if (!isCursor(cursor) || typeof timestamp !== "string" || typeof content !== "string") return undefined;
  if (!isTextOrNone(session) || !isTextOrNone(tainted)) return undefined;
  return {
    cursor,
    timestamp,
    content,
    ...(session !== undefined && { session }),
    ...(tainted !== undefined && { tainted }),
  };
}

export const entriesIn = (objects: readonly JsonObject[]): DiaryEntry[] =>
  objects.map(entryOf).filter((entry) => entry !== undefined);

/**
 * The cursor of the next entry (nanobot.md §5.1): behind the counter and the last entry; where that one has none, behind
 * all that there are. `counter`: the text of the counter file; undefined: there is none.
 */
export function nextCursor(text: string, counter: string | undefined): number {
  const counted = counter !== undefined && /^\d{1,15}$/u.test(counter.trim()) ? Number(counter) : 0;
  const last = text.trimEnd().split("\n").at(-1) ?? "";
  const { cursor } = objectInText(last) ?? {};
  if (isCursor(cursor)) return Math.max(counted, cursor) + 1;
  const cursors = entriesIn(objectsIn(text)).map((entry) => entry.cursor);
  return cursors.reduce((most, each) => Math.max(most, each), counted) + 1;
}

/** What is kept: the newest so many, and all that no dream has seen (nanobot.md §5.1). */
export function keptOf(objects: readonly JsonObject[], most: number, seen: number): readonly JsonObject[] {
  if (most <= 0 || objects.length <= most) return objects;
  const unseen = objects.findIndex(({ cursor }) => isCursor(cursor) && cursor > seen);
  return objects.slice(Math.min(objects.length - most, unseen < 0 ? objects.length : unseen));
}
