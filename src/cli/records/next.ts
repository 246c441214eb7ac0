import type { Store } from "../../protocol/store.ts";
import type { NextStep } from "../../protocol/result.ts";
import { stepsAfter } from "../../session/explain.ts";
import { isRunnable, nextSteps } from "../../words/steps.ts";
import { say } from "../io.ts";
import { stepLine } from "../next-steps.ts";
import type { Asked } from "../context.ts";
import { stepsOf } from "./open-turns.ts";
import { RefusalError } from "../refusal.ts";

/** `evander next`: the first next step of the newest turn that can be run as it stands; undefined when nothing is to do. */
export function nextStep(store: Store, asked: Asked): NextStep | undefined {
  const turn = store.turn("last");
  if (turn === undefined) throw new RefusalError({ reason: "session_not_found", message: "There is no turn yet." });
  const steps = stepsAfter(turn).filter(isRunnable);
  return stepsOf(turn, nextSteps(steps, turn.sessionId, asked.language), asked.io.env)[0];
}

export function printStep(step: NextStep | undefined, { io, json }: Asked): void {
  if (json) say(io.stdout, JSON.stringify(step ?? null));
  else if (step === undefined) say(io.stderr, "The last turn leaves nothing to run.");
  else say(io.stdout, stepLine(step, io.env));
}

/** The words of a command of ours, behind the name of the program. */
export const wordsOf = (command: string): string[] =>
  [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/gu)].map((match) => match[1] ?? match[2] ?? match[3] ?? "").slice(1);
