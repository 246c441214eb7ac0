import { exitWords } from "../../words/exits.ts";
import type { Language, Text } from "../../words/language.ts";
import {
  ANSWERED_END,
  callsAsked,
  PICTURE_MARKS,
  PICTURE_SIGNS,
  PICTURE_WORDS,
  RECEIPT_WORDS,
  RUNG_WORDS,
  tryNumber,
} from "../../words/picture.ts";
import { turnCounts } from "../../words/totals.ts";
import { spelledOut } from "../plain-text.ts";
import { fitting, textWidth } from "../text-width.ts";
import type { AttemptEnd, AttemptRow, PictureRow, ToolRow, TurnPicture } from "./rows.ts";
import { type TimeAxis, timeAxis } from "./time-axis.ts";

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

type Sign = keyof typeof PICTURE_SIGNS;

const SIGNS: Readonly<Record<Sign, { readonly fine: string; readonly plain: string }>> = {
  model: { fine: "█", plain: "#" },
  tool: { fine: "▓", plain: "=" },
  wait: { fine: "░", plain: "." },
  person: { fine: "▒", plain: "?" },
  mark: { fine: "▲", plain: "^" },
  refund: { fine: "▚", plain: "%" },
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

/** One row a line: when it began, how long it took, what it was, its bar on the axis of time, what came of it. */
export function pictureLines(picture: TurnPicture, view: PictureView): string[] {
  const room = Math.max(NARROWEST, view.columns) - TIMES - 2;
  const [what, axisColumns] = [Math.floor(room * SHARE.what), Math.floor(room * SHARE.axis)];
  const page: Page = {
    ...view,
    axis: timeAxis(picture.rows, picture.tookMs, axisColumns),
    widths: { what, axis: axisColumns, result: room - what - axisColumns },
    tookMs: picture.tookMs,
  };
  return [
    titleLine(picture, page),
    headLine(page),
    ...picture.rows.map((row) => rowLine(row, page)),
    legendLine(picture.rows, page),
    ...(page.axis.shortened ? [PICTURE_WORDS.shortened[view.language]] : []),
    ...endLine(picture, page),
  ].map((line) => line.trimEnd());
}

function titleLine({ provider, model, rows, tookMs, iterations, retries }: TurnPicture, page: Page): string {
  const tools = rows.filter((row) => row.type === "tool");
  const failed = tools.filter(({ status }) => status === "error").length;
  const counts = { iterations: iterations.used, retries, calls: tools.length, failed, spanMs: tookMs };
  const asked = model === provider ? model : `${provider} ${model}`;
  const text = `${spelledOut(asked)} · ${turnCounts(counts, page.language)}`;
  return page.plain ? text.replaceAll("·", "|") : text;
}

function headLine(page: Page): string {
  const { widths, tookMs } = page;
  const [from, to] = ["0", seconds(tookMs)];
  const axis = `${from}${" ".repeat(Math.max(1, widths.axis - from.length - to.length))}${to}`;
  return columns([said("start", page), said("took", page), said("what", page), axis, said("result", page)], page);
}

function rowLine(row: PictureRow, page: Page): string {
  const [start, end] = row.type === "mark" || row.type === "end" ? [row.atMs, row.atMs] : [row.startMs, row.endMs];
  const took = start === end ? "" : end === null ? said("goesOn", page) : span(end - start);
  return columns([span(start), took, whatOf(row, page), barOf(row, page), resultOf(row, page)], page);
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

function whatOf(row: PictureRow, page: Page): string {
  const { language } = page;
  switch (row.type) {
    case "attempt":
      return attemptWhat(row, page);
    case "tool":
      return `  ${row.hint}`;
    case "wait":
      return `  ${said("wait", page)}`;
    case "person":
      return `  ? ${row.hint}`;
    case "parked":
      return said("parked", page);
    case "mark":
      return `${PICTURE_MARKS[row.mark][language]}${row.text === "" ? "" : `: ${row.text}`}`;
    case "end":
      return said("end", page);
  }
}

function attemptWhat({ iteration, tries, model, grace, rung }: AttemptRow, page: Page): string {
  const how = [
    ...(grace ? [said("grace", page)] : []),
    ...(rung === null ? [] : [RUNG_WORDS[rung][page.language]]),
    ...(tries > 1 ? [tryNumber(tries)[page.language]] : []),
  ];
  return `${iteration} ${model}${how.length === 0 ? "" : ` (${how.join(", ")})`}`;
}

function resultOf(row: PictureRow, page: Page): string {
  switch (row.type) {
    case "attempt": {
      const end = row.end === null ? "" : endOf(row.end, page);
      return row.refunded ? `${end} (${said("refunded", page)})` : end;
    }
    case "tool":
      if (row.status !== null) return toolResult(row, page);
      return row.endMs === null ? "" : said("lost", page);
    case "person":
      return said(row.allowed === null ? "undecided" : row.allowed ? "allowed" : "denied", page);
    case "end":
      return row.exit;
    case "wait":
    case "parked":
    case "mark":
      return "";
  }
}

function endOf(end: AttemptEnd, page: Page): string {
  switch (end.type) {
    case "calls":
      return callsAsked(end.count)[page.language];
    case "failed":
      return end.status === null ? end.reason : `${end.status} ${end.reason}`;
    default:
      return said(end.type, page);
  }
}

/** A word of the user on the receipt is told first, so that it is never cut off. */
function toolResult({ status, detail, steered }: ToolRow, page: Page): string {
  const word = RECEIPT_WORDS[status ?? "ok"][page.language];
  const plus = steered ? `+ ${PICTURE_MARKS.steer[page.language]}, ` : "";
  if (status === "ok") return plus + (detail === "" ? word : detail);
  return plus + (status === "error" ? `${word}: ${detail}` : word);
}

function signOf(row: PictureRow): Sign {
  switch (row.type) {
    case "attempt":
      return row.refunded ? "refund" : "model";
    case "tool":
    case "wait":
    case "person":
    case "mark":
      return row.type;
    case "parked":
      return "person";
    case "end":
      return "mark";
  }
}

function barOf(row: PictureRow, page: Page): string {
  if (row.type === "end") return "";
  const [start, end] = row.type === "mark" ? [row.atMs, row.atMs] : [row.startMs, row.endMs ?? page.tookMs];
  const { from, columns: long } = page.axis.place(start, end);
  return " ".repeat(from) + sign(signOf(row), page).repeat(row.type === "mark" ? 1 : long);
}

const sign = (name: Sign, { plain }: PictureView): string => SIGNS[name][plain ? "plain" : "fine"];

function legendLine(rows: readonly PictureRow[], page: Page): string {
  const used = new Set(rows.flatMap((row) => (row.type === "end" ? [] : [signOf(row)])));
  const known = (Object.keys(SIGNS) as Sign[]).filter((name) => used.has(name));
  return known.map((name) => `${sign(name, page)} ${PICTURE_SIGNS[name][page.language]}`).join("  ");
}

function endLine({ exit }: TurnPicture, { language }: Page): string[] {
  if (exit === null) return [];
  const words: Text = exitWords(exit)?.explain ?? ANSWERED_END;
  return [`${exit}: ${words[language]}`];
}

const said = (what: keyof typeof PICTURE_WORDS, { language }: Page): string => PICTURE_WORDS[what][language];

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

/** Nine characters at most: `12 ms`, `1.25 s`, `3 min`, `27 h`. */
function span(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 600_000) return seconds(ms);
  return ms < 6_000_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}

/** One line that shows every character, no wider than its column. */
function cut(text: string, columns: number, { plain }: PictureView): string {
  const line = spelledOut(text.replaceAll(/[^\S ]+/gu, " "));
  if (textWidth(line) <= columns) return line;
  const mark = plain ? "..." : "…";
  return fitting(line, columns - mark.length) + mark;
}

const left = (text: string, columns: number): string => text + " ".repeat(Math.max(0, columns - textWidth(text)));
const right = (text: string, columns: number): string => " ".repeat(Math.max(0, columns - textWidth(text))) + text;
