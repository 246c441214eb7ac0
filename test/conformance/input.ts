import { isObject, type Json, type JsonObject } from "./case-file.ts";

/** Reading recorded inputs: each throws with the name of what is missing, so that a malformed input is a failed case. */
export function objectOf(value: Json | undefined, name: string): JsonObject {
  if (value !== undefined && isObject(value)) return value;
  throw new Error(`${name} is not an object`);
}

export function listOf(value: Json | undefined, name: string): readonly Json[] {
  if (Array.isArray(value)) return value as readonly Json[];
  throw new Error(`${name} is not a list`);
}

export function textOf(value: Json | undefined, name: string): string {
  if (typeof value === "string") return value;
  throw new Error(`${name} is not a text`);
}

export function numberOf(value: Json | undefined, name: string): number {
  if (typeof value === "number") return value;
  throw new Error(`${name} is not a number`);
}

/** The text, or an empty one. */
export const textOrNone = (value: Json | undefined): string => (typeof value === "string" ? value : "");

export const flagOf = (value: Json | undefined): boolean => value === true;
