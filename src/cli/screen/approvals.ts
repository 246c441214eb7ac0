import type { Grant, Plan, Scope } from "../../protocol/approval.ts";
import { plural } from "../../protocol/plural.ts";
import type { TurnEvent } from "../../protocol/fact.ts";
import type { Question } from "../../protocol/question.ts";
import type { WaitingCall } from "../../protocol/outcome.ts";
import { denyAndStop } from "../../session/deny-and-stop.ts";
import type { Lane } from "../../session/lane.ts";
import {
  ALLOW,
  ANSWERS,
  ANSWERS_WITH_RULES,
  NO_RULE,
  ruleText,
  WOULD_ALLOW,
  YES_RULES_NO,
} from "../../words/approvals.ts";
import { questionOf, YES_NO } from "../../words/chat.ts";
import { QUESTION_WORDS } from "../../words/questions.ts";
import type { Language } from "../../words/language.ts";
import { needsApproval } from "../../words/open-turns.ts";
import { spelledOut } from "../../session/plain-text.ts";
import type { InputLines } from "../editor/input-lines.ts";

/** A call may have been asked about in an earlier life of its turn. */
export const mayAsk = ({ type }: TurnEvent): boolean =>
  type === "approval-requested" ||
  type === "question-asked" ||
  type === "money-asked" ||
  type === "turn-unparked" ||
  type === "turn-resumed";

/** Where calls are asked about. */
export interface Asking {
  readonly lines: Pick<InputLines, "question" | "lookAgain">;
  readonly language: Language;
  readonly tell: (line: string) => void;
  /** Told to the turn, which reads it with the receipt of the call. */
  readonly steer: (text: string) => Promise<void>;
}

/**
 * Asks about every call that waits, one after the other; only yes is yes. Other words deny, and are told to the model; an
 * answer reaches the question that it was given to, and no other.
 */
export async function askApprovals(lane: Lane, asking: Asking): Promise<void> {
  const { lines, language, tell } = asking;
  // A turn that ends by itself takes its questions with it.
  const lookAgain = (): void => lines.lookAgain();
  lane.running?.then(lookAgain, lookAgain);
  const { asked } = lane;
  for (const [at, call] of asked.entries()) {
    const isOpen = (): boolean => lane.asked.some(({ approvalId }) => approvalId === call.approvalId);
    if (!isOpen()) continue;
    if (asked.length > 1) tell(questionOf(at + 1, asked.length, call.approvalId)[language]);
    if (call.question !== undefined) {
      await askWords(lane, { ...call, question: call.question }, asking, isOpen);
      continue;
    }
    const grants = lane.wouldLearn(call);
    for (const line of [...callLines(call, language), ...choiceLines(grants, language)]) tell(line);
    const hint = grants.length === 0 ? YES_NO : YES_RULES_NO;
    const answer = (await lines.question(ALLOW[language], hint, isOpen))?.trim() ?? "";
    if (isOpen()) await answerCall(lane, call, { ...asking, answer, hasRules: grants.length > 0 });
  }
}

/** Whatever is said is the answer. */
async function askWords(
  lane: Lane,
  call: WaitingCall & Required<Pick<WaitingCall, "question">>,
  { lines, language, tell }: Asking,
  isOpen: () => boolean,
): Promise<void> {
  for (const line of callLines(call, language)) tell(line);
  const hint = QUESTION_WORDS[call.question.choices.length > 0 ? "hintWithChoices" : "hint"];
  const words = await lines.question(QUESTION_WORDS.prompt[language], `(${hint[language]})`, isOpen);
  if (isOpen()) await lane.answer(call.approvalId, words ?? "");
}

interface Answered extends Pick<Asking, "steer"> {
  readonly answer: string;
  readonly hasRules: boolean;
}

/** What is no answer is no, in other words. */
async function answerCall(
  lane: Lane,
  { approvalId }: WaitingCall,
  { answer, hasRules, steer }: Answered,
): Promise<void> {
  const said = readAnswer(answer, hasRules);
  if (said.type === "stop") return denyAndStop(lane, [approvalId]);
  if (said.type === "words") await steer(answer);
  await lane.approve(approvalId, said.type === "yes", said.type === "yes" ? said.scope : undefined);
}

