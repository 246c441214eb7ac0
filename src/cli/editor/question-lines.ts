import { oneLine } from "../../session/plain-text.ts";
import { ignoredKeys } from "../../words/chat.ts";
import type { Language } from "../../words/language.ts";
import type { Io } from "../io.ts";
import type { Surface } from "../screen/surface.ts";
import { InputLines } from "./input-lines.ts";

interface Questions {
  readonly surface: Surface;
  readonly language: Language;
  /** Ctrl-C, where it is no signal. */
  readonly interrupted: () => void;
  readonly ended: () => void;
}

/** A terminal at which questions are answered and nothing else is asked for. */
export function questionLines(io: Io, { surface, language, interrupted, ended }: Questions): InputLines {
  const ignored = (text: string): void => surface.line(ignoredKeys(oneLine(text))[language]);
  const nothing = (): undefined => undefined;
  const events = { typed: ignored, early: ignored, interrupted, ended, ignored, takeBack: nothing, complete: nothing };
  return new InputLines({ io, surface, plainPrompt: "", events });
}
