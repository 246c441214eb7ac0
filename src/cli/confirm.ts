import { YES_NO } from "../words/chat.ts";
import { NOBODY_TO_ASK } from "../words/usage.ts";
import { questionLines } from "./editor/question-lines.ts";
import { languageFor } from "./flags.ts";
import type { Io } from "./io.ts";
import { usageRefusal } from "./refusal.ts";
import { isDumb, Surface } from "./screen/surface.ts";

/** Asks at a terminal; only a yes that was typed after the question is one. Where nobody can be asked it is refused. */
export const confirm = async (io: Io, question: string): Promise<boolean> => isYes(await answerTo(io, question));

export const isYes = (answer: string): boolean => /^y(?:es)?$/iu.test(answer);

/** What was typed after the question; empty where it was left open. Where nobody can be asked it is refused. */
export async function answerTo(io: Io, question: string): Promise<string> {
  const questions = openQuestions(io);
  try {
    return await questions.answer(question);
  } finally {
    questions.close();
  }
}

/** Several questions, one after the other; behind one that was left open nobody is asked any more. */
export interface Questions {
  readonly answer: (question: string) => Promise<string>;
  readonly close: () => void;
}

/** Where nobody can be asked it is refused. Whoever opens it closes it. */
export function openQuestions(io: Io): Questions {
  if (io.stdin.isTTY !== true) throw usageRefusal(NOBODY_TO_ASK);
  const surface = new Surface(io, { plain: isDumb(io) });
  const over = (): void => {
    ended = true;
    lines.lookAgain();
  };
  let ended = false;
  const lines = questionLines(io, { surface, language: languageFor({}, io.env), interrupted: over, ended: over });
  return {
    answer: async (question) => (await lines.question(`${question} `, YES_NO, () => !ended))?.trim() ?? "",
    close: () => {
      lines.close();
      surface.close();
    },
  };
}