type Said = { readonly type: "yes"; readonly scope?: Scope } | { readonly type: "no" | "stop" | "words" };

function readAnswer(answer: string, hasRules: boolean): Said {
  if (/^(y|yes|once)$/iu.test(answer)) return { type: "yes" };
  if (/^(no?)?$/iu.test(answer)) return { type: "no" };
  if (/^(x|stop)$/iu.test(answer)) return { type: "stop" };
  if (hasRules && /^(s|session)$/iu.test(answer)) return { type: "yes", scope: "session" };
  if (hasRules && /^(a|always)$/iu.test(answer)) return { type: "yes", scope: "always" };
  return { type: "words" };
}

/** The keys, and exactly the rules that they would write. */
function choiceLines(grants: readonly Grant[], language: Language): string[] {
  if (grants.length === 0) return [`  ${ANSWERS[language]}`];
  return [
    `  ${WOULD_ALLOW[language]}`,
    ...grants.map((grant) => `    ${spelledOut(ruleText(grant)[language])}`),
    `  ${ANSWERS_WITH_RULES[language]}`,
  ];
}

/** All that a person has to know: what wants to run, why it asks, and the whole of it, every character visible. */
export function callLines({ name, input, why, plan, question }: WaitingCall, language: Language): string[] {
  if (question !== undefined) return questionLines(question, language);
  const lines = [...detailLines(name, input), ...(plan === undefined ? [] : planLines(plan, language))];
  return [needsApproval(spelledOut(name), spelledOut(why))[language], ...lines.map((line) => `  ${spelledOut(line)}`)];
}

const questionLines = ({ text, choices }: Question, language: Language): string[] => [
  QUESTION_WORDS.asks[language],
  ...[...text.split("\n"), ...choices.map((choice, at) => `${at + 1}. ${choice}`)].map(
    (line) => `  ${spelledOut(line)}`,
  ),
];

/** What would run, and of a call in several parts each with the rule that could allow it. */
function planLines({ shown, parts }: Plan, language: Language): string[] {
  if (parts.length < 2) return [...shown];
  const rules = parts.map(({ why, grant }, at) => {
    const rule = grant === undefined ? NO_RULE : ruleText(grant);
    return `${at + 1}. ${why} (${rule[language]})`;
  });
  return [...shown, ...rules];
}

function detailLines(name: string, input: string): string[] {
  const fields = fieldsOf(input);
  const { command, path, content, code, ...others } = fields ?? {};
  if (name === "terminal" && typeof command === "string") {
    const [first = "", ...more] = command.split("\n");
    return [`$ ${first}`, ...more.map((line) => `  ${line}`), ...otherLines({ path, content, code, ...others })];
  }
  if (name === "execute_code" && typeof code === "string")
    return [...otherLines({ path, content, command, ...others }), ...contentLines(code, "code")];
  if (name === "write_file" && typeof path === "string" && typeof content === "string")
    return [`path: ${path}`, ...contentLines(content, "content"), ...otherLines({ command, code, ...others })];
  return (name === "patch" ? patchLines(fields) : undefined) ?? input.split("\n");
}

/** What goes and what comes, as a diff has it. */
function patchLines(fields: Record<string, unknown> = {}): string[] | undefined {
  const { path, old_string: old, new_string: now, patch, ...others } = fields;
  if (typeof patch === "string") return [...patch.split("\n"), ...otherLines({ path, old, now, ...others })];
  if (typeof path !== "string" || typeof old !== "string" || typeof now !== "string") return undefined;
  const marked = (text: string, sign: string): string[] => text.split("\n").map((line) => `${sign}${line}`);
  return [`path: ${path}`, ...marked(old, "-"), ...marked(now, "+"), ...otherLines(others)];
}

const otherLines = (fields: Record<string, unknown>): string[] =>
  Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${JSON.stringify(value)}`]));

/** What was not shown cannot be agreed to (security §3.2). */
function contentLines(content: string, called: string): string[] {
  const lines = content.replace(/\n$/u, "").split("\n");
  const size = `${called}: ${plural(Buffer.byteLength(content), "byte")}, ${plural(lines.length, "line")}`;
  return [size, ...lines.map((line) => `| ${line}`)];
}

function fieldsOf(input: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
