import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** One recorded expectation. A missing id becomes the place in the file, `#n` counted from 1. */
export interface Case {
  readonly id: string;
  readonly area: string;
  readonly input: Json;
  readonly expect: Json;
  /** Why the entry is no case that can be run. */
  readonly malformed?: string;
}

export interface CaseFile {
  readonly cases: readonly Case[];
  /** The symbols the file declares: strings that stand for a text whose wording is the candidate's own; and its wording. */
  readonly symbols: ReadonlyMap<string, Json>;
}

/** The file cannot be read or is not a file of cases. The message is one sentence. */
export class CaseFileError extends Error {
  override readonly name = "CaseFileError";
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads an array of cases, or `{meta, fixtures, cases}`. Throws CaseFileError. */
export function readCaseFile(path: string): CaseFile {
  const entries = entriesOf(parse(path), path);
  const isMeta = (entry: Json): boolean => isObject(entry) && entry["area"] === "_meta";
  const declared = entries.filter(isMeta).flatMap((entry) => {
    const symbols = isObject(entry) ? entry["expect"] : undefined;
    return isObject(symbols) ? Object.entries(symbols) : [];
  });
  const cases = entries.flatMap((entry, at) => (isMeta(entry) ? [] : [caseOf(entry, at)]));
  return { cases, symbols: new Map(declared.filter(([symbol]) => symbol.startsWith("$"))) };
}

function parse(path: string): Json {
  let text: string;
  try {
    text = readFileSync(locate(path), "utf8");
  } catch (error) {
    const cause = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new CaseFileError(`Cannot read the case file ${path} (${cause}); check the path.`);
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/u, "")) as Json;
  } catch {
    throw new CaseFileError(
      `The case file ${path} is not valid JSON; pass an array of cases or {meta, fixtures, cases}.`,
    );
  }
}

/** npm runs a script in the package's folder; the path was typed where npm was called. */
function locate(path: string): string {
  const typed = resolve(process.env["INIT_CWD"] ?? ".", path);
  return existsSync(typed) ? typed : resolve(path);
}

function entriesOf(file: Json, path: string): readonly Json[] {
  if (Array.isArray(file)) return file;
  const cases = isObject(file) ? file["cases"] : undefined;
  if (Array.isArray(cases)) return cases;
  throw new CaseFileError(`The case file ${path} holds no cases; pass an array of cases or {meta, fixtures, cases}.`);
}

function caseOf(entry: Json, at: number): Case {
  const place = `#${at + 1}`;
  try {
    return wellFormed(entry, place);
  } catch (error) {
    return broken(place, error instanceof Error ? error.message : String(error));
  }
}

function wellFormed(entry: Json, place: string): Case {
  if (!isObject(entry)) return broken(place, "the entry is not an object");
  const id = typeof entry["id"] === "string" && entry["id"] !== "" ? entry["id"] : place;
  const area = entry["area"];
  if (typeof area !== "string" || area === "") return broken(id, "the entry has no area");
  const expect = entry["expect"];
  if (expect === undefined) return { ...broken(id, "the entry has no expect"), area };
  return { id, area, input: expand(entry["input"] ?? null), expect: expand(expect) };
}

const broken = (id: string, malformed: string): Case => ({ id, area: "", input: null, expect: null, malformed });

/** Writes out long strings that are given as `{"concat": [prefix, {"repeat": [unit, count]}, …]}`. */
export function expand(value: Json): Json {
  if (Array.isArray(value)) return value.map(expand);
  if (!isObject(value)) return value;
  const concat = value["concat"];
  if (Object.keys(value).length === 1 && Array.isArray(concat) && concat.every(isPiece))
    return concat.map(piece).join("");
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expand(inner)]));
}

const isPiece = (value: Json): boolean => typeof value === "string" || repeatOf(value) !== undefined;

const piece = (value: Json): string => repeatOf(value) ?? (typeof value === "string" ? value : "");

function repeatOf(value: Json): string | undefined {
  const repeat = isObject(value) ? value["repeat"] : undefined;
  if (!Array.isArray(repeat)) return undefined;
  const [unit, count] = repeat as readonly Json[];
  return typeof unit === "string" && typeof count === "number" && count >= 0 ? unit.repeat(count) : undefined;
}
