const unit = (code: number): string => `\\u{${code.toString(16)}}`;

/** The inside of a character class: pairs of first and last. */
const classOf = (ranges: readonly (readonly [first: number, last: number])[]): string =>
  ranges.map(([first, last]) => `${unit(first)}-${unit(last)}`).join("");

const ESCAPE = unit(0x1b);
const BELL = unit(0x07);
/** A sequence for terminals that begins with one sign, in the place of an escape and a bracket. */
const OPENING = unit(0x9b);
/** What stands where a control character was taken away. */
const REPLACED = unit(0xfffd);
const PARAMETERS = "[0-?]*[ -/]*";

/** Nothing to see: colours and other sequences for terminals, also where their escape was made U+FFFD. */
const SEQUENCE = [
  `[${ESCAPE}${REPLACED}]\\[${PARAMETERS}[@-~]`,
  `${OPENING}${PARAMETERS}[@-~]`,
  `${ESCAPE}\\][^${BELL}${ESCAPE}\\n]{0,512}(?:${BELL}|${ESCAPE}\\\\)`,
  `${ESCAPE}[ -/]*[0-Z^-~]`,
].join("|");

/** A beginning of one at the end of a text; and half of what becomes one line, or one character, with what follows. */
export const UNFINISHED: RegExp = new RegExp(
  `(?:[${ESCAPE}${REPLACED}](?:\\[${PARAMETERS})?|${ESCAPE}\\][^${BELL}\\n]*|${ESCAPE}[ -/]*|${OPENING}${PARAMETERS}|[\\\\=]\\r?|[\\uD800-\\uDBFF])$`,
  "u",
);

/** Characters without width, and those for terminals. */
const INVISIBLE: readonly (readonly [number, number])[] = [
  ...([
    [0x00, 0x08],
    [0x0b, 0x1f],
    [0x7f, 0x9f],
    [0xad, 0xad],
    [0x34f, 0x34f],
    [0x61c, 0x61c],
  ] as const),
  ...([
    [0x115f, 0x1160],
    [0x17b4, 0x17b5],
    [0x180b, 0x180f],
    [0x200b, 0x200f],
    [0x202a, 0x202e],
  ] as const),
  ...([
    [0x2060, 0x206f],
    [0x3164, 0x3164],
    [0xfe00, 0xfe0f],
    [0xfeff, 0xfeff],
    [0xffa0, 0xffa0],
  ] as const),
  [0xfffd, 0xfffd],
];
const INVISIBLE_PAIRS: typeof INVISIBLE = [[0xe0000, 0xe0fff]];

/** Characters that are another form of ASCII ones (NFKC). */
const ALIKE: typeof INVISIBLE = [
  ...([
    [0xaa, 0xaa],
    [0xb2, 0xb3],
    [0xb9, 0xba],
    [0x1d2c, 0x1d6a],
    [0x2070, 0x209c],
    [0x2100, 0x214f],
  ] as const),
  ...([
    [0x2460, 0x24ff],
    [0xfb00, 0xfb06],
    [0xfe50, 0xfe6b],
    [0xff01, 0xff5e],
  ] as const),
];
const ALIKE_PAIRS: typeof INVISIBLE = [
  [0x1d400, 0x1d7ff],
  [0x1f130, 0x1f149],
  [0x1fbf0, 0x1fbf9],
];

/** A line that goes on in the next one. */
const WRAP = "[\\\\=]?\\r?\\n[ \\t]*";

/** What is looked at in place of a text, and where each of its places stands in it. */
export interface Shadow {
  readonly text: string;
  /** The place in the text itself of a character of the shadow; its length: the place behind the last one. */
  readonly place: (at: number) => number;
  /** The place behind a character of the shadow. */
  readonly behind: (at: number) => number;
}

/** The first units of those that have two. */
const HALVES = [...INVISIBLE_PAIRS, ...ALIKE_PAIRS].map(
  ([first, last]) => [firstUnit(first), firstUnit(last)] as const,
);

function firstUnit(code: number): number {
  return String.fromCodePoint(code).charCodeAt(0);
}

const RANGES = [...INVISIBLE, ...ALIKE, ...HALVES];
const UNITS = RANGES.map(([first, last]) =>
  [first, last].map((code) => `\\u${code.toString(16).padStart(4, "0")}`).join("-"),
).join("");

