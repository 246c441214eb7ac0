import { hash } from "node:crypto";
import { isObject } from "../protocol/json.ts";
import type { Arguments } from "./arguments.ts";

/** Larger results are compared as they stand: ordering their keys would cost more than it finds. */
const MAX_CANONICAL_CHARS = 65_536;

/** The same call gives the same text, however the model ordered its arguments; what was written is not kept (row E7). */
export function signatureOf(raw: string, input: Arguments, cosmetic: readonly string[] = []): string {
  const kept = Object.entries(input).filter(([name]) => !cosmetic.includes(name));
  try {
    return fingerprint(canonical(Object.fromEntries(kept)));
  } catch {
    // Nested so deeply that it can be read, but not be written again.
    return rawSignature(raw);
  }
}

/** The same for arguments that could not be read. */
export const rawSignature = (raw: string): string => fingerprint(raw.trim());

/** The same result gives the same text, however its JSON is spaced and ordered. */
export function digestOf(result: string): string {
  if (result.length > MAX_CANONICAL_CHARS || !/^\s*[[{]/u.test(result)) return fingerprint(result);
  try {
    return fingerprint(canonical(JSON.parse(result)));
  } catch {
    return fingerprint(result);
  }
}

const fingerprint = (text: string): string => hash("sha256", text, "base64url");

/** Compact JSON with sorted keys; characters stay as they are. */
const canonical = (value: unknown): string => JSON.stringify(value, sortKeys);

const sortKeys = (_key: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value;
