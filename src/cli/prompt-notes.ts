import type { TurnEvent } from "../protocol/fact.ts";
import type { PromptPart } from "../protocol/prompt.ts";
import { oneLine } from "../session/plain-text.ts";
import type { Language } from "../words/language.ts";
import { noteTold } from "../words/prompt-notes.ts";
import { runnable } from "./next-steps.ts";

/** A warning, with its code for programs. */
export interface Warned {
  readonly code: string;
  readonly message: string;
}

/** No path and no list makes a line that nobody reads to its end. */
const MAX_CHARS = 600;

/** What whoever asked should know of the prompt that a session was given. */
export function promptWarnings(event: TurnEvent, language: Language, env: NodeJS.ProcessEnv): Warned[] {
  return event.type === "prompt-built" ? event.parts.flatMap((part) => warningOf(part, language, env)) : [];
}

/** None, or one. */
export function warningOf(
  part: Pick<PromptPart, "note" | "source">,
  language: Language,
  env: NodeJS.ProcessEnv,
): Warned[] {
  const told = noteTold(part);
  if (told === undefined) return [];
  const { text, command } = told;
  const hint = command === undefined ? "" : ` (${runnable(command, env)})`;
  return [
    {
      code: `prompt_${part.note?.type.replaceAll("-", "_") ?? "note"}`,
      message: oneLine(`${text[language]}${hint}`, MAX_CHARS),
    },
  ];
}
