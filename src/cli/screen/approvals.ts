import { plural } from "../../protocol/plural.ts";
import type { TurnEvent } from "../../protocol/fact.ts";
import type { WaitingCall } from "../../protocol/outcome.ts";
import type { Lane } from "../../session/lane.ts";
import { ALLOW, questionOf, YES_NO } from "../../words/chat.ts";
import type { Language } from "../../words/language.ts";
import { needsApproval } from "../../words/open-turns.ts";
import { spelledOut } from "../../session/plain-text.ts";
import type { InputLines } from "../editor/input-lines.ts";

/** A call may have been asked about in an earlier life of its turn. */
export const mayAsk = ({ type }: TurnEvent): boolean =>
  type === "approval-requested" || type === "money-asked" || type === "turn-unparked" || type === "turn-resumed";

/** Where calls are asked about. */
export interface Asking {
  readonly lines: InputLines;
  readonly language: Language;
  readonly tell: (line: string) => void;
  /** Told to the turn, which reads it with the receipt of the call. */
  readonly steer: (text: string) => Promise<void>;
}

/** Asks about every call that waits, one after the other; only yes is yes. Other words deny, and are told to the model. */
export async function askApprovals(lane: Lane, { lines, language, tell, steer }: Asking): Promise<void> {
  // A turn that ends by itself takes its questions with it.
  const lookAgain = (): void => lines.lookAgain();
  lane.running?.then(lookAgain, lookAgain);
  const { asked } = lane;
  for (const [at, call] of asked.entries()) {
    const isOpen = (): boolean => lane.asked.some(({ callId }) => callId === call.callId);
    if (!isOpen()) continue;
    if (asked.length > 1) tell(questionOf(at + 1, asked.length)[language]);
    for (const line of callLines(call, language)) tell(line);
    const answer = (await lines.question(ALLOW[language], YES_NO, isOpen))?.trim() ?? "";
    if (!isOpen()) continue;
    const yes = /^y(es)?$/iu.test(answer);
    if (!yes && !/^(no?)?$/iu.test(answer)) await steer(answer);
    await lane.approve(call.callId, yes);
  }
}

/** All that a person has to know: what wants to run, why it asks, and the whole of it, every character visible. */
export function callLines({ name, input, why }: WaitingCall, language: Language): string[] {
  return [
    needsApproval(spelledOut(name), spelledOut(why))[language],
    ...detailLines(name, input).map((line) => `  ${spelledOut(line)}`),
  ];
}

function detailLines(name: string, input: string): string[] {
  const fields = fieldsOf(input);
  const { command, path, content, ...others } = fields ?? {};
  if (name === "terminal" && typeof command === "string") {
    const [first = "", ...more] = command.split("\n");
    return [`$ ${first}`, ...more.map((line) => `  ${line}`), ...otherLines({ path, content, ...others })];
  }
  if (name === "write_file" && typeof path === "string" && typeof content === "string")
    return [`path: ${path}`, ...contentLines(content), ...otherLines({ command, ...others })];
  return input.split("\n");
}

const otherLines = (fields: Record<string, unknown>): string[] =>
  Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${JSON.stringify(value)}`]));

const SHOWN_LINES = 20;
const SHOWN_CHARS = 200;

function contentLines(content: string): string[] {
  const lines = content.replace(/\n$/u, "").split("\n");
  const shown = lines.slice(0, SHOWN_LINES).map((line) => `| ${cut(line)}`);
  const more = lines.length - shown.length;
  const size = `content: ${plural(Buffer.byteLength(content), "byte")}, ${plural(lines.length, "line")}`;
  return [size, ...shown, ...(more > 0 ? [`… and ${more} more`] : [])];
}

const cut = (line: string): string =>
  line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}… (${line.length - SHOWN_CHARS} more characters)` : line;

function fieldsOf(input: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
