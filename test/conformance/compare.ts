import { isObject, type Json } from "./case-file.ts";

/** How one symbol is recognised in our own output: by the role of the text, not by its wording. */
export type SymbolMatcher = (actual: unknown) => boolean;

export interface Symbols {
  /** Ours, by the symbol as it is written in a file. */
  readonly known: ReadonlyMap<string, SymbolMatcher>;
  /** Those the file declares, with or without a parameter part (`$STOPPED:n`), and how it words each. */
  readonly declared: ReadonlyMap<string, Json>;
  /** What the case feeds in: a text in the file's own words that stands there may come out as it went in. */
  readonly input: Json;
}

/**
 * The first place where `actual` is not what `expect` asks, or undefined. Objects of `expect` name the keys that count
 * (timestamps and other extras are ignored); arrays are exact in length and order.
 */
export function difference(expect: Json, actual: unknown, symbols: Symbols, path = "expect"): string | undefined {
  if (typeof expect === "string") return textDifference(expect, actual, symbols, path);
  if (Array.isArray(expect)) return listDifference(expect, actual, symbols, path);
  if (!isObject(expect)) return expect === actual ? undefined : mismatch(path);
  const rule = ruleDifference(expect, actual, symbols, path);
  if (rule !== NO_RULE) return rule;
  if (!isRecord(actual)) return mismatch(path);
  for (const [key, inner] of Object.entries(expect)) {
    const found = Object.hasOwn(actual, key)
      ? difference(inner, actual[key], symbols, `${path}.${key}`)
      : `${path}.${key} is missing`;
    if (found !== undefined) return found;
  }
  return undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const mismatch = (path: string): string => `${path} differs`;

function listDifference(expect: readonly Json[], actual: unknown, symbols: Symbols, path: string): string | undefined {
  if (!Array.isArray(actual)) return mismatch(path);
  if (actual.length !== expect.length) return `${path} has ${actual.length} entries, not ${expect.length}`;
  for (const [at, inner] of expect.entries()) {
    const found = difference(inner, (actual as readonly unknown[])[at], symbols, `${path}[${at}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function textDifference(expect: string, actual: unknown, symbols: Symbols, path: string): string | undefined {
  const matcher = symbols.known.get(expect);
  if (matcher !== undefined)
    return matcher(actual) || isKept(expect, actual, symbols) ? undefined : `${path} is not our text for ${expect}`;
  if (isDeclared(expect, symbols.declared)) return `${path}: no text of ours stands for ${expect}`;
  return expect === actual ? undefined : mismatch(path);
}

const isKept = (symbol: string, actual: unknown, { declared, input }: Symbols): boolean =>
  actual === declared.get(symbol) && JSON.stringify(input).includes(JSON.stringify(actual));

/** A parameter is part of the word in a case: `$STOPPED:2` is declared as `$STOPPED:n`. */
function isDeclared(text: string, declared: Symbols["declared"]): boolean {
  if (!text.startsWith("$")) return false;
  if (declared.has(text)) return true;
  const head = text.split(":", 1)[0];
  return text.includes(":") && [...declared.keys()].some((symbol) => symbol.startsWith(`${head}:`));
}

const NO_RULE = Symbol("no rule");

/** Objects that are rules for a text: `{"$CONTAINS": x}`, `{"$TRUNCATED_TO": n, "prefix_char": c}`. */
function ruleDifference(
  expect: Readonly<Record<string, Json>>,
  actual: unknown,
  symbols: Symbols,
  path: string,
): string | undefined | typeof NO_RULE {
  const keys = Object.keys(expect).filter((key) => key.startsWith("$"));
  if (keys.length === 0 || isRecord(actual)) return NO_RULE;
  if (typeof actual !== "string") return mismatch(path);
  for (const key of keys) {
    const holds = ruleHolds(key, expect, actual, symbols);
    if (holds === undefined) return `${path}: unknown rule ${key}`;
    if (!holds) return `${path} breaks ${key}`;
  }
  return undefined;
}

function ruleHolds(
  key: string,
  expect: Readonly<Record<string, Json>>,
  actual: string,
  symbols: Symbols,
): boolean | undefined {
  const value = expect[key];
  switch (key) {
    case "$CONTAINS":
      return (Array.isArray(value) ? (value as readonly Json[]) : [value]).every(
        (part) => typeof part === "string" && actual.includes(part),
      );
    case "$WITHOUT":
      return (Array.isArray(value) ? (value as readonly Json[]) : [value]).every(
        (part) => typeof part === "string" && !actual.includes(part),
      );
    case "$NONEMPTY":
      return (actual.trim() !== "") === value;
    case "$TRUNCATED_TO":
      return typeof value === "number" && isTruncated(actual, value, expect["prefix_char"]);
    case "$RETRY_HINT":
      return (symbols.known.get(key)?.(actual) ?? false) === value;
    default: {
      const matcher = symbols.known.get(key);
      return matcher && matcher(actual) === value;
    }
  }
}

/** The first `length` characters, then a suffix of the candidate's own that says something was cut. */
function isTruncated(actual: string, length: number, char: Json | undefined): boolean {
  const suffix = actual.slice(length);
  const kept = typeof char === "string" ? actual.startsWith(char.repeat(length)) : actual.length > length;
  return kept && suffix !== "" && suffix.length <= 200 && !(typeof char === "string" && suffix.startsWith(char));
}
