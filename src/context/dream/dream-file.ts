import { join } from "node:path";
import { isObject, objectInText } from "../../protocol/json.ts";
import { DISK } from "../disk.ts";
import { textAt } from "./diary.ts";
import type { Notes } from "./edits.ts";

/** What is remembered of dreams between two of them. */
export interface DreamState {
  /** Entries of the diary up to here were read. */
  readonly cursor: number;
  /** Up to when sessions were gathered from, ms since the epoch. */
  readonly gatheredMs: number;
  /** The day of the last dream that nobody asked for, local time. */
  readonly day?: string;
  /** The last one that changed notes. */
  readonly last?: LastDream;
}

export interface LastDream {
  /** ms since the epoch */
  readonly atMs: number;
  /** `begun`: it is not known whether all of it has been written; `undone`: nothing is left of it. */
  readonly state: "begun" | "done" | "undone";
  /** Where the cursor is then. */
  readonly cursor: number;
  /** What the model was shown, and what it has made of that. */
  readonly before: Notes;
  readonly after: Notes;
  /** All notes, as they were when it had been done. */
  readonly left?: Notes;
}

const fileIn = (folder: string): string => join(folder, "dream.json");

/** What is not as it was written counts as not there: then more is read once more, and nothing is undone. */
export function readState(folder: string): DreamState {
  const { cursor, gatheredMs, day, last } = objectInText(textAt(fileIn(folder)) ?? "") ?? {};
  const known = lastIn(last);
  return {
    cursor: isCount(cursor) ? cursor : 0,
    gatheredMs: isCount(gatheredMs) ? gatheredMs : 0,
    ...(typeof day === "string" && { day }),
    ...(known !== undefined && { last: known }),
  };
}

export const writeState = (folder: string, state: DreamState): void =>
  DISK.replace(fileIn(folder), `${JSON.stringify(state, undefined, 1)}\n`);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

const STATES = ["begun", "done", "undone"] as const;

function lastIn(given: unknown): LastDream | undefined {
  if (!isObject(given)) return undefined;
  const { atMs, cursor } = given;
  const state = STATES.find((each) => each === given["state"]);
  const [before, after] = [notesIn(given["before"]), notesIn(given["after"])];
  if (state === undefined || before === undefined || after === undefined) return undefined;
  if (!isCount(atMs) || !isCount(cursor)) return undefined;
  const left = notesIn(given["left"]);
  return { atMs, state, cursor, before, after, ...(left !== undefined && { left }) };
}

function notesIn(given: unknown): Notes | undefined {
  const { memory, user } = isObject(given) ? given : {};
  return isTexts(memory) && isTexts(user) ? { memory, user } : undefined;
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");
