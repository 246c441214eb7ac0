import type { Language } from "../../words/language.ts";
import { foldedRows, leftOfLimit, PICTURE_SIGNS, PICTURE_WORDS } from "../../words/picture.ts";
import { spelledOut } from "../plain-text.ts";
import { fitting, textWidth } from "../text-width.ts";
import { type FoldedRow, folded } from "./folding.ts";
import { endOf, type PictureRow, startOf, type TurnPicture } from "./picture.ts";
import { endSentence, resultOf, type Sign, signOf, spanWords, titleOf, tookWords, whatOf } from "./row-words.ts";
import { escaped, HIGH, patternsOf, STYLE } from "./svg-style.ts";
import { type TimeAxis, timeAxis } from "./time-axis.ts";

/** Lengths are px; a column of text is as wide as a character of the font, about. */
const WIDE = 1_280;
const PAD = 16;
const COLUMN = 7.3;
const START = { at: PAD + 58, took: PAD + 128 } as const;
const WHAT = { at: PAD + 142, columns: 40 } as const;
const AXIS = { at: 460, long: 400 } as const;
const RESULT = { at: AXIS.at + AXIS.long + 14, columns: 52 } as const;
/** Of one value in the rail at the bottom. */
const RAIL = 34;
const LEAST_BAR = 3;

type DrawnRow = PictureRow | FoldedRow;

interface Sheet {
  readonly picture: TurnPicture;
  readonly rows: readonly DrawnRow[];
  readonly axis: TimeAxis;
  readonly language: Language;
}

/**
 * A turn as one SVG that stands for itself: no script, nothing from elsewhere, every text of others spelt out and escaped. Bars
 * have a pattern and words beside a colour; a long turn is folded, so that it stays a few hundred kB at most. The same
 * picture gives the same bytes.
 */
export function pictureSvg(picture: TurnPicture, language: Language): string {
  const axis = timeAxis(picture.rows, picture.tookMs);
  const sheet: Sheet = { picture, rows: folded(picture.rows, picture.tookMs), axis, language };
  const top = PAD + 3 * HIGH;
  const bottom = top + sheet.rows.length * HIGH;
  const rails = railsOf(sheet, bottom + HIGH / 2);
  const foot = bottom + HIGH / 2 + rails.length * RAIL;
  const notes = notesOf(sheet);
  const high = Math.ceil(foot + (notes.length + 1) * HIGH + PAD);
  const label = shown(`${titleOf(picture, language)}: ${picture.asked}`, 160);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDE} ${high}" width="${WIDE}" height="${high}" role="img" aria-labelledby="name about" lang="${language}">`,
    `<title id="name">${label}</title>`,
    `<desc id="about">${shown([endSentence(picture, language) ?? "", PICTURE_WORDS.table[language]].join(" "), 400)}</desc>`,
    `<style>${STYLE}</style>`,
    `<defs>${patternsOf(signsIn(sheet.rows))}</defs>`,
    `<rect class="ground" width="100%" height="100%"/>`,
    ...headOf(sheet, top),
    ...sheet.rows.map((row, at) => rowOf(row, top + at * HIGH, sheet)),
    ...lanesOf(sheet.rows, top),
    ...breaksOf(sheet, { top, bottom }),
    ...rails,
    legendOf(sheet.rows, foot + 0.9 * HIGH, language),
    ...notes.map((note, at) => text(PAD, foot + (at + 1.9) * HIGH, note)),
    "</svg>",
    "",
  ].join("\n");
}

/** One clean, escaped line of so many columns at most. */
function shown(line: string, columns: number): string {
  const clean = spelledOut(line.replaceAll(/[^\S ]+/gu, " "));
  return escaped(textWidth(clean) <= columns ? clean : `${fitting(clean, columns - 1)}…`);
}

const px = (value: number): string => String(Math.round(value * 10) / 10);

/** `content` is escaped already. */
const text = (x: number, y: number, content: string, more = ""): string =>
  content === "" ? "" : `<text x="${px(x)}" y="${px(y)}"${more}>${content}</text>`;

const said = (what: keyof typeof PICTURE_WORDS, language: Language): string => escaped(PICTURE_WORDS[what][language]);

