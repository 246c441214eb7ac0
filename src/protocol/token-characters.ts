/** What a UTF-16 code unit is to a tokenizer. */
const LOWER = 1;
export const DIGIT = 3;
export const SPACE = 4;
export const NEWLINE = 5;
export const MARK = 6;
/** And its block on top: punctuation, signs and halves of pairs that are not ASCII. */
const SYMBOL = 8;
/** And its script on top: letters that are not ASCII. */
const LETTER = 16;
/** On top of a letter. */
const CAPITAL = 32;

export const isLetter = (kind: number): boolean => kind >= LETTER || kind === LOWER;
export const isSpace = (kind: number): boolean => kind === SPACE || kind === NEWLINE;
export const isMark = (kind: number): boolean => kind >= MARK && kind < LETTER;

/** Of a letter: 1 or 0. */
export const capitals = (kind: number): number => kind >> 5;
/** Of a letter that is not ASCII. */
export const scriptOf = (kind: number): number => kind & 15;
/** Of a symbol that is not ASCII. */
export const blockOf = (kind: number): number => kind & 7;

/** Latin, Greek, Cyrillic, right to left, Indic, Thai, Vietnamese, hiragana, katakana, Han, hangul, others. */
const SCRIPTS = {
  latin: 0,
  greek: 1,
  cyrillic: 2,
  rtl: 3,
  indic: 4,
  thai: 5,
  viet: 6,
  hira: 7,
  kata: 8,
  han: 9,
} as const;
const HANGUL = 10;
/** The last of the scripts. */
export const OTHER_SCRIPT = 11;

type Range = readonly [from: number, to: number, kind: number];

/** Later ones win. */
const RANGES: readonly Range[] = [
  [0x00, 0x7f, MARK],
  [0x09, 0x0d, SPACE],
  [0x0a, 0x0a, NEWLINE],
  [0x0d, 0x0d, NEWLINE],
  [0x20, 0x20, SPACE],
  [0x30, 0x39, DIGIT],
  [0x41, 0x5a, LOWER + CAPITAL],
  [0x61, 0x7a, LOWER],
  [0x80, 0xbf, SYMBOL],
  [0xa0, 0xa0, SPACE],
  [0xaa, 0xaa, LETTER + SCRIPTS.latin],
  [0xb5, 0xb5, LETTER + SCRIPTS.latin],
  [0xba, 0xba, LETTER + SCRIPTS.latin],
  [0xc0, 0x24f, LETTER + SCRIPTS.latin],
  [0xc0, 0xde, LETTER + CAPITAL + SCRIPTS.latin],
  [0xd7, 0xd7, SYMBOL + 6],
  [0xf7, 0xf7, SYMBOL + 6],
  [0x250, 0x36f, LETTER + OTHER_SCRIPT],
  [0x370, 0x3ff, LETTER + SCRIPTS.greek],
  [0x391, 0x3ab, LETTER + CAPITAL + SCRIPTS.greek],
  [0x400, 0x52f, LETTER + SCRIPTS.cyrillic],
  [0x400, 0x42f, LETTER + CAPITAL + SCRIPTS.cyrillic],
  [0x530, 0x8ff, LETTER + SCRIPTS.rtl],
  [0x60c, 0x60d, SYMBOL + 6],
  [0x61b, 0x61f, SYMBOL + 6],
  [0x900, 0xdff, LETTER + SCRIPTS.indic],
  [0x964, 0x965, SYMBOL + 6],
  [0xe00, 0xeff, LETTER + SCRIPTS.thai],
  [0xf00, 0x1dff, LETTER + OTHER_SCRIPT],
  [0x1e00, 0x1eff, LETTER + SCRIPTS.viet],
  [0x1f00, 0x1fff, LETTER + OTHER_SCRIPT],
  [0x2000, 0x200a, SPACE],
  [0x200b, 0x206f, SYMBOL + 2],
  [0x2028, 0x2029, SPACE],
  [0x202f, 0x202f, SPACE],
  [0x2070, 0x24ff, SYMBOL + 7],
  [0x2500, 0x259f, SYMBOL + 3],
  [0x25a0, 0x2bff, SYMBOL + 7],
  [0x2c00, 0x2dff, LETTER + OTHER_SCRIPT],
  [0x2e00, 0x2fff, SYMBOL + 7],
  [0x3000, 0x303f, SYMBOL + 4],
  [0x3000, 0x3000, SPACE],
  [0x3005, 0x3007, LETTER + OTHER_SCRIPT],
  [0x3040, 0x309f, LETTER + SCRIPTS.hira],
  [0x30a0, 0x30ff, LETTER + SCRIPTS.kata],
  [0x30fb, 0x30fb, SYMBOL + 7],
  [0x3100, 0x318f, LETTER + OTHER_SCRIPT],
  [0x3190, 0x33ff, SYMBOL + 7],
  [0x3400, 0x9fff, LETTER + SCRIPTS.han],
  [0xa000, 0xabff, LETTER + OTHER_SCRIPT],
  [0xac00, 0xd7a3, LETTER + HANGUL],
  [0xd7a4, 0xd7ff, LETTER + OTHER_SCRIPT],
  [0xd800, 0xdfff, SYMBOL + 1],
  [0xe000, 0xf8ff, SYMBOL + 7],
  [0xf900, 0xfe0f, LETTER + OTHER_SCRIPT],
  [0xfe10, 0xfe6f, SYMBOL + 7],
  [0xfe70, 0xfefc, LETTER + OTHER_SCRIPT],
  [0xfeff, 0xfeff, SPACE],
  [0xff00, 0xffff, SYMBOL + 5],
  [0xff10, 0xff19, DIGIT],
  [0xff21, 0xff3a, LETTER + OTHER_SCRIPT],
  [0xff41, 0xff5a, LETTER + OTHER_SCRIPT],
  [0xff66, 0xffdc, LETTER + OTHER_SCRIPT],
];

/** By code unit. */
export function characterKinds(): Uint8Array {
  const kinds = new Uint8Array(0x1_00_00);
  for (const [from, to, kind] of RANGES) kinds.fill(kind, from, to + 1);
  // Above Latin-1 capitals and small letters take turns.
  for (let code = 0x100; code < 0x180; code += 1) {
    const odd = (code >= 0x139 && code <= 0x148) || code >= 0x179;
    if ((code & 1) === (odd ? 1 : 0)) kinds[code] = LETTER + CAPITAL + SCRIPTS.latin;
  }
  for (let code = 0x1e00; code < 0x1f00; code += 2) kinds[code] = LETTER + CAPITAL + SCRIPTS.viet;
  return kinds;
}
