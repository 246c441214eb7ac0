import type { ExitReason, RefusalReason } from "../exit.ts";
import { type Message, textOf } from "../message.ts";

/** Closes a history to which the model gave no last word (row B7). It is for people and for the archive. */
export const noAnswer = (exit: ExitReason | RefusalReason): string => `[no answer: ${exit}]`;

/** The second is nanobot's, whose histories can be taken over (nanobot.md §8). */
const PLACEHOLDER = /^\s*\[(?:no answer: \w+|Previous assistant message omitted\.)\]\s*$/u;

/** What stands for an answer that never came: the model has not said it, and reads it neither here nor in a summary. */
export const isPlaceholder = (message: Message): boolean =>
  message.role === "assistant" &&
  message.parts.every(({ type }) => type !== "tool-call") &&
  PLACEHOLDER.test(textOf(message));
