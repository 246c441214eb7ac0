import type { ExitReason } from "../../../src/protocol/exit.ts";
import { explanationAction } from "../../../src/session/finalise.ts";
import { exitWords } from "../../../src/words/exits.ts";
import type { Json } from "../case-file.ts";
import { objectOf, textOf } from "../input.ts";

/** The recorded exit carries its detail in brackets. */
const reasonOf = (exit: Json | undefined): ExitReason =>
  textOf(exit, "exit_reason").replace(/\(.*$/su, "") as ExitReason;

/** `{exit_reason}`: whether there is something to say. */
export function explainerCase(input: Json): unknown {
  const { exit_reason: exit } = objectOf(input, "input");
  const words = exitWords(reasonOf(exit));
  return { has_text: words !== undefined && words.explain.en !== "" && words.explain.zh !== "" };
}

/** `{final_text, exit_reason, interrupted}`: what the explanation does to what is shown. */
export function explainerActionCase(input: Json): unknown {
  const { final_text: answer, exit_reason: exit, interrupted } = objectOf(input, "input");
  const explain = exitWords(reasonOf(exit))?.explain.en ?? null;
  const action = explanationAction({
    answer: answer === null ? null : textOf(answer, "final_text"),
    exit: { explain },
    interrupted: interrupted === true,
  });
  return { action };
}
