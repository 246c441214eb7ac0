import { hash } from "node:crypto";
import { inKeyOrder } from "../protocol/json.ts";
import type { Arguments } from "./arguments.ts";

/** Larger results are compared as they stand: ordering their keys would cost more than it finds. */
const MAX_CANONICAL_CHARS = 65_536;

/** The same call gives the same text, however the model ordered its arguments; what was written is not kept (row E7). */
export function signatureOf(raw: string, input: Arguments, cosmetic: readonly string[] = []): string {
  try {
    return fingerprint(canonical(cosmetic.length === 0 ? input : without(input, cosmetic)));
  } catch {
    // Nested so deeply that it can be read, but not be written again.
    return rawSignature(raw);
  }
}

/** The same for arguments that could not be read. */
export const rawSignature = (raw: string): string => fingerprint(raw.trim());

/** A place outside, which may be named by what a variable holds: only whether it is the same one is kept. */
export const placeSignature = (path: string): string => fingerprint(path);

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

const without = (input: Arguments, names: readonly string[]): Arguments =>
  Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)));

/** Compact JSON with sorted keys; characters stay as they are. */
const canonical = (value: unknown): string => JSON.stringify(inKeyOrder(value));
