import { isObject, type JsonObject } from "../protocol/json.ts";

/** The object, or one without keys. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The string, or an empty one. */
export const string = (value: unknown): string => (typeof value === "string" ? value : "");

/** The objects of a list; none where it is no list. */
export const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** What is left out is none; what no count can be, such as a string, a fraction or a number below zero, is NaN. */
export const count = (value: unknown): number => {
  if (value === undefined || value === null) return 0;
  return isCount(value) ? value : Number.NaN;
};

/** A number of tokens, or of anything. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** The value of a JSON text, or the text itself. */
export function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
