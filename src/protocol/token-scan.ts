import {
  blockOf,
  capitals,
  characterKinds,
  DIGIT,
  isLetter,
  isMark,
  isSpace,
  MARK,
  SPACE,
  NEWLINE,
  scriptOf,
  OTHER_SCRIPT,
} from "./token-characters.ts";
import * as weights from "./token-weights.ts";

/**
 * Estimates how many tokens a text has in the way of o200k: it is cut into the same pieces (words with what stands
 * before them, runs of punctuation, up to three digits, white space), and each piece costs what such pieces cost on
 * average, by its length and the pairs of letters in it. One pass, no patterns, nothing is allocated.
 */
interface Scan {
  readonly text: string;
  readonly end: number;
  at: number;
  /** In steps of the weights. */
  steps: number;
  /** What is found of which families have another number of tokens. */
  readonly parts: Float64Array;
}

/** Places of what is counted in a text. */
export const PARTS = {
  /** Tokens of o200k. */
  all: 0,
  /** Digits beyond one of each three: o200k has three in a token. */
  digits: 1,
  /** Line ends with spaces behind. */
  indents: 2,
  /** Tokens, of those, of words that end in Han, in kana, in hangul, in Cyrillic. */
  han: 3,
  kana: 4,
  hangul: 5,
  cyrillic: 6,
  /** Latin letters with a diacritic. */
  accents: 7,
  /** Line ends directly behind punctuation, which o200k joins. */
  joined: 8,
} as const;

/** By script; -1: not told apart. */
const PART_OF_SCRIPT: readonly number[] = [
  -1,
  -1,
  PARTS.cyrillic,
  -1,
  -1,
  -1,
  -1,
  PARTS.kana,
  PARTS.kana,
  PARTS.han,
  PARTS.hangul,
  -1,
];

const SPACE_CODE = 0x20;
const APOSTROPHE = 0x27;
const ASCII_END = 0x80;
/** Stands for a letter before the first one; 0 is one that is not ASCII. */
const NONE = 27;
const NO_LETTERS = (NONE << 5) | NONE;
const THREE_LETTERS = 0x7f_ff;
/** No weight is as small as this. */
const UNKNOWN = -128;
const { STEPS_PER_TOKEN: TOKEN, LEVEL, CONTRACTION, REPEATED } = weights;

/** More letters than these cost as if there were so many. */
const LONGEST_WORD = 20;
const LONGEST_RUN = 12;
const MOST_LETTERS = 15;
const ALL_SCRIPTS = 15;
const LATIN = 0;
const VIETNAMESE = 6;
/** Characters of a long row of white space or of the same mark that are one token. */
const SPACES_PER_TOKEN = 80;
const BREAKS_PER_TOKEN = 16;
/** Of a row of the same mark, what is beyond these is cheap. */
const SAME = 4;
/** Spreads what is hashed over all places. */
const SPREAD = 0x9e_37_79_b1;

interface Tables {
  readonly kinds: Uint8Array;
  readonly word: Int8Array;
  readonly pair: Int8Array;
  readonly triple: Int8Array;
  /** By three letters of five bits each: the last two as a pair, and all three. */
  readonly letters: Int8Array;
  readonly script: Int8Array;
  readonly letter: Int8Array;
  readonly neighbours: Int8Array;
  readonly marks: Int8Array;
  readonly markPair: Int8Array;
  readonly symbol: Int8Array;
  /** Of the word in hand: how many letters that are not ASCII it has, of each script and of all. */
  readonly counts: Uint32Array;
}

let tables: Tables | undefined;

/** Made when first asked for: most runs of the program estimate nothing. */
const ready = (): Tables => (tables ??= made());

function made(): Tables {
  return {
    kinds: characterKinds(),
    word: unpacked(weights.WORD),
    pair: unpacked(weights.PAIR),
    triple: unpacked(weights.TRIPLE),
    letters: new Int8Array(THREE_LETTERS + 1).fill(UNKNOWN),
    script: unpacked(weights.SCRIPT),
    letter: unpacked(weights.LETTER),
    neighbours: unpacked(weights.NEIGHBOURS),
    marks: unpacked(weights.MARKS),
    markPair: unpacked(weights.MARK_PAIR),
    symbol: unpacked(weights.SYMBOL),
    counts: new Uint32Array(16),
  };
}