/** For each unit whether it is one of them: quicker than a regular expression. */
const UNUSUAL = new Uint8Array(1 << 16);
for (const [first, last] of RANGES) UNUSUAL.fill(1, first, last + 1);

const GOES = `${SEQUENCE}|[${classOf([...INVISIBLE, ...INVISIBLE_PAIRS])}]`;
const CHANGES = `[${classOf([...ALIKE, ...ALIKE_PAIRS])}]`;

/** Where to look, quickly, and what goes there or is written otherwise. */
const IN_LINES: Rules = {
  quick: new RegExp(`[${UNITS}]`, "g"),
  exact: new RegExp(`(${GOES})|${CHANGES}`, "uy"),
};
const IN_ONE_LINE: Rules = {
  quick: new RegExp(`[${UNITS}\\n\\\\=]`, "g"),
  exact: new RegExp(`(${WRAP}|${GOES})|${CHANGES}`, "uy"),
};

interface Rules {
  readonly quick: RegExp;
  readonly exact: RegExp;
}

/** Whether nobody sees some of it, or it holds other forms of ASCII characters. */
export function isUnusual(text: string): boolean {
  const unusual = UNUSUAL;
  for (let at = 0; at < text.length; at++) if (unusual[text.charCodeAt(at)] === 1) return true;
  return false;
}

/** Without what nobody sees, its lines as they are. */
export const shadowOf = (text: string): Shadow =>
  isUnusual(text) ? shadow(text, changesIn(text, IN_LINES)) : itself(text);

/** As it would be read in one line. */
export const oneLineOf = (text: string): Shadow => {
  if (isUnusual(text)) return shadow(text, changesIn(text, IN_ONE_LINE));
  return text.includes("\n") ? shadow(text, wrapsIn(text)) : itself(text);
};

const itself = (text: string): Shadow => ({ text, place: (at) => at, behind: (at) => at + 1 });

/** A place of a text where its shadow has more or less. */
interface Change {
  /** In the shadow. */
  readonly at: number;
  /** Characters there. */
  readonly made: number;
  /** In the text. */
  readonly from: number;
  readonly to: number;
}

function shadow(text: string, changes: readonly Change[]): Shadow {
  const pieces: string[] = [];
  let end = 0;
  for (const { made, from, to } of changes) {
    pieces.push(text.slice(end, from), made === 0 ? "" : text.slice(from, to).normalize("NFKC"));
    end = to;
  }
  const shown = pieces.join("") + text.slice(end);
  const before = (at: number): Change | undefined => changes[lastUpTo(changes, at)];
  const place = (at: number): number => {
    const change = before(at);
    if (change === undefined) return at;
    return at < change.at + change.made ? change.from : change.to + at - change.at - change.made;
  };
  const behind = (at: number): number => {
    const change = before(at);
    return change !== undefined && at < change.at + change.made ? change.to : place(at) + 1;
  };
  return { text: shown, place, behind };
}

/** All there is of changes in nearly all texts: `WRAP`, without a regular expression. */
function wrapsIn(text: string): readonly Change[] {
  const changes: Change[] = [];
  let less = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    const sign = text[at - 1];
    const from = sign === "\\" || sign === "=" ? at - 1 : at;
    let to = at + 1;
    while (text[to] === " " || text[to] === "\t") to++;
    changes.push({ at: from - less, made: 0, from, to });
    less += to - from;
  }
  return changes;
}

function changesIn(text: string, { quick, exact }: Rules): readonly Change[] {
  const changes: Change[] = [];
  let less = 0;
  quick.lastIndex = 0;
  while (quick.test(text)) {
    const from = quick.lastIndex - 1;
    exact.lastIndex = from;
    const match = exact.exec(text);
    if (match === null) continue;
    const [sign, gone] = match;
    const made = gone === undefined ? sign.normalize("NFKC").length : 0;
    const to = from + sign.length;
    changes.push({ at: from - less, made, from, to });
    less += sign.length - made;
    quick.lastIndex = to;
  }
  return changes;
}

/** The last change that does not begin behind a place of the shadow; -1: none. */
function lastUpTo(changes: readonly Change[], at: number): number {
  let [least, most] = [0, changes.length];
  while (least < most) {
    const middle = (least + most) >> 1;
    if ((changes[middle]?.at ?? 0) <= at) least = middle + 1;
    else most = middle;
  }
  return least - 1;
}
