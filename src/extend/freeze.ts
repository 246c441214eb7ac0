import type { Message } from "../protocol/message.ts";

/** Makes plain data unchangeable, whatever hangs below it. What is frozen already was frozen whole. */
export function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) frozen(inner);
  return value;
}

/** The history as guests see it: a copy of the list, and messages nobody can change. */
export const frozenHistory = (history: readonly (Message | undefined)[]): readonly Message[] =>
  Object.freeze(history.flatMap((message) => (message === undefined ? [] : [frozen(message)])));
