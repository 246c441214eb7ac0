import type { Cost } from "../../protocol/money.ts";
import { exitWords } from "../../words/exits.ts";
import { type Language, type Text, wordsIn } from "../../words/language.ts";
import { costWords } from "../../words/money.ts";
import {
  ANSWERED_END,
  callsAsked,
  filesTouched,
  PICTURE_MARKS,
  PICTURE_WORDS,
  RECEIPT_WORDS,
  RUNG_WORDS,
  tokensOf,
  tryNumber,
  warnedAt,
  workOf,
} from "../../words/picture.ts";
import { PURPOSES } from "../../words/timeline.ts";
import { turnCounts } from "../../words/totals.ts";
import type { AttemptRow, BesideRow, ChildRow, PersonRow, PictureRow, ToolRow, TurnPicture } from "./picture.ts";

const said = (what: keyof typeof PICTURE_WORDS, language: Language): string => PICTURE_WORDS[what][language];

/** What a row is, in a few words. What stands in them is not clean: whoever draws it spells it out. */
export function whatOf(row: PictureRow, language: Language): string {
  switch (row.type) {
    case "attempt":
      return attemptWhat(row, language);
    case "tool":
      return `${row.beside > 1 ? "| " : "  "}${row.hint}`;
    case "wait":
    case "summary":
      return `  ${said(row.type, language)}`;
    case "person":
      return `  ? ${personWhat(row, language)}`;
    case "phase":
      return said(row.phase, language);
    case "child":
      return `  > ${said("child", language)}: ${row.asked}`;
    case "beside":
      return `${row.after ? "" : "  "}+ ${PURPOSES[row.purpose][language]}: ${row.model}`;
    case "mark": {
      const text = wordsIn(row.text, language);
      return `${PICTURE_MARKS[row.mark][language]}${text === "" ? "" : `: ${text}`}`;
    }
    case "parked":
    case "gap":
    case "end":
      return said(row.type, language);
  }
}

function personWhat({ about, hint }: PersonRow, language: Language): string {
  if (about === "money") return `${said("moreMoney", language)} ${hint}`;
  return about === "question" ? `${said("question", language)}: ${hint}` : hint;
}

function attemptWhat({ iteration, tries, model, grace, rung }: AttemptRow, language: Language): string {
  const how = [
    ...(grace ? [said("grace", language)] : []),
    ...(rung === null ? [] : [RUNG_WORDS[rung][language]]),
    ...(tries > 1 ? [tryNumber(tries)[language]] : []),
  ];
  return `${iteration} ${model}${how.length === 0 ? "" : ` (${how.join(", ")})`}`;
}

/** What came of it, the most important first: where there is little room, the others go. */
export function resultOf(row: PictureRow, language: Language): string[] {
  switch (row.type) {
    case "attempt":
      return attemptResult(row, language);
    case "tool":
      if (row.status !== null) return toolResult(row, language);
      return row.endMs === null ? [] : [said("lost", language)];
    case "person":
      return [personResult(row, language)];
    case "child":
      return childResult(row, language);
    case "beside":
      return besideResult(row, language);
    case "end":
      return [row.exit];
    case "phase":
    case "wait":
    case "summary":
    case "parked":
    case "gap":
    case "mark":
      return [];
  }
}

function attemptResult({ end, refunded, usage, cost, cacheBroke }: AttemptRow, language: Language): string[] {
  return [
    `${end === null ? "" : endWords(end, language)}${refunded ? ` (${said("refunded", language)})` : ""}`,
    ...(cacheBroke ? [said("cacheBroke", language)] : []),
    ...(usage === null ? [] : [tokensOf(usage)[language]]),
    ...(cost === null ? [] : [costOf(cost, language)]),
  ];
}

const costOf = (cost: Cost, language: Language): string => costWords(cost)[language];

function endWords(end: NonNullable<AttemptRow["end"]>, language: Language): string {
  switch (end.type) {
    case "calls":
      return callsAsked(end.count)[language];
    case "failed":
      return end.status === null ? end.reason : `${end.status} ${end.reason}`;
    default:
      return said(end.type, language);
  }
}

/** A word of the user on the receipt is told first, so that it is never cut off. */
function toolResult({ status, detail, steered, files, warning }: ToolRow, language: Language): string[] {
  const word = RECEIPT_WORDS[status ?? "ok"][language];
  const plus = steered ? `+ ${PICTURE_MARKS.steer[language]}, ` : "";
  const told = status === "ok" && detail !== "" ? detail : status === "error" ? `${word}: ${detail}` : word;
  return [
    plus + told,
    ...(warning === null ? [] : [warnedAt(warning)[language]]),
    ...(files === 0 ? [] : [filesTouched(files)[language]]),
  ];
}

function personResult({ about, allowed }: PersonRow, language: Language): string {
  if (about === "question") return said(allowed === true ? "answered" : "unanswered", language);
  return said(allowed === null ? "undecided" : allowed ? "allowed" : "denied", language);
}

const childResult = ({ exit, iterations, calls, cost, turnId }: ChildRow, language: Language): string[] => [
  exit ?? said("goesOn", language),
  workOf(iterations, calls)[language],
  costOf(cost, language),
  turnId,
];

const besideResult = ({ exit, usage, cost, sessionId }: BesideRow, language: Language): string[] => [
  exit,
  tokensOf(usage)[language],
  costOf(cost, language),
  ...(sessionId === null ? [] : [sessionId]),
];

/** What a bar is filled with. */
export type Sign = "model" | "tool" | "wait" | "person" | "mark" | "refund" | "own" | "gap" | "child";

/** Undefined: it has no bar. */
export function signOf(row: PictureRow): Sign | undefined {
  switch (row.type) {
    case "attempt":
      return row.refunded ? "refund" : "model";
    case "tool":
    case "wait":
    case "person":
    case "child":
    case "gap":
    case "mark":
      return row.type;
    case "summary":
      return "model";
    case "phase":
      return "own";
    case "parked":
      return "person";
    case "beside":
      return "mark";
    case "end":
      return undefined;
  }
}

/** `p m · 3 iterations · … · 2 s`, with what it cost. */
export function titleOf(
  { provider, model, rows, tookMs, iterations, retries, cost }: TurnPicture,
  language: Language,
): string {
  const tools = rows.filter((row) => row.type === "tool");
  const failed = tools.filter(({ status }) => status === "error").length;
  const counts = { iterations: iterations.used, retries, calls: tools.length, failed, spanMs: tookMs };
  const asked = model === provider ? model : `${provider} ${model}`;
  const price = rows.some((row) => row.type === "attempt") ? ` · ${costOf(cost, language)}` : "";
  return `${asked} · ${turnCounts(counts, language)}${price}`;
}

/** Why it ended, in a sentence; undefined while it goes on. */
export function endSentence({ exit }: TurnPicture, language: Language): string | undefined {
  if (exit === null) return undefined;
  const words: Text = exitWords(exit)?.explain ?? ANSWERED_END;
  return `${exit}: ${words[language]}`;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

/** Nine characters at most: `12 ms`, `1.25 s`, `3 min`, `27 h`. */
export function spanWords(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 600_000) return seconds(ms);
  return ms < 6_000_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}

/** How long a row took; empty for a moment. */
export function tookWords(row: PictureRow, language: Language): string {
  if (!("startMs" in row)) return "";
  if (row.endMs === null) return said("goesOn", language);
  return row.startMs === row.endMs ? "" : spanWords(row.endMs - row.startMs);
}
