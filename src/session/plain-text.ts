import type { ToolCallPart } from "../protocol/message.ts";

/**
 * C0, DEL and C1, but for line breaks and tabs: what moves cursors, sets titles and fills clipboards. And what makes a
 * terminal show characters in another order than they stand in (UAX #9: embeddings, overrides, isolates).
 */
const COMMANDING = /[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu;
/** Controls, and all characters that reorder or hide what stands beside them. */
const DECEIVING = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/gu;
const LINE_CHARS = 76;

/** Text that only writes: nothing in it can command a terminal. */
export const printable = (text: string): string => text.replaceAll(COMMANDING, "");

/** One printable line of a text that may be long: no more of it is looked at than it takes. */
export function oneLine(text: string, maxChars: number = LINE_CHARS): string {
  const start = text.length > 8 * maxChars ? flat(text.slice(0, 8 * maxChars)) : "";
  const line = start.length > maxChars ? start : flat(text);
  return line.length > maxChars ? `${line.slice(0, maxChars - 1).toWellFormed()}…` : line;
}

const flat = (text: string): string => printable(text.replaceAll(/\p{Cc}+/gu, " ")).trim();

/** Text a person is to judge: whole, its lines kept, and every character that does not show itself is spelt out. */
export const spelledOut = (text: string): string =>
  text.replaceAll(DECEIVING, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

/** A call as one line: its name and its arguments. Without the call, its id. */
export const describeCall = (callId: string, call: ToolCallPart | undefined): string =>
  call === undefined ? oneLine(callId) : oneLine(`${call.name} ${call.input}`);
