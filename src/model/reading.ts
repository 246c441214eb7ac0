import { isObject, type JsonObject } from "../protocol/json.ts";

/** The object, or one without keys. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The string, or an empty one. */
export const string = (value: unknown): string => (typeof value === "string" ? value : "");

/** The objects of a list; none where it is no list. */
export const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** What no count can be is none: servers send strings, fractions and numbers below zero. */
export const count = (value: unknown): number => (Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0);

/** The value of a JSON text, or the text itself. */
export function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