/** What three letters cost; worked out when they are first met: to do it for all takes longer than most texts. */
function lettersStep(table: Tables, last: number): number {
  const known = table.letters[last] ?? 0;
  return known === UNKNOWN ? learnt(table, last) : known;
}

function learnt({ pair, triple, letters }: Tables, last: number): number {
  const third = last >> 10;
  const second = (last >> 5) & 31;
  const letter = last & 31;
  const two = pair[second * 27 + letter] ?? 0;
  const three = third === NONE || letter === 0 ? 0 : (triple[tripleSlot(third * 27 + second, letter)] ?? 0);
  letters[last] = two + three;
  return two + three;
}

function unpacked(packed: string): Int8Array {
  const table = new Int8Array(packed.length);
  for (let at = 0; at < packed.length; at += 1) table[at] = packed.charCodeAt(at) - weights.ZERO;
  return table;
}

/** Adds what is between two places of a text to its parts (`PARTS`), not rounded. */
export function scanTokens(text: string, from: number, to: number, parts: Float64Array): void {
  const table = ready();
  const { kinds } = table;
  const scan: Scan = { text, end: to, at: from, steps: 0, parts };
  while (scan.at < to) {
    const kind = kinds[text.charCodeAt(scan.at)] ?? MARK;
    if (isLetter(kind)) word(scan, table, 0);
    else if (isSpace(kind)) space(scan, table);
    else if (kind === DIGIT) digits(scan, kinds);
    else mark(scan, table);
  }
  add(parts, PARTS.all, (scan.steps / TOKEN) * LEVEL);
}

function add(parts: Float64Array, part: number, amount: number): void {
  parts[part] = (parts[part] ?? 0) + amount;
}

function digits(scan: Scan, kinds: Uint8Array): void {
  const from = scan.at;
  while (scan.at < scan.end && kinds[scan.text.charCodeAt(scan.at)] === DIGIT) scan.at += 1;
  const groups = Math.ceil((scan.at - from) / 3);
  scan.steps += groups * TOKEN;
  add(scan.parts, PARTS.digits, scan.at - from - groups);
}

/** The space before a word goes with it: nearly all white space is that. */
function space(scan: Scan, table: Tables): void {
  const { text, at, end } = scan;
  const next = at + 1 < end ? (table.kinds[text.charCodeAt(at + 1)] ?? MARK) : MARK;
  if (!isLetter(next) || text.charCodeAt(at) !== SPACE_CODE) {
    spaces(scan, table);
    return;
  }
  scan.at = at + 1;
  word(scan, table, 1);
}

/** Up to the last line end white space is one token, and of the rest the last space goes with what follows. */
function spaces(scan: Scan, table: Tables): void {
  const { text, end } = scan;
  const from = scan.at;
  const rest = passSpace(scan, table.kinds);
  const { at } = scan;
  scan.steps += Math.ceil((at - from - rest) / BREAKS_PER_TOKEN) * TOKEN;
  const alone = at < end ? rest - 1 : rest;
  if (alone > 0) scan.steps += Math.ceil(alone / SPACES_PER_TOKEN) * TOKEN;
  if (rest === 0 || at === end) return;
  if (rest < at - from) add(scan.parts, PARTS.indents, 1);
  const next = table.kinds[text.charCodeAt(at)] ?? MARK;
  const plain = text.charCodeAt(at - 1) === SPACE_CODE;
  if (isLetter(next)) word(scan, table, plain ? 1 : 2);
  else if (isMark(next) && plain) marks(scan, table, 1);
  else scan.steps += TOKEN;
}

