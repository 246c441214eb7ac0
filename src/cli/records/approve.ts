import type { Grant, RuleBook, Scope } from "../../protocol/approval.ts";
import type { Store } from "../../protocol/store.ts";
import { grantsOf } from "../../session/answer.ts";
import { decideQuestion, openQuestions, type Question } from "../../session/approvals.ts";
import { spelledOut } from "../../session/plain-text.ts";
import { noRuleFor, RULE_WORDS, ruleLine, RULES_WOULD, ruleText } from "../../words/approvals.ts";
import { duration } from "../../words/durations.ts";
import {
  ANSWER_THERE,
  askedAgo,
  askedElsewhere,
  asksItself,
  notWaiting,
  OPEN_TURN_WORDS,
} from "../../words/open-turns.ts";
import { QUESTION_WORDS } from "../../words/questions.ts";
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

export interface Decision extends Asked {
  readonly allow: boolean;
  /** Makes rules of a yes. */
  readonly scope?: Scope;
  /** Ends the turn with a no. */
  readonly stop?: boolean;
  readonly dryRun?: boolean;
  readonly rules: RuleBook;
}

/** `evander approve yes|no ID…`: decides calls of parked turns; nothing is run here. */
export async function decideAll(store: Store, ids: readonly string[], decision: Decision): Promise<void> {
  await decision.rules.ready();
  // All are looked up before the first is decided: a mistyped one changes nothing.
  const questions = ids.map((id) => questionOf(store, id));
  const meant = questions.map((question) => ({ question, grants: grantsFor(question, decision) }));
  for (const each of meant) {
    if (decision.dryRun === true) tellWould(each, decision);
    else await decideOne(store, each, decision);
  }
}

interface Meant {
  readonly question: Question;
  /** What would be written. */
  readonly grants: readonly Grant[];
}

/** Who asks for a rule is told where none can be written, and nothing is decided. */
function grantsFor({ call, turn }: Question, { scope, rules }: Decision): readonly Grant[] {
  if (scope === undefined) return [];
  const covers = call.plan !== undefined && rules.covers(call.plan.parts, turn.sessionId) !== undefined;
  const grants = grantsOf(call, rules, turn.sessionId);
  if (grants.length === 0 && !covers)
    throw usageRefusal(noRuleFor(call.approvalId), { code: "no_rule", steps: [DECIDE] });
  return grants;
}

function tellWould({ question: { call, turn }, grants }: Meant, { allow, io, json, language }: Decision): void {
  const { approvalId, callId, plan } = call;
  if (json)
    return sayJson(io, {
      approvalId,
      callId,
      sessionId: turn.sessionId,
      allow,
      dryRun: true,
      plan: plan ?? null,
      rules: grants,
    });
  for (const line of callLines(call, language)) say(io.stdout, line);
  say(io.stdout, `${RULE_WORDS[allow ? "wouldAllow" : "wouldDeny"][language]}: ${approvalId}`);
  for (const grant of grants) say(io.stdout, `  ${RULES_WOULD[language]} ${spelledOut(ruleText(grant)[language])}`);
}

async function decideOne(store: Store, { question, grants }: Meant, decision: Decision): Promise<void> {
  const { turn, call } = question;
  const { allow, scope, stop, rules, io, json, language } = decision;
  const answer = { allow, ...(grants.length > 0 && { scope }), ...(stop !== undefined && { stop }) };
  const left = await decideQuestion(store, question, answer);
  if (left === undefined) throw gone(call.approvalId);
  const learnt = scope === undefined || grants.length === 0 ? [] : await rules.learn(grants, scope, turn.sessionId);
  const next = stepsOf(turn, nextSteps(left.length > 0 ? [DECIDE] : [RESUME], turn.sessionId, language), io.env);
  if (json) {
    const { approvalId, callId } = call;
    const waiting = left.map((other) => other.approvalId);
    return sayJson(io, { approvalId, callId, sessionId: turn.sessionId, allow, rules: learnt, waiting, next });
  }
  say(
    io.stdout,
    `${OPEN_TURN_WORDS[allow ? "allowed" : "denied"][language]}: ${spelledOut(call.name)} (session ${turn.sessionId})`,
  );
  for (const rule of learnt) say(io.stdout, `  ${RULE_WORDS.wrote[language]} ${ruleLine(rule, Date.now())[language]}`);
  for (const step of next) say(io.stderr, `  ${OPEN_TURN_WORDS.next[language]}: ${stepLine(step, io.env)}`);
}

/** `inWords`: what is to be answered is a question of the model, and no call. */
function questionOf(store: Store, id: string, inWords: boolean = false): Question {
  const [question, ...others] = openQuestions(store).filter(({ call }) => call.approvalId === id);
  if (question === undefined || others.length > 0) throw gone(id);
  const { owner, sessionId } = question.turn;
  if ((question.call.question !== undefined) !== inWords)
    throw usageRefusal(QUESTION_WORDS[inWords ? "isCall" : "isQuestion"], { code: "other_answer", steps: [DECIDE] });
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

/** `evander answer ID WORDS…`: keeps what a person says to a question of a parked turn; nothing is run here. */
export async function answerQuestion(store: Store, id: string, words: string, asked: Asked): Promise<void> {
  const { io, json, language } = asked;
  const question = questionOf(store, id, true);
  const { turn, call } = question;
  const left = await decideQuestion(store, question, { words });
  if (left === undefined) throw gone(id);
  const next = stepsOf(turn, nextSteps(left.length > 0 ? [DECIDE] : [RESUME], turn.sessionId, language), io.env);
  const waiting = left.map((other) => other.approvalId);
  if (json)
    return sayJson(io, {
      approvalId: id,
      callId: call.callId,
      sessionId: turn.sessionId,
      answer: words,
      waiting,
      next,
    });
  say(io.stdout, `${QUESTION_WORDS.answered[language]} (session ${turn.sessionId})`);
  for (const step of next) say(io.stderr, `  ${OPEN_TURN_WORDS.next[language]}: ${stepLine(step, io.env)}`);
}

const gone = (id: string): RefusalError => usageRefusal(notWaiting(id), { code: "not_waiting", steps: [DECIDE] });
