import { textOf } from "../../protocol/message.ts";
import type { NoteBook, Written } from "../../protocol/memory.ts";
import type { NextStep } from "../../protocol/result.ts";
import type { Store } from "../../protocol/store.ts";
import { oneLine, spelledOut } from "../../session/plain-text.ts";
import type { Language, Text } from "../../words/language.ts";
import { begunBy, explainStep, learntIn, MEMORY_WORDS, onDay } from "../../words/memory.ts";
import { nextSteps } from "../../words/steps.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { inProfile, stepLine } from "../next-steps.ts";
import { asRecord } from "./list.ts";
import { indented, minuteOf, namedNote } from "./notes.ts";

/** Opens the store only where something names a turn. */
export type WithStore = <T>(use: (store: Store) => T) => Promise<T>;

/** Where something is known from. */
export interface Origin {
  /** Null: no session is named, or it is not there any more. */
  readonly session: { readonly sessionId: string; readonly title: string } | null;
  /** The message that began the turn; null: it is not known. */
  readonly message: string | null;
}

/** The session and the message behind what was written. */
export async function originOf(written: Written | undefined, withStore: WithStore): Promise<Origin> {
  const { sessionId, turnId } = written ?? {};
  if (sessionId === undefined && turnId === undefined) return { session: null, message: null };
  return withStore((store) => {
    const turn = turnId === undefined ? undefined : store.turn(turnId);
    const record = store.record(sessionId ?? turn?.sessionId ?? "");
    const start = turn?.facts[0]?.fact;
    return {
      session: record === undefined ? null : { sessionId: record.sessionId, title: oneLine(record.title) },
      message: start?.type === "turn-start" ? textOf(start.message) : null,
    };
  });
}

/** In words, a line each: who wrote it when, and what it was answered to. */
export function originLines(
  written: Written | undefined,
  origin: Origin,
  { language, waits = false }: { readonly language: Language; readonly waits?: boolean },
): string[] {
  if (written === undefined) return [MEMORY_WORDS.handWritten[language]];
  const { message, session } = origin;
  const begun = message === null ? [] : [begunBy(`“${oneLine(message, MOST_CHARS)}”`)[language]];
  const gone = written.turnId !== undefined && session === null ? [MEMORY_WORDS.sessionGone[language]] : [];
  return [
    `${onDay(minuteOf(written.atMs), waits)[language]}: ${whoWrote(written, origin)[language]}`,
    ...begun,
    ...gone,
  ];
}

/** Of a message that began a turn. */
const MOST_CHARS = 200;

function whoWrote({ by, sessionId = "", turnId = "" }: Written, { session }: Origin): Text {
  switch (by) {
    case "person":
      return MEMORY_WORDS.wasPerson;
    case "dream":
      return MEMORY_WORDS.wasDream;
    case "turn":
    case "review":
      return learntIn(by, spelledOut(turnId), session ?? { sessionId: spelledOut(sessionId), title: "" });
  }
}

/** `evander memory why NOTE`: which turn wrote it, and what began that turn. */
export async function whyNote(
  book: NoteBook,
  asked: string,
  how: Asked & { readonly withStore: WithStore },
): Promise<void> {
  const { io, json, language, withStore } = how;
  const note = namedNote(book, asked);
  const { written, text, number } = note;
  const origin = await originOf(written, withStore);
  // What is not kept any more cannot be explained.
  const steps = written?.turnId !== undefined && origin.message !== null ? [explainStep(written.turnId)] : [];
  const next = nextSteps(steps, undefined, language);
  if (json) return sayJson(io, { ...asRecord(note), ...origin, next: next.map((step) => here(step, io.env)) });
  say(io.stdout, `${number}  ${indented(text, "   ")}`);
  for (const line of originLines(written, origin, { language })) say(io.stdout, `   ${line}`);
  for (const step of next) say(io.stderr, `   ${stepLine(step, io.env)}`);
}

/** The step with a command that stays in the profile that is asked. */
export const here = (step: NextStep, env: NodeJS.ProcessEnv): NextStep => ({
  ...step,
  command: step.command === null ? null : inProfile(step.command, env),
});