/** Goes to its end. Returns how many characters stand behind its last line end. */
function passSpace(scan: Scan, kinds: Uint8Array): number {
  const { text, end } = scan;
  let { at } = scan;
  let behindBreak = at;
  for (; at < end; at += 1) {
    const kind = kinds[text.charCodeAt(at)] ?? MARK;
    if (kind === NEWLINE) behindBreak = at + 1;
    else if (kind !== SPACE) break;
  }
  scan.at = at;
  return at - behindBreak;
}

/** A single mark before a letter belongs to the word. */
function mark(scan: Scan, table: Tables): void {
  const { text, end, at } = scan;
  const code = text.charCodeAt(at);
  const width = (code & 0xfc_00) === 0xd8_00 && at + 1 < end ? 2 : 1;
  const next = at + width < end ? (table.kinds[text.charCodeAt(at + width)] ?? MARK) : MARK;
  if (!isLetter(next)) {
    marks(scan, table, 0);
    return;
  }
  if (code >= ASCII_END) scan.steps += symbol(table, 0, text.charCodeAt(at + width - 1), table.kinds[code] ?? MARK);
  scan.at = at + width;
  word(scan, table, 2);
}

const symbol = (table: Tables, before: number, code: number, kind: number): number =>
  (table.symbol[blockOf(kind)] ?? 0) + (table.neighbours[neighbourSlot(before, code)] ?? 0);

function marks(scan: Scan, table: Tables, lead: 0 | 1): void {
  const { text, end } = scan;
  let { at } = scan;
  let steps = 0;
  let length = 0;
  let before = -1;
  let same = 1;
  while (at < end) {
    const code = text.charCodeAt(at);
    const kind = table.kinds[code] ?? MARK;
    if (!isMark(kind)) break;
    same = code === before ? same + 1 : 1;
    if (same > SAME && (code & 0xf8_00) !== 0xd8_00) steps += REPEATED;
    else if (code >= ASCII_END) steps += symbol(table, Math.max(before, 0), code, kind);
    else {
      length += 1;
      steps += markPair(table, before, code);
    }
    before = code;
    at += 1;
  }
  scan.at = at;
  const broken = passBreaks(scan, table.kinds) ? 1 : 0;
  if (broken > 0) add(scan.parts, PARTS.joined, 1);
  steps += table.marks[(lead * (LONGEST_RUN + 1) + Math.min(length, LONGEST_RUN)) * 2 + broken] ?? 0;
  scan.steps += Math.max(TOKEN, steps);
}

/** Line ends directly behind punctuation belong to it. */
function passBreaks(scan: Scan, kinds: Uint8Array): boolean {
  const from = scan.at;
  while (scan.at < scan.end && kinds[scan.text.charCodeAt(scan.at)] === NEWLINE) scan.at += 1;
  return scan.at > from;
}

function markPair(table: Tables, before: number, code: number): number {
  if (before >= ASCII_END) return table.neighbours[neighbourSlot(before, code)] ?? 0;
  if (before <= SPACE_CODE || code <= SPACE_CODE || before === 0x7f || code === 0x7f) return 0;
  return table.markPair[markIndex(before) * 32 + markIndex(code)] ?? 0;
}

/** The 32 marks of ASCII, in their order. */
function markIndex(code: number): number {
  if (code < 0x30) return code - 0x21;
  if (code < 0x41) return code - 0x3a + 15;
  return code < 0x61 ? code - 0x5b + 22 : code - 0x7b + 28;
}

