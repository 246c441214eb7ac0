import { printable, oneLine } from "../../session/plain-text.ts";
import { contextReport, type ContextAsked, type ContextReport } from "../../session/context-report.ts";
import { aligned } from "../../session/table.ts";
import type { Store } from "../../protocol/store.ts";
import {
  compactionWords,
  CONTEXT_WORDS,
  contextHead,
  COUNTED,
  historyWords,
  PROMPT_FROM,
  reportedWords,
  TIERS,
  windowWords,
} from "../../words/context.ts";
import type { Language } from "../../words/language.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { warningOf } from "../prompt-notes.ts";
import type { Headless } from "../prompt/run.ts";
import { existingSession } from "../refusal.ts";
import { findModel, openRuntime, placeOf } from "../set-up.ts";

interface Showing extends Asked {
  /** Both undefined: of a session that would begin here and now. */
  readonly store?: Store;
  readonly session?: string;
}

/** `evander context show`: what the next request of a session is made of. No model is asked anything. */
export async function showContext(run: Headless, { store, session, ...asked }: Showing): Promise<void> {
  const { io, json, language } = asked;
  const found = session === undefined ? undefined : store && sessionOf(store, existingSession(store, session));
  const place = await placeOf(run, true);
  const search = await findModel(run, place);
  const model = search.type === "found" ? search : ({ type: "practice" } as const);
  // What it is opened on is closed with it.
  const scratch = await run.adapters.memoryStore();
  const runtime = await openRuntime(run, place, { model, store: scratch, approvals: "never", attended: true });
  try {
    const name = search.type === "found" ? search : search.type === "practice" ? PRACTICE : undefined;
    const exact = name && (await run.adapters.exactTokens(name.model));
    const report = await contextReport({ ...runtime, model: name, exact, session: found });
    if (json) return sayJson(io, report);
    for (const line of contextLines(report, language)) say(io.stdout, printable(line));
    for (const part of report.prompt.parts)
      for (const { message } of warningOf(part, language, io.env)) say(io.stdout, `! ${message}`);
  } finally {
    await runtime.close();
  }
}

const PRACTICE = { model: "practice", provider: "practice" };

function sessionOf(store: Store, sessionId: string): NonNullable<ContextAsked["session"]> {
  return {
    sessionId,
    history: store.history(sessionId) ?? [],
    facts: store.record(sessionId)?.facts ?? [],
    prompt: store.prompt(sessionId),
  };
}

/** As a table, for people. */
function contextLines(report: ContextReport, language: Language): string[] {
  const { sessionId, model, provider, prompt, tools, history, compaction, tokens, reportedTokens } = report;
  const word = (of: keyof typeof CONTEXT_WORDS): string => CONTEXT_WORDS[of][language];
  const rows = [
    [word("part"), "", word("tokens"), word("source")],
    ...prompt.parts.map(({ tier, name, tokens: own, source }) => [
      TIERS[tier][language],
      oneLine(name),
      String(own),
      source === undefined ? word("program") : oneLine(source, MAX_PATH),
    ]),
    [word("tools"), String(tools.names.length), String(tools.tokens), oneLine(tools.names.join(", "))],
    [
      word("history"),
      historyWords({ ...history, sent: history.sent.messages })[language],
      String(history.sent.tokens),
      "",
    ],
    [word("sum"), "", String(tokens), fullness(report, language)],
  ];
  return [
    contextHead(sessionId, model === null ? word("noModel") : oneLine(`${provider}/${model}`))[language],
    "",
    ...aligned(rows, 2),
    ...(compaction === null ? [] : [compactionWords(compaction)[language]]),
    ...(reportedTokens === null ? [] : [reportedWords(reportedTokens)[language]]),
    ...(report.counted ? [COUNTED[language]] : []),
    ...(prompt.state === "built" ? [] : [PROMPT_FROM[prompt.state][language]]),
  ];
}

/** Columns of a path. */
const MAX_PATH = 200;

function fullness({ full, contextWindow }: ContextReport, language: Language): string {
  if (full === null || contextWindow === null) return "";
  return windowWords((100 * full).toFixed(1), contextWindow)[language];
}
