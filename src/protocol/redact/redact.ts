import { BOT_KEY, KEY_BEGINS, KEY_SHAPES } from "./key-shapes.ts";
import { type KnownValues, outside, type Range, replaced } from "./known.ts";
import { type Kind, marksIn } from "./mark.ts";
import { INTRODUCTIONS, NAMED, TRIGGER } from "./named.ts";
import { shadowOf } from "./shadow.ts";
import { Spotter } from "./spot.ts";

/** What is left over beside a mark may look like a secret itself; each time there is less of it. */
const MOST_ROUNDS = 4;

/**
 * The text without secrets (security §3.13): the values that are known, in all their forms, and whatever is shaped or
 * introduced like one. A mark stands in the place of each. What is code, a blank to be filled in or a name stays. The text
 * that comes out comes out as it is when it is given again. Linear in the length of the text.
 */
export function redact(text: string, known: KnownValues): string {
  let shown = replaced(text, joined(known.find(text), shapedIn(text, known)));
  for (let [round, before] = [1, text]; round < MOST_ROUNDS && shown !== before; round++) {
    before = shown;
    shown = beside(shown, known);
  }
  return shown;
}

/** Looks once more at the lines with marks. */
function beside(text: string, known: KnownValues): string {
  let [shown, end] = ["", 0];
  for (const [from, to] of marksIn(text)) {
    if (to <= end) continue;
    const begin = Math.max(end, text.lastIndexOf("\n", from) + 1);
    const line = text.indexOf("\n", to);
    const behind = line < 0 ? text.length : line + 1;
    const lines = text.slice(begin, behind);
    shown += text.slice(end, begin) + replaced(lines, joined([], shapedIn(lines, known)));
    end = behind;
  }
  return shown + text.slice(end);
}

/** Of two that overlap, the mark of the first one stands for both. */
function joined(known: readonly Range[], shaped: readonly Range[]): readonly Range[] {
  if (shaped.length === 0) return known;
  const whole: { from: number; to: number; mark: string }[] = [];
  for (const { from, to, mark } of [...known, ...shaped].toSorted((a, b) => a.from - b.from)) {
    const last = whole.at(-1);
    if (last === undefined || from >= last.to) whole.push({ from, to, mark });
    else last.to = Math.max(last.to, to);
  }
  return whole;
}

/** What is shaped or introduced like a secret. */
function shapedIn(given: string, known: KnownValues): readonly Range[] {
  const { text, place, behind } = shadowOf(given);
  const found: Range[] = [];
  const add: Add = (kind, from, value) => {
    found.push({ from: place(from), to: behind(from + value.length - 1), mark: known.mark(kind, value) });
  };
  for (const [begin, end] of spottedIn(text, add)) {
    const lines = text.slice(begin, end);
    const addHere: Add = (kind, from, value) => add(kind, begin + from, value);
    const seen = new Map<RegExp | undefined, boolean>([[undefined, true]]);
    for (const named of NAMED) {
      const { hint } = named;
      const isThere = seen.get(hint) ?? hint?.test(lines) ?? true;
      seen.set(hint, isThere);
      if (isThere) valuesIn(lines, named, addHere);
    }
  }
  return found.length === 0 ? found : outside(marksIn(given), found);
}

const SPOTTER = new Spotter([KEY_BEGINS, INTRODUCTIONS]);
const IS_KEY = 1;
const IS_INTRODUCTION = 2;

type Add = (kind: Kind, from: number, value: string) => void;

function valuesIn(lines: string, { kind, pattern, isSecret }: (typeof NAMED)[number], add: Add): void {
  pattern.lastIndex = 0;
  // `matchAll` would copy the pattern for each line.
  for (let match = pattern.exec(lines); match !== null; match = pattern.exec(lines)) {
    const [whole, before = "", value = ""] = match;
    const from = match.index + whole.length - value.length;
    if (isSecret(value, lines.charAt(from + value.length), before)) add(kind, from, value);
  }
}

/** Adds the keys; returns the lines that introduce something, each with the one behind it: from where to where. */
export function spottedIn(text: string, add: Add): readonly (readonly [begin: number, end: number])[] {
  const windows: [begin: number, end: number][] = [];
  let lineEnd = 0;
  SPOTTER.spot(text, (at, lists) => {
    const found = (lists & IS_KEY) === 0 ? undefined : keyAt(text, at);
    if (found !== undefined) {
      const { from, key } = found;
      add(key.startsWith("-----") ? "private-key" : "key", from, key);
      return from + key.length;
    }
    // What else stands in a line that is looked at anyway makes no difference.
    if ((lists & IS_INTRODUCTION) !== 0 && at >= lineEnd && matched(TRIGGER, text, at).length > 0) {
      lineEnd = endOfLine(text, at);
      const [begin, end] = [text.lastIndexOf("\n", at) + 1, endOfLine(text, lineEnd)];
      const last = windows.at(-1);
      if (last === undefined || begin >= last[1]) windows.push([begin, end]);
      else last[1] = end;
    }
    return at;
  });
  return windows;
}

/** The key of a bot stands behind a number, which is none. */
function keyAt(text: string, at: number): { from: number; key: string } | undefined {
  if (text[at + 1] === ":") {
    const [key] = matched(BOT_KEY, text, at + 2);
    return key === undefined ? undefined : { from: at + 2, key };
  }
  if (at > 0 && isWord(text.charCodeAt(at - 1))) return undefined;
  const [key] = matched(KEY_SHAPES, text, at);
  return key === undefined ? undefined : { from: at, key };
}

const isWord = (unit: number): boolean =>
  (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x30 && unit <= 0x39);

function matched(sticky: RegExp, text: string, at: number): readonly (string | undefined)[] {
  sticky.lastIndex = at;
  return sticky.exec(text) ?? [];
}

/** The place behind the line break. */
function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}
