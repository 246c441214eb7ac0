import type { Store } from "../../protocol/store.ts";
import { decideQuestion, openQuestions, type Question } from "../../session/approvals.ts";
import { spelledOut } from "../../session/plain-text.ts";
import { duration } from "../../words/durations.ts";
import {
  ANSWER_THERE,
  askedAgo,
  askedElsewhere,
  asksItself,
  notWaiting,
  OPEN_TURN_WORDS,
} from "../../words/open-turns.ts";
import { DECIDE, nextSteps, RESUME } from "../../words/steps.ts";
import { callLines } from "../screen/approvals.ts";
import { say, sayJson } from "../io.ts";
import { stepLine } from "../next-steps.ts";
import type { Asked } from "../context.ts";
import { stepsOf } from "./open-turns.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";

/** `evander approve list`: the calls of all sessions that wait for a person. */
export function listQuestions(store: Store, { io, json, language }: Asked): void {
  const questions = openQuestions(store);
  if (json) return sayJson(io, questions.map(asRecord));
  if (questions.length === 0) return say(io.stderr, OPEN_TURN_WORDS.nothingWaits[language]);
  for (const { turn, call, askedMs } of questions) {
    const ms = Math.max(0, Date.now() - askedMs);
    const asked = askedAgo(turn.sessionId, { en: duration(ms, "en"), zh: duration(ms, "zh") });
    say(io.stdout, `${call.approvalId}  ${asked[language]}`);
    for (const line of callLines(call, language)) say(io.stdout, `  ${line}`);
    if (turn.owner?.alive === true) say(io.stdout, `  ${asksItself(turn.owner.pid)[language]}`);
  }
}

const asRecord = ({ turn, call, askedMs }: Question): object => {
  const { sessionId, turnId, owner } = turn;
  return { ...call, sessionId, turnId, askedMs, owner };
};

interface Decision extends Asked {
  readonly allow: boolean;
}

/** `evander approve yes|no ID…`: decides calls of parked turns; nothing is run here. */
export async function decideAll(store: Store, ids: readonly string[], decision: Decision): Promise<void> {
  // All are looked up before the first is decided: a mistyped one changes nothing.
  const questions = ids.map((id) => questionOf(store, id));
  for (const question of questions) await decideOne(store, question, decision);
}

async function decideOne(store: Store, question: Question, decision: Decision): Promise<void> {
  const { turn, call } = question;
  const { allow, io, json, language } = decision;
  const left = await decideQuestion(store, question, { allow });
  if (left === undefined) throw gone(call.approvalId);
  const next = stepsOf(turn, nextSteps(left.length > 0 ? [DECIDE] : [RESUME], turn.sessionId, language), io.env);
  if (json) {
    const { approvalId, callId } = call;
    const waiting = left.map((other) => other.approvalId);
    return sayJson(io, { approvalId, callId, sessionId: turn.sessionId, allow, waiting, next });
  }
  say(
    io.stdout,
    `${OPEN_TURN_WORDS[allow ? "allowed" : "denied"][language]}: ${spelledOut(call.name)} (session ${turn.sessionId})`,
  );
  for (const step of next) say(io.stderr, `  ${OPEN_TURN_WORDS.next[language]}: ${stepLine(step, io.env)}`);
}

function questionOf(store: Store, id: string): Question {
  const [question, ...others] = openQuestions(store).filter(({ call }) => call.approvalId === id);
  if (question === undefined || others.length > 0) throw gone(id);
  const { owner, sessionId } = question.turn;
  if (owner?.alive === true)
    throw new RefusalError({
      reason: "session_busy",
      code: "asked_elsewhere",
      message: askedElsewhere(owner.pid, owner.host),
      sessionId,
      steps: [ANSWER_THERE],
    });
  return question;
}

const gone = (id: string): RefusalError => usageRefusal(notWaiting(id), { code: "not_waiting", steps: [DECIDE] });