function headOf({ picture, axis, language }: Sheet, top: number): string[] {
  const y = top - HIGH * 0.5;
  const soft = ` class="soft"`;
  return [
    text(PAD, PAD + 12, shown(titleOf(picture, language), 150), ` class="head"`),
    text(PAD, PAD + 12 + HIGH, shown(picture.asked, 150), soft),
    text(START.at, y, said("start", language), ` class="soft" text-anchor="end"`),
    text(START.took, y, said("took", language), ` class="soft" text-anchor="end"`),
    text(WHAT.at, y, said("what", language), soft),
    text(AXIS.at, y, "0", soft),
    text(AXIS.at + AXIS.long, y, spanWords(axis.untilMs), ` class="soft" text-anchor="end"`),
    text(RESULT.at, y, said("result", language), soft),
    `<path class="line" d="M${PAD} ${px(y + 6)}H${WIDE - PAD}"/>`,
  ];
}

const signFor = (row: DrawnRow): Sign | undefined => (row.type === "folded" ? "own" : signOf(row));

const signsIn = (rows: readonly DrawnRow[]): Set<Sign> => new Set(rows.flatMap((row) => signFor(row) ?? []));

function rowOf(row: DrawnRow, y: number, sheet: Sheet): string {
  const { language, picture } = sheet;
  const isFolded = row.type === "folded";
  const what = isFolded ? `… ${foldedRows(row)[language]}` : whatOf(row, language);
  const result = isFolded ? [] : resultOf(row, language);
  const took = isFolded ? spanWords((row.endMs ?? 0) - row.startMs) : tookWords(row, language);
  const start = isFolded ? row.startMs : startOf(row);
  const end = isFolded ? (row.endMs ?? start) : endOf(row, picture.tookMs);
  const base = y + HIGH * 0.7;
  const whole = [what.trim(), spanWords(start), took, ...result].filter((part) => part !== "");
  return [
    `<g><title>${shown(whole.join(" · "), 300)}</title>`,
    text(START.at, base, spanWords(start), ` class="soft" text-anchor="end"`),
    text(START.took, base, escaped(took), ` text-anchor="end"`),
    text(WHAT.at + indentOf(what), base, shown(what.replace(/^[| ] /u, "").trimStart(), WHAT.columns - 2)),
    barOf(row, { y, start, end }, sheet.axis),
    text(RESULT.at, base, shown(result.join(", "), RESULT.columns), isBad(row) ? ` class="bad"` : ""),
    "</g>",
  ].join("");
}

const indentOf = (what: string): number => (/^[| ] /u.test(what) ? 2 * COLUMN : 0);

const isBad = (row: DrawnRow): boolean =>
  row.type === "attempt"
    ? row.end?.type === "failed" || row.end?.type === "lost"
    : row.type === "tool" && row.status === "error";

interface Bar {
  readonly y: number;
  readonly start: number;
  readonly end: number;
}

function barOf(row: DrawnRow, { y, start, end }: Bar, axis: TimeAxis): string {
  const sign = signFor(row);
  if (sign === undefined) return "";
  const [from, to] = [start, end].map((ms) => AXIS.at + axis.at(ms) * AXIS.long) as [number, number];
  if (!("startMs" in row)) return `<path class="mark" fill="currentColor" d="${diamond(from, y + HIGH / 2)}"/>`;
  const long = Math.max(LEAST_BAR, to - from);
  const goesOn = row.endMs === null ? ` stroke-dasharray="3 2"` : "";
  const place = `x="${px(from)}" y="${px(y + 4)}" width="${px(long)}" height="${HIGH - 8}"`;
  return `<rect ${place} rx="2" class="${sign}" fill="url(#${sign})" stroke="currentColor"${goesOn}/>`;
}

const diamond = (x: number, y: number): string => `M${px(x)} ${px(y - 6)}l5 6l-5 6l-5 -6z`;

/** Calls that run side by side are held together by a bracket. */
function lanesOf(rows: readonly DrawnRow[], top: number): string[] {
  const lanes: string[] = [];
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at];
    if (row?.type !== "tool" || row.beside < 2) continue;
    let to = at;
    while (isBeside(rows[to + 1], row) && to + 1 - at < row.beside) to++;
    if (to > at) lanes.push(bracket(top + at * HIGH + 4, top + (to + 1) * HIGH - 4, row.beside));
    at = to;
  }
  return lanes;
}

const isBeside = (row: DrawnRow | undefined, first: Extract<PictureRow, { type: "tool" }>): boolean =>
  row?.type === "tool" && row.startMs === first.startMs && row.beside === first.beside;

const bracket = (from: number, to: number, count: number): string =>
  `<g class="tool"><title>${count}</title><path stroke="currentColor" fill="none" stroke-width="1.5" d="M${px(WHAT.at + 8)} ${px(from)}h-5V${px(to)}h5"/></g>`;

