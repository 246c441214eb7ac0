import type { NextStep } from "../../protocol/result.ts";
import type { Store } from "../../protocol/store.ts";
import { stepsAfter } from "../../session/explain.ts";
import { readTurn } from "../../session/unfinished.ts";
import { wordsIn } from "../../words/language.ts";
import { NEXT_WORDS, needsValues, noSuchStep, notOurs, runsOne } from "../../words/next.ts";
import { blanksOf, filled, nextSteps } from "../../words/steps.ts";
import { RECORD_WORDS } from "../../words/records.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { runnable, stepLine } from "../next-steps.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";
import { stepsOf } from "./open-turns.ts";

/** A step as `evander next` counts them, from 1. */
export interface Numbered extends NextStep {
  readonly n: number;
  /** What must be written behind its number to run it. */
  readonly takes: readonly string[];
}

/** What helps after the newest turn. Throws RefusalError when there is none. */
export function numberedSteps(store: Store, asked: Asked): Numbered[] {
  const turn = store.turn("last");
  if (turn === undefined) throw new RefusalError({ reason: "session_not_found", message: RECORD_WORDS.noTurn });
  return stepsAfter(readTurn(turn)).flatMap((step, at) => {
    const shown = stepsOf(turn, nextSteps([step], turn.sessionId, asked.language), asked.io.env);
    return shown.map((next) => ({ n: at + 1, takes: blanksOf(step), ...next }));
  });
}

export function printSteps(steps: readonly Numbered[], { io, json, language }: Asked): void {
  if (json) return sayJson(io, steps);
  if (steps.length === 0) return say(io.stderr, wordsIn(NEXT_WORDS.nothing, language));
  for (const step of steps) say(io.stdout, `${step.n}  ${stepLine(step, io.env)}`);
  say(io.stderr, wordsIn(runsOne(runnable("evander next N", io.env)), language));
}

/** The words of the command that step `n` runs; it is shown before. Throws RefusalError. */
export function commandOf(steps: readonly Numbered[], [n = "", ...values]: readonly string[], asked: Asked): string[] {
  const step = steps.find((each) => String(each.n) === n);
  if (step === undefined) throw usageRefusal(noSuchStep(n, steps.length));
  const { command, takes } = step;
  if (command === null || !/^evander\b/u.test(command)) throw usageRefusal(notOurs(n, stepLine(step, asked.io.env)));
  if (values.length !== takes.length) throw usageRefusal(needsValues(n, takes, command));
  const whole = filled(command, values);
  say(asked.io.stderr, `→ ${runnable(whole, asked.io.env)}`);
  return wordsOf(whole);
}

/** The words of a command of ours, behind the name of the program, as a shell reads them. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\])+/gu)]
    .map(([word]) => word.replaceAll(/"([^"]*)"|'([^']*)'|\\(.)/gu, "$1$2$3"))
    .slice(1);
