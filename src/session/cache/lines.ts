import { adjustmentLine } from "../../words/adjustments.ts";
import {
  adjustmentCause,
  CACHE_COLUMNS,
  COMPACTION_CAUSE,
  farMarkCause,
  HISTORY_CAUSE,
  KEY_CAUSE,
  lifetimeCause,
  messagePlace,
  missLine,
  modelCause,
  NO_MISS,
  NOT_KEPT,
  OTHER_MODEL,
  parameterCause,
  programCause,
  promptCause,
  PROVIDER_CAUSE,
  silentLine,
  systemPlace,
  toolListCause,
  toolPlace,
  toolTextCause,
  TURN_PROMPT_CAUSE,
} from "../../words/cache.ts";
import type { Language, Text } from "../../words/language.ts";
import { COST_WORDS } from "../../words/money.ts";
import { oneLine } from "../plain-text.ts";
import { aligned } from "../table.ts";
import type { Cause } from "./cause.ts";
import type { CacheReport, CacheRow, Differing } from "./report.ts";
import { LOOK_BACK } from "./rules.ts";

/** The report for people: a table, and a line for each miss with where, why and at what price. */
export function cacheLines({ rows, kept, silent }: CacheReport, language: Language): string[] {
  if (rows.length === 0) return [COST_WORDS.nothing[language]];
  const table = [Object.values<Text>(CACHE_COLUMNS).map((head) => head[language]), ...rows.map(cellsOf)];
  const lines = rows.flatMap(linesOf);
  const sure = silent.length === 0 && lines.length === 0 ? [NO_MISS] : [];
  return [
    ...aligned(table, WORDS),
    ...(silent.length === 0 ? [] : [silentLine(silent.map((model) => oneLine(model)).join(", "))[language]]),
    ...(kept ? [...lines, ...sure] : [NOT_KEPT]).map((line) => line[language]),
  ];
}

/** How many of the columns are words. */
const WORDS = 2;

const cellsOf = ({ request, model, input, read, written, predicted, equal, misses }: CacheRow): readonly string[] => [
  String(request),
  oneLine(model),
  ...[input, read, written].map((count) => count?.toLocaleString("en-US") ?? "?"),
  ...[predicted, equal].map((count) => count?.toLocaleString("en-US") ?? ""),
  misses.length === 0 ? "" : misses.reduce((sum, { tokens }) => sum + tokens, 0).toLocaleString("en-US"),
];

/** Where nobody knows what was read, it is told where a request begins otherwise. */
function linesOf({ request, equal, read, input, differs, misses }: CacheRow): Text[] {
  const known = { request, equal: equal ?? 0 };
  if (read === null)
    return input === null || differs === null ? [] : [missLine({ ...known, ...told(differs), missed: undefined })];
  return misses.map((miss) =>
    missLine({ ...known, ...told(miss), missed: { tokens: miss.tokens, usd: miss.cost.usd } }),
  );
}

const told = ({ place, text, cause }: Differing): { readonly place: Text | undefined; readonly cause: Text } => ({
  place: placeWords(place, text, cause),
  cause: causeWords(cause),
});

function placeWords(place: Differing["place"], text: string, cause: Cause): Text | undefined {
  if (place === null) return cause.type === "model-switch" ? OTHER_MODEL : undefined;
  switch (place.type) {
    case "tool":
      return toolPlace(place.index, oneLine(place.name));
    case "system":
      return systemPlace(oneLine(text.replaceAll(/\\[nt]/gu, " "), 40));
    case "message":
      return messagePlace(place.index, place.role);
  }
}

const names = (list: readonly string[]): string => list.map((name) => oneLine(name)).join(", ");
const value = (json: string | null): string | undefined => (json === null ? undefined : oneLine(json, 40));

function causeWords(cause: Cause): Text {
  switch (cause.type) {
    case "model-switch":
      return modelCause(oneLine(cause.from), oneLine(cause.to));
    case "compaction":
      return COMPACTION_CAUSE;
    case "adjustment":
      return adjustmentCause(adjustmentLine(cause.adjustment));
    case "program":
      return programCause(value(cause.from), oneLine(cause.to));
    case "tool-list":
      return toolListCause(names(cause.added), names(cause.removed));
    case "tool-text":
      return toolTextCause(cause.changed);
    case "prompt":
      return promptCause(cause.state, names(cause.parts));
    case "turn-prompt":
      return TURN_PROMPT_CAUSE;
    case "history":
      return HISTORY_CAUSE;
    case "parameter":
      return parameterCause(oneLine(cause.name), value(cause.from), value(cause.to));
    case "key":
      return KEY_CAUSE;
    case "lifetime":
      return lifetimeCause(cause.gapMs, cause.lifetimeMs);
    case "far-mark":
      return farMarkCause(cause.blocks, LOOK_BACK);
    case "provider":
      return PROVIDER_CAUSE;
  }
}
