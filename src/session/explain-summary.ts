import {
  cacheBroke,
  effectUnknown,
  failedAlike,
  itAsked,
  itRan,
  lastThing,
  otherModels,
  processDied,
  ranAgain,
  requestsFailed,
  tookLine,
  warnedTimes,
} from "../words/explain.ts";
import type { Language, Text } from "../words/language.ts";
import { costWords } from "../words/money.ts";
import { endOf, type AttemptRow, type PictureRow, type ToolRow, type TurnPicture } from "./picture/picture.ts";
import { resultOf, whatOf } from "./picture/row-words.ts";
import { oneLine } from "./plain-text.ts";

type Gap = Extract<PictureRow, { type: "gap" }>;

/** What was unusual in a turn, and what it took: a few sentences. `causes`: the command that tells why a cache broke. */
export function summaryLines(picture: TurnPicture, causes: string, language: Language): string[] {
  const { rows, exit, cost, usage, iterations } = picture;
  const attempts = rows.filter((row) => row.type === "attempt");
  const tools = rows.filter((row) => row.type === "tool");
  const texts: Text[] = [
    ...(exit === null || exit === "text_response" ? [] : lastOf(rows, language)),
    ...rows.filter((row) => row.type === "gap").flatMap((gap) => deathOf(gap, attempts, tools)),
    ...repeated(tools),
    ...warned(tools),
    ...failed(attempts),
    ...switched(picture, attempts),
  ];
  const breaks = attempts.filter((row) => row.cacheBroke).map(({ iteration }) => iteration);
  if (breaks.length > 0) texts.push(cacheBroke(breaks.join(", "), causes));
  if (attempts.length > 0)
    texts.push(tookLine({ cost: costWords(cost), usage, requests: attempts.length, ...iterations }));
  return texts.map((text) => text[language]);
}

/** The newest attempt or call; what was accepted and what it waited for is told by the steps. */
function lastOf(rows: readonly PictureRow[], language: Language): Text[] {
  const last = rows.findLast((row) => row.type === "attempt" || row.type === "tool");
  if (last === undefined) return [];
  const result = oneLine(resultOf(last, language)[0] ?? "");
  return [lastThing(oneLine(whatOf(last, language).replace(/^[| ] /u, "")), result)];
}

function deathOf(gap: Gap, attempts: readonly AttemptRow[], tools: readonly ToolRow[]): Text[] {
  const at = gap.startMs;
  const ran = tools.filter((row) => row.startMs <= at && endOf(row, at) === at && isCutOff(row));
  const asked = attempts.find((row) => row.end?.type === "lost" && row.endMs === at);
  const running = ran.length > 0 ? itRan(hints(ran)) : asked === undefined ? NOTHING : itAsked(oneLine(asked.model));
  const unknown = ran.filter(({ status }) => status === "interrupted");
  const again = ran.filter(({ status }) => status === null);
  return [
    processDied({ afterMs: at, goneMs: (gap.endMs ?? at) - at, running }),
    ...(unknown.length === 0 ? [] : [effectUnknown(hints(unknown))]),
    ...(again.length === 0 ? [] : [ranAgain(hints(again))]),
  ];
}

const NOTHING: Text = { en: "", zh: "" };

/** Its process went before its receipt was kept: it was told as interrupted, or has a row behind. */
const isCutOff = ({ status, beside }: ToolRow): boolean => beside > 0 && (status === null || status === "interrupted");

const hints = (rows: readonly ToolRow[]): string => rows.map(({ hint }) => oneLine(hint)).join(", ");

/** Fewer are nothing that anybody would call a loop. */
const ALIKE = 3;

function repeated(tools: readonly ToolRow[]): Text[] {
  const failing = Map.groupBy(
    tools.filter(({ status }) => status === "error"),
    ({ hint }) => hint,
  );
  return [...failing]
    .filter(([, rows]) => rows.length >= ALIKE)
    .map(([hint, rows]) => failedAlike(rows.length, tools.length, oneLine(hint)));
}

function warned(tools: readonly ToolRow[]): Text[] {
  const warnings = tools.flatMap(({ warning }) => warning ?? []);
  const codes = [...new Set(warnings.map(({ code }) => code))].join(", ");
  return warnings.length === 0 ? [] : [warnedTimes(warnings.length, codes)];
}

function failed(attempts: readonly AttemptRow[]): Text[] {
  const reasons = attempts.flatMap(({ end }) => (end?.type === "failed" ? [end.reason] : []));
  if (reasons.length === 0) return [];
  return [requestsFailed(reasons.length, attempts.length, [...new Set(reasons)].join(", "))];
}

function switched({ model }: TurnPicture, attempts: readonly AttemptRow[]): Text[] {
  const others = new Set(attempts.flatMap((row) => (row.model === model ? [] : [`${row.provider}/${row.model}`])));
  return others.size === 0 ? [] : [otherModels([...others].map((name) => oneLine(name)).join(", "))];
}
