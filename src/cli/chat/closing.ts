import type { TurnResult } from "../../protocol/result.ts";
import { answeredLine, goesOnWith, unfinishedTurn } from "../../words/chat.ts";
import type { Language } from "../../words/language.ts";
import { filesChangedBy } from "../../words/turn-files.ts";
import type { Flags } from "../flags.ts";
import { flagWords, inConversation, runnable, withFlags } from "../next-steps.ts";
import type { Opened } from "./opening.ts";
import { endLines } from "../output.ts";

interface Viewer {
  readonly env: NodeJS.ProcessEnv;
  readonly language: Language;
}

interface Ending extends Viewer {
  readonly flags: Flags;
  /** Who is asked. */
  readonly model: Opened["model"] | undefined;
  /** Whoever asked can just type on. */
  readonly goesOn: boolean;
}

/** How a turn ended: a quiet line for an answer, else a sentence and what helps. */
export function closingLines(result: TurnResult, { env, language, flags, model, goesOn }: Ending): string[] {
  if (!result.ok) return endLines(withFlags(goesOn ? inConversation(result) : result, flags, env), env, language);
  const { iterations, retries, durationMs, cost } = result;
  const isOther = model !== undefined && (result.model !== model.name || result.provider !== model.provider);
  const by = isOther ? `${result.provider}/${result.model}` : undefined;
  const { length } = result.files;
  const files = length === 0 ? [] : [filesChangedBy(length, "/diff /undo")[language]];
  return [answeredLine({ by, iterations: iterations.used, retries, durationMs, cost }, language), ...files];
}

interface Leaving extends Viewer {
  readonly flags: Flags;
  readonly unfinished: boolean;
}

/** The command that goes on where somebody has left. */
export function resumeLine(sessionId: string, { env, language, flags, unfinished }: Leaving): string {
  const words = unfinished ? `session resume ${sessionId} --continue` : `--resume ${sessionId}`;
  return goesOnWith(runnable(`evander ${words}${flagWords(flags)}`, env))[language];
}

export function unfinishedLine(sessionId: string, flags: Flags, { env, language }: Viewer): string {
  const command = runnable(`evander session resume ${sessionId} --continue${flagWords(flags)}`, env);
  return unfinishedTurn(command)[language];
}
