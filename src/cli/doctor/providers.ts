import type { Config } from "../../config/config.ts";
import type { ModelNote, ProviderRow } from "../../protocol/provider.ts";
import { printable } from "../../session/plain-text.ts";
import { type Language, type Text, wordsIn } from "../../words/language.ts";
import { PROVIDERS } from "../../words/providers.ts";
import type { Adapters } from "../adapters.ts";
import { lookHere } from "../config/look.ts";
import { modelAsked } from "../../config/model-asked.ts";
import type { Asked } from "../context.ts";
import { type Io, say, sayJson } from "../io.ts";
import { runnable, stepIn, stepLine } from "../next-steps.ts";

/** How many models of a provider are shown to people; JSON holds them all. */
const SHOWN_MODELS = 8;

/** All that could be asked from here, with what the config says. */
export function rowsFor(
  adapters: Adapters,
  { io, ask, config }: { readonly io: Io; readonly ask: boolean; readonly config: Config },
): Promise<readonly ProviderRow[]> {
  return adapters.surveyProviders({ ...modelAsked(config, io, io.cwd), ask: ask ? "all" : "nothing" });
}

/** `evander doctor providers`: one table of all that was found, the chosen one marked. */
export async function listProviders(adapters: Adapters, asked: Asked & { readonly ask: boolean }): Promise<void> {
  const config = await lookHere(asked.io);
  showProviders(await rowsFor(adapters, { ...asked, config }), asked);
}

function showProviders(rows: readonly ProviderRow[], asked: Asked): void {
  const { io, json, language } = asked;
  if (json)
    return sayJson(
      io,
      rows.map((row) => rowIn(row, language)),
    );
  for (const row of rows) for (const line of rowLines(row, asked)) say(io.stdout, printable(line));
  if (rows.some((row) => row.chosen)) return;
  for (const text of [PROVIDERS.none, PROVIDERS.looked]) say(io.stdout, text[language]);
  for (const { text, command } of PROVIDERS.steps)
    say(io.stdout, `  ${PROVIDERS.next[language]}: ${text[language]}: ${runnable(command, io.env)}`);
}

/** A row of the table in one language, for machines. */
const rowIn = (row: ProviderRow, language: Language): ProviderRow => ({
  ...row,
  problem: row.problem === null ? null : wordsIn(row.problem, language),
  next: row.next.map((step) => stepIn(step, language)),
});

/** A row of the table as people see it. */
function rowLines(row: ProviderRow, { io, language }: Asked): string[] {
  const mark = row.chosen ? "*" : " ";
  const key = row.keyFingerprint === null ? "" : `  ${PROVIDERS.key[language]} #${row.keyFingerprint}`;
  const more = row.models.length - SHOWN_MODELS;
  const below = [
    ...row.models.slice(0, SHOWN_MODELS).map((model) => modelLine(model, language)),
    ...(row.state === "ready" && row.models.length === 0 ? [PROVIDERS.unlisted[language]] : []),
    ...(more > 0 ? [PROVIDERS.more(more)[language]] : []),
    ...(row.tokens === null ? [] : [PROVIDERS.tokens(row.tokens)[language]]),
    ...(row.problem === null ? [] : [wordsIn(row.problem, language)]),
    ...row.next.map((step) => `${PROVIDERS.next[language]}: ${stepLine(stepIn(step, language), io.env)}`),
  ];
  const head = `${mark} ${row.provider.padEnd(14)} ${PROVIDERS.state[row.state][language].padEnd(12)} ${row.source}${key}`;
  return [head, ...below.map((line) => `      ${line}`)];
}

export function modelLine(
  { id, contextWindow, longestContext, tools }: ModelNote,
  language: Language,
  more: readonly Text[] = [],
): string {
  const window = contextWindow ?? longestContext;
  const parts = [
    ...(window === null ? [] : [PROVIDERS.window(window, contextWindow === null)[language]]),
    PROVIDERS.tools(tools)[language],
    ...more.map((text) => text[language]),
  ];
  return `${id}  (${parts.join(", ")})`;
}
