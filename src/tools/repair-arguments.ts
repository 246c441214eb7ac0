import { isJson, isShallow } from "../protocol/json.ts";

export interface RepairedJson {
  readonly text: string;
  /** Closing brackets were added: something may be missing where the text ends. */
  readonly completed: boolean;
}

/** What is longer, characters, is no slip in the notation. */
const LONGEST = 1_000_000;

/**
 * JSON text out of text that is nearly that (row C11, hermes.md §23.2): raw control characters in strings, commas before
 * a closing bracket, closing brackets too many or too few, the same object written twice, `None`. Undefined when it
 * cannot be told what was meant: a string that stops in the middle, a value that is missing, words behind the object.
 */
export function repairJson(raw: string): RepairedJson | undefined {
  if (raw.length > LONGEST) return undefined;
  const text = raw.trim();
  if (text === "" || text === "None" || text === "null") return { text: "{}", completed: false };
  const escaped = escapeControls(text);
  if (isJson(escaped)) return { text: compact(escaped), completed: false };
  const { kept, missing } = balanced(escaped);
  if (missing === undefined) return undefined;
  const whole = kept + missing;
  return isJson(whole) ? { text: whole, completed: missing !== "" } : undefined;
}

/** One without its closing quote reaches to the end: looked for again from every later quote, it would take for ever. */
const STRING = /"[^"\\]*(?:\\.?[^"\\]*)*(?:"|$)/gsu;

/** What nests too deeply is no use, and cannot be written again. */
function compact(text: string): string {
  const value: unknown = JSON.parse(text);
  return isShallow(value) ? JSON.stringify(value) : text;
}

const CONTROL = /\p{Cc}/gu;

const escapeControls = (text: string): string =>
  text.replace(STRING, (string) => string.replace(CONTROL, (control) => JSON.stringify(control).slice(1, -1)));

/** A string, a comma no value follows, a bracket, or anything else. */
const PIECE = new RegExp(`${STRING.source}|(?<needless>,\\s*(?=[}\\]]))|[{}[\\]]|[^"{}[\\],]+|,`, "gsu");

interface Balanced {
  readonly kept: string;
  /** The brackets that still have to be closed; undefined when the text cannot be understood. */
  readonly missing: string | undefined;
}

const BROKEN: Balanced = { kept: "", missing: undefined };

const CLOSING: ReadonlyMap<string, string> = new Map([
  ["{", "}"],
  ["[", "]"],
]);

/** Without needless commas, and without what stands behind the first object, if that is nothing but its like. */
function balanced(text: string): Balanced {
  if (!text.startsWith("{")) return BROKEN;
  const open: string[] = [];
  let kept = "";
  for (const { 0: piece, index, groups } of text.matchAll(PIECE)) {
    if (groups?.["needless"] !== undefined) continue;
    kept += piece;
    const closing = CLOSING.get(piece);
    if (closing !== undefined) open.push(closing);
    else if (/^[}\]]$/u.test(piece) && open.pop() !== piece) return BROKEN;
    if (open.length > 0) continue;
    return isNothing(text.slice(index + piece.length), kept) ? { kept, missing: "" } : BROKEN;
  }
  return { kept, missing: open.reverse().join("") };
}

/** Surplus brackets, or the same object again. */
function isNothing(rest: string, object: string): boolean {
  const again = rest.trim();
  return /^[}\]\s]*$/u.test(again) || again.replaceAll(object, "").trim() === "";
}
