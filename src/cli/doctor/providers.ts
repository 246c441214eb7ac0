import type { Config } from "../../config/config.ts";
import type { ModelNote, ProviderRow } from "../../protocol/provider.ts";
import { printable } from "../../session/plain-text.ts";
import { PROVIDERS } from "../../words/providers.ts";
import type { Adapters } from "../adapters.ts";
import { lookHere } from "../config/look.ts";
import type { Asked } from "../context.ts";
import { type Io, say } from "../io.ts";
import { stepLine } from "../next-steps.ts";
import { modelAsked } from "../set-up.ts";

/** How many models of a provider are shown to people; JSON holds them all. */
const SHOWN_MODELS = 8;

/** All that could be asked from here, with what the config says. */
export function rowsFor(
  adapters: Adapters,
  { io, ask, config }: { readonly io: Io; readonly ask: boolean; readonly config: Config },
): Promise<readonly ProviderRow[]> {
  return adapters.surveyProviders({ ...modelAsked(config, io, io.cwd), ask });
}

/** `evander doctor providers`: one table of all that was found, the chosen one marked. */
export async function listProviders(adapters: Adapters, asked: Asked & { readonly ask: boolean }): Promise<void> {
  const config = await lookHere(asked.io);
  showProviders(await rowsFor(adapters, { ...asked, config }), asked);
}

function showProviders(rows: readonly ProviderRow[], { io, json, language }: Asked): void {
  if (json) return say(io.stdout, JSON.stringify(rows));
  const line = (text: string): void => say(io.stdout, printable(text));
  for (const row of rows) {
    const mark = row.chosen ? "*" : " ";
    const key = row.keyFingerprint === null ? "" : `  ${PROVIDERS.key[language]} #${row.keyFingerprint}`;
    line(`${mark} ${row.provider.padEnd(14)} ${PROVIDERS.state[row.state][language].padEnd(12)} ${row.source}${key}`);
    for (const model of row.models.slice(0, SHOWN_MODELS)) line(`      ${modelLine(model, language)}`);
    const more = row.models.length - SHOWN_MODELS;
    if (more > 0) line(`      ${PROVIDERS.more(more)[language]}`);
    if (row.tokens !== null) line(`      ${PROVIDERS.tokens(row.tokens)[language]}`);
    if (row.problem !== null) line(`      ${row.problem}`);
    for (const step of row.next) line(`      ${PROVIDERS.next[language]}: ${stepLine(step, io.env)}`);
  }
  if (!rows.some((row) => row.chosen)) line(PROVIDERS.none[language]);
}

function modelLine({ id, contextWindow, longestContext, tools }: ModelNote, language: Asked["language"]): string {
  const window = contextWindow ?? longestContext;
  const parts = [
    ...(window === null ? [] : [PROVIDERS.window(window, contextWindow === null)[language]]),
    PROVIDERS.tools(tools)[language],
  ];
  return `${id}  (${parts.join(", ")})`;
}
