import { setImmediate as afterInput } from "node:timers/promises";
import { InputLines } from "./input-lines.ts";
import type { Io } from "./io.ts";
import { RefusalError } from "./refusal.ts";

/** Asks at a terminal; only a yes that was typed after the question is one. Where nobody can be asked it is refused. */
export async function confirm(io: Io, question: string): Promise<boolean> {
  if (io.stdin.isTTY !== true)
    throw new RefusalError({
      reason: "usage_error",
      message: "Nobody can be asked here: add --yes to do it, or --dry-run to see what would change.",
      next: [],
    });
  const ignore = (): void => undefined;
  const over = (): void => {
    ended = true;
    lines.lookAgain();
  };
  let ended = false;
  const lines = new InputLines(io, { urgent: () => false, interrupted: over, queued: ignore, ended: over });
  try {
    // What was typed before lies in the terminal; it is taken here, and is no part of the answer.
    await afterInput();
    await afterInput();
    const answer = await lines.question(`${question} [y/N] `, () => !ended);
    return /^y(?:es)?$/iu.test(answer.trim());
  } finally {
    lines.close();
  }
}
