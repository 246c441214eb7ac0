import type { ExitReason } from "../../protocol/exit.ts";
import type { View } from "../state.ts";

/** Replies in a row of which no call could run (row C11). */
const MAX_INVALID_ROUNDS = 3;

export const exitOfInvalidCalls = ({ invalidRounds }: View): ExitReason | undefined =>
  invalidRounds >= MAX_INVALID_ROUNDS ? "invalid_tool_calls" : undefined;
