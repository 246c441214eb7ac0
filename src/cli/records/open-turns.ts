import type { BackgroundRow } from "../../protocol/background.ts";
import type { NextStep } from "../../protocol/result.ts";
import type { OpenTurn, Store } from "../../protocol/store.ts";
import type { Waiting } from "../../protocol/waiting.ts";
import { oneLine, printable } from "../../session/plain-text.ts";
import { readTurn } from "../../session/unfinished.ts";
import type { Language, Text } from "../../words/language.ts";
import { backgroundProcess, childOf, OPEN_TURN_WORDS, runningIn } from "../../words/open-turns.ts";
import { DECIDE, nextSteps, RESUME } from "../../words/steps.ts";
import { leftSentence, waitingSentence } from "../../words/waiting.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { flagWords, inProfile, stepLine } from "../next-steps.ts";

/** `running`: its process lives; `parked`: it waits for a person, and no process for it; `left`: its process has gone. */
type Standing = "running" | "parked" | "left";

/**
 * `evander ps`: the turns of this store that have not ended, and what each waits for (row B17), then what runs beside
 * sessions.
 */
export function listOpenTurns(store: Store, processes: readonly BackgroundRow[], { io, json, language }: Asked): void {
  const turns = store.openTurns().map((turn) => describe(turn, { language, env: io.env }));
  if (json) return sayJson(io, [...turns, ...processes.map((row) => ({ ...row, standing: "background" }))]);
  for (const row of processes) say(io.stdout, `${row.sessionId}  ${backgroundLine(row)[language]}`);
  if (turns.length === 0) return say(io.stderr, OPEN_TURN_WORDS.none[language]);
  for (const { sessionId, standing, owner, title, explain, next, madeFor } of turns) {
    const words = standing === "running" && owner !== null ? runningIn(owner.pid) : OPEN_TURN_WORDS[standing];
    const child = madeFor?.purpose === "child" ? `  ${childOf(madeFor.sessionId)[language]}` : "";
    say(io.stdout, `${sessionId}  ${words[language]}  ${oneLine(title)}${child}`);
    say(io.stdout, `  ${printable(explain)}`);
    for (const step of next) say(io.stdout, `  ${OPEN_TURN_WORDS.next[language]}: ${stepLine(step, io.env)}`);
  }
}

const backgroundLine = ({ id, command, pid, isRunning, owner, startedMs }: BackgroundRow): Text =>
  backgroundProcess(`${id}  ${oneLine(command, SHOWN_CHARS)}`, {
    pid: isRunning ? pid : null,
    owner,
    sinceMs: Date.now() - startedMs,
  });

/** Characters of a command. */
const SHOWN_CHARS = 80;

interface Described extends Pick<OpenTurn, "sessionId" | "turnId" | "title" | "owner" | "madeFor"> {
  readonly standing: Standing;
  readonly waiting: Waiting | null;
  readonly explain: string;
  readonly next: readonly NextStep[];
}

interface Reader {
  readonly language: Language;
  readonly env: NodeJS.ProcessEnv;
}

function describe(turn: OpenTurn, { language, env }: Reader): Described {
  const { sessionId, turnId, title, owner, madeFor } = turn;
  const { state, waiting } = readTurn(turn);
  const standing = owner?.alive === true ? "running" : state.parked ? "parked" : "left";
  const told = standing === "running" ? waitingSentence : leftSentence;
  const explain = waiting === undefined ? "" : told(waiting, Date.now(), language);
  const helps = waiting?.type === "approval" ? [DECIDE] : [RESUME];
  // Whoever goes on with its parent goes on with a child too.
  const next = isSelfDriven(standing, turn) ? [] : stepsOf(turn, nextSteps(helps, sessionId, language), env);
  return {
    ...(madeFor && { madeFor }),
    sessionId,
    turnId,
    title,
    standing,
    owner,
    waiting: waiting ?? null,
    explain,
    next,
  };
}

const isSelfDriven = (standing: Standing, { madeFor }: Pick<OpenTurn, "madeFor">): boolean =>
  standing === "running" || madeFor?.purpose === "child";

/** The practice model is named in no variable: whoever goes on with its work has to name it. */
export function stepsOf(
  { facts }: Pick<OpenTurn, "facts">,
  steps: readonly NextStep[],
  env: NodeJS.ProcessEnv,
): NextStep[] {
  const start = facts[0]?.fact;
  const practice = start?.type === "turn-start" && start.provider === "practice";
  const more = practice ? flagWords({ model: "practice" }) : "";
  return steps.map((step) => {
    if (step.command === null) return step;
    const command = step.command.includes(" --") ? `${step.command}${more}` : step.command;
    return { ...step, command: inProfile(command, env) };
  });
}