/** Letters of a word: capitals, then small ones; the next capital begins another. */
function word(scan: Scan, table: Tables, lead: 0 | 1 | 2): void {
  const { text, end } = scan;
  const { kinds, counts } = table;
  const from = scan.at;
  let at = from;
  let steps = 0;
  let high = 0;
  // Five bits for each of the last three letters.
  let last = NO_LETTERS;
  let before = 0;
  for (; at < end; at += 1) {
    const code = text.charCodeAt(at);
    const kind = kinds[code] ?? MARK;
    if (!isLetter(kind)) break;
    const capital = capitals(kind);
    // Small letters came before.
    if (capital > 0 && at - from > high) break;
    high += capital;
    last = ((last << 5) | (code < ASCII_END ? code & 31 : 0)) & THREE_LETTERS;
    steps += lettersStep(table, last);
    if ((before | code) >= ASCII_END) steps += foreignSteps(table, before, code, kind);
    before = code;
  }
  scan.at = at;
  const foreign = counts[ALL_SCRIPTS] ?? 0;
  const row = (lead * 4 + caseOf(high, at - from - high)) * (LONGEST_WORD + 1);
  steps += table.word[row + Math.min(at - from - foreign, LONGEST_WORD)] ?? 0;
  if (foreign > 0) foreignWord(scan, table, { steps, last: before });
  else scan.steps += Math.max(TOKEN, steps + contraction(scan));
}

/** What is known of a word before its scripts are counted. */
interface Word {
  readonly steps: number;
  /** The code of its last letter: words are of one script, nearly all. */
  readonly last: number;
}

function foreignWord(scan: Scan, table: Tables, { steps, last }: Word): void {
  const all = Math.max(TOKEN, steps + scriptSteps(table, scan.parts) + contraction(scan));
  scan.steps += all;
  const part = PART_OF_SCRIPT[scriptOf(table.kinds[last] ?? MARK)] ?? -1;
  if (part >= 0) add(scan.parts, part, (all / TOKEN) * LEVEL);
}

/** Small letters, one capital before them, capitals alone, more capitals before small ones. */
function caseOf(high: number, low: number): number {
  if (high < 2) return high;
  return low === 0 ? 2 : 3;
}

/** Of two letters in a row of which one is not ASCII. */
function foreignSteps(table: Tables, before: number, code: number, kind: number): number {
  const neighbours = table.neighbours[neighbourSlot(before, code)] ?? 0;
  if (code < ASCII_END) return neighbours;
  const { counts } = table;
  const script = scriptOf(kind);
  counts[script] = (counts[script] ?? 0) + 1;
  counts[ALL_SCRIPTS] = (counts[ALL_SCRIPTS] ?? 0) + 1;
  return neighbours + (table.letter[script] ?? 0);
}

/** What the numbers of letters of each script add; counted anew afterwards. */
function scriptSteps({ counts, script }: Tables, parts: Float64Array): number {
  let steps = 0;
  const accents = (counts[LATIN] ?? 0) + (counts[VIETNAMESE] ?? 0);
  if (accents > 0) add(parts, PARTS.accents, accents);
  for (let each = 0; each <= OTHER_SCRIPT; each += 1) {
    const count = counts[each] ?? 0;
    if (count > 0) steps += script[each * (MOST_LETTERS + 1) + Math.min(count, MOST_LETTERS)] ?? 0;
    counts[each] = 0;
  }
  counts[ALL_SCRIPTS] = 0;
  return steps;
}

/** The ending of `it's`, `don't`, `we'll` belongs to the word. */
function contraction(scan: Scan): number {
  const { text, at, end } = scan;
  if (at + 1 >= end || text.charCodeAt(at) !== APOSTROPHE) return 0;
  const one = text.charCodeAt(at + 1) | 0x20;
  const two = at + 2 < end ? text.charCodeAt(at + 2) | 0x20 : 0;
  const length = ENDINGS.has(one) ? 2 : ENDINGS.has(one * 128 + two) ? 3 : 0;
  scan.at = at + length;
  return length === 0 ? 0 : CONTRACTION;
}

const pairOf = (letters: string): number => letters.charCodeAt(0) * 128 + letters.charCodeAt(1);
const ENDINGS: ReadonlySet<number> = new Set([
  ...["s", "t", "m", "d"].map((letter) => letter.charCodeAt(0)),
  ...["re", "ve", "ll"].map(pairOf),
]);

const neighbourSlot = (before: number, code: number): number =>
  (Math.imul(Math.imul(before, 0x25_45) + code, SPREAD) >>> 8) & 2_047;

const tripleSlot = (before: number, letter: number): number => (Math.imul(before * 27 + letter, SPREAD) >>> 12) & 2_047;
