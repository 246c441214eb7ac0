import type { Language } from "../../words/language.ts";
import { PICTURE_SIGNS, PICTURE_WORDS } from "../../words/picture.ts";
import { spelledOut } from "../plain-text.ts";
import { fitting, textWidth } from "../text-width.ts";
import { endOf, type PictureRow, startOf, type TurnPicture } from "./picture.ts";
import { endSentence, resultOf, type Sign, signOf, spanWords, titleOf, tookWords, whatOf } from "./row-words.ts";
import { placeOn, type TimeAxis, timeAxis } from "./time-axis.ts";

/** What a drawing may take of a screen. */
export interface DrawingRoom {
  /** What is less than 60 is drawn as 60. */
  readonly columns: number;
  /** Every sign of the drawing is ASCII; the words stay what they are. */
  readonly plain: boolean;
}

export interface PictureView extends DrawingRoom {
  readonly language: Language;
}

const SIGNS: Readonly<Record<Sign, { readonly fine: string; readonly plain: string }>> = {
  model: { fine: "█", plain: "#" },
  tool: { fine: "▓", plain: "=" },
  wait: { fine: "░", plain: "." },
  person: { fine: "▒", plain: "?" },
  mark: { fine: "▲", plain: "^" },
  refund: { fine: "▚", plain: "%" },
  own: { fine: "▂", plain: "_" },
  gap: { fine: "╳", plain: "x" },
  child: { fine: "▤", plain: "+" },
};

const NARROWEST = 60;
/** Columns of the two times, with the space behind each. */
const TIMES = 18;
const SHARE = { what: 0.4, axis: 0.25 } as const;

interface Page extends PictureView {
  readonly axis: TimeAxis;
  readonly widths: { readonly what: number; readonly axis: number; readonly result: number };
  readonly tookMs: number;
}

function pageOf(picture: TurnPicture, view: PictureView): Page {
  const room = Math.max(NARROWEST, view.columns) - TIMES - 2;
  const [what, axis] = [Math.floor(room * SHARE.what), Math.floor(room * SHARE.axis)];
  return {
    ...view,
    axis: timeAxis(picture.rows, picture.tookMs),
    widths: { what, axis, result: room - what - axis },
    tookMs: picture.tookMs,
  };
}

/** One row a line: when it began, how long it took, what it was, its bar on the axis of time, what came of it. */
export function pictureLines(picture: TurnPicture, view: PictureView): string[] {
  const page = pageOf(picture, view);
  const end = endSentence(picture, view.language);
  return [
    titleLine(picture, page),
    headLine(page),
    ...picture.rows.map((row) => rowLine(row, page)),
    ...legendLines(picture.rows, page),
    ...(page.axis.shortened ? [PICTURE_WORDS.shortened[view.language]] : []),
    ...(end === undefined ? [] : [end]),
  ].map((line) => line.trimEnd());
}

/** Some of its rows as they stand in the picture. */
export function rowLines(rows: readonly PictureRow[], picture: TurnPicture, view: PictureView): string[] {
  const page = pageOf(picture, view);
  return rows.map((row) => rowLine(row, page).trimEnd());
}

function titleLine(picture: TurnPicture, page: Page): string {
  const text = spelledOut(titleOf(picture, page.language));
  return page.plain ? text.replaceAll("·", "|") : text;
}

function headLine(page: Page): string {
  const { widths, axis } = page;
  const [from, to] = ["0", spanWords(axis.untilMs)];
  const scale = `${from}${" ".repeat(Math.max(1, widths.axis - from.length - to.length))}${to}`;
  return columns([said("start", page), said("took", page), said("what", page), scale, said("result", page)], page);
}

function rowLine(row: PictureRow, page: Page): string {
  const { language, widths } = page;
  const result = fittingParts(resultOf(row, language), widths.result);
  return columns(
    [spanWords(startOf(row)), tookWords(row, language), whatOf(row, language), barOf(row, page), result],
    page,
  );
}

/** As many as are whole in the room; the first in any case. */
function fittingParts([first = "", ...others]: readonly string[], room: number): string {
  let text = first;
  for (const part of others) {
    const longer = text === "" ? part : `${text}, ${part}`;
    if (textWidth(spelledOut(longer)) > room) break;
    text = longer;
  }
  return text;
}

/** The two times stand at the right of their columns. */
function columns(
  [start, took, what, axis, result]: readonly [string, string, string, string, string],
  page: Page,
): string {
  const { widths } = page;
  const half = TIMES / 2 - 1;
  const texts = [left(cut(what, widths.what, page), widths.what), left(axis, widths.axis)];
  return [right(start, half), right(took, half), ...texts, cut(result, widths.result, page)].join(" ");
}

function barOf(row: PictureRow, page: Page): string {
  const filled = signOf(row);
  if (filled === undefined) return "";
  const { from, columns: long } = placeOn(page.axis, page.widths.axis, startOf(row), endOf(row, page.tookMs));
  return " ".repeat(from) + sign(filled, page).repeat("startMs" in row ? long : 1);
}

const sign = (name: Sign, { plain }: PictureView): string => SIGNS[name][plain ? "plain" : "fine"];

/** In as many lines as it takes. */
function legendLines(rows: readonly PictureRow[], page: Page): string[] {
  const used = new Set(rows.map(signOf));
  const lines: string[] = [];
  for (const name of Object.keys(SIGNS) as Sign[]) {
    if (!used.has(name)) continue;
    const entry = `${sign(name, page)} ${PICTURE_SIGNS[name][page.language]}`;
    const longer = `${lines.at(-1) ?? ""}  ${entry}`;
    if (lines.length === 0 || textWidth(longer) > Math.max(NARROWEST, page.columns)) lines.push(entry);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

const said = (what: keyof typeof PICTURE_WORDS, { language }: Page): string => PICTURE_WORDS[what][language];

/** One line that shows every character, no wider than its column. */
function cut(text: string, columns: number, { plain }: PictureView): string {
  const line = spelledOut(text.replaceAll(/[^\S ]+/gu, " "));
  if (textWidth(line) <= columns) return line;
  const mark = plain ? "..." : "…";
  return fitting(line, columns - mark.length) + mark;
}

const left = (text: string, columns: number): string => text + " ".repeat(Math.max(0, columns - textWidth(text)));
const right = (text: string, columns: number): string => " ".repeat(Math.max(0, columns - textWidth(text))) + text;