/** So narrow that two of them would touch. */
const LEAST_BREAK = 6;

/** Time that is drawn shorter than it was is cut by a double stroke. */
function breaksOf(
  { axis, language }: Sheet,
  { top, bottom }: { readonly top: number; readonly bottom: number },
): string[] {
  const wide = axis.breaks.flatMap(({ from, to }) => {
    const [left, right] = [axis.at(from) * AXIS.long, axis.at(to) * AXIS.long];
    return right - left < LEAST_BREAK ? [] : [{ x: AXIS.at + (left + right) / 2, ms: to - from }];
  });
  return wide.map(({ x, ms }) => {
    const [a, b] = [x - 2, x + 2].map((at) => `M${px(at - 2)} ${px(top + 3)}L${px(at + 2)} ${px(top - 5)}`) as [
      string,
      string,
    ];
    const down = `M${px(x - 2)} ${px(top + 3)}V${px(bottom)}M${px(x + 2)} ${px(top + 3)}V${px(bottom)}`;
    return `<g><title>${escaped(`${spanWords(ms)}. ${PICTURE_WORDS.shortened[language]}`)}</title><path class="line" d="${a}${b}"/><path class="faint" stroke-dasharray="2 4" d="${down}"/></g>`;
  });
}

/** What is left of iterations and of money, where there is a limit. */
function railsOf(sheet: Sheet, top: number): string[] {
  const { picture, language } = sheet;
  const count = (value: number): string => String(value);
  const kinds = [
    { of: "iterations", name: said("iterationsLeft", language), words: count },
    { of: "usd", name: said("moneyLeft", language), words: (usd: number): string => `$${usd.toFixed(4)}` },
  ] as const;
  return kinds
    .filter(({ of }) => typeof picture.budget[0]?.[of] === "number")
    .map(({ of, name, words }, at) => {
      const values = picture.budget.map((point) => ({ atMs: point.atMs, left: point[of] ?? 0 }));
      return railOf({ values, name, words }, top + at * RAIL, sheet);
    });
}

interface Rail {
  readonly values: readonly { readonly atMs: number; readonly left: number }[];
  readonly name: string;
  readonly words: (value: number) => string;
}

/** So many steps are drawn of a long turn. */
const MOST_STEPS = 200;

function railOf({ values, name, words }: Rail, top: number, { axis, language }: Sheet): string {
  const most = Math.max(...values.map(({ left }) => left));
  const every = Math.ceil(values.length / MOST_STEPS);
  const steps = values.filter((_value, at) => at % every === 0 || at === values.length - 1);
  const y = (left: number): number => top + RAIL - 8 - (most === 0 ? 0 : (left / most) * (RAIL - 14));
  const [first, ...rest] = steps.map(({ atMs, left }) => ({ x: AXIS.at + axis.at(atMs) * AXIS.long, y: y(left) }));
  const line = [`M${AXIS.at} ${px(first?.y ?? top)}`, ...rest.map((step) => `H${px(step.x)}V${px(step.y)}`)];
  const told = leftOfLimit(words(values.at(-1)?.left ?? 0), words(most))[language];
  const base = top + RAIL * 0.6;
  return [
    `<g><title>${name}: ${escaped(told)}</title>`,
    text(WHAT.at, base, name, ` class="soft"`),
    `<path class="faint" d="M${AXIS.at} ${px(top + RAIL - 8)}h${AXIS.long}"/>`,
    `<path class="model" stroke="currentColor" stroke-width="2" fill="none" d="${line.join("")}H${AXIS.at + AXIS.long}"/>`,
    text(RESULT.at, base, escaped(told)),
    "</g>",
  ].join("");
}

/** What the patterns stand for. */
function legendOf(rows: readonly DrawnRow[], y: number, language: Language): string {
  let x = PAD;
  return [...signsIn(rows)]
    .map((sign) => {
      const words = PICTURE_SIGNS[sign][language];
      const at = x;
      x += 24 + textWidth(words) * COLUMN + 18;
      const box = `<rect x="${px(at)}" y="${px(y - 11)}" width="18" height="13" rx="2" class="${sign}" fill="url(#${sign})" stroke="currentColor"/>`;
      return box + text(at + 24, y, escaped(words));
    })
    .join("");
}

/** How it ended is the last word. */
function notesOf({ picture, axis, language }: Sheet): string[] {
  const end = endSentence(picture, language);
  return [
    ...(axis.shortened ? [said("shortened", language)] : []),
    ...(end === undefined ? [] : [`<tspan class="head">${shown(end, 155)}</tspan>`]),
  ];
}
