import { lostReceipt } from "../../src/protocol/history.ts";
import { textOf } from "../../src/protocol/message.ts";
import { OMITTED_RESULT } from "../../src/protocol/openai.ts";
import type { SymbolMatcher } from "./compare.ts";

const is =
  (ours: string): SymbolMatcher =>
  (actual) =>
    actual === ours;

/** Our own texts behind the symbols of the case files. */
export const SYMBOLS: ReadonlyMap<string, SymbolMatcher> = new Map<string, SymbolMatcher>([
  ["<STUB>", is(textOf(lostReceipt("")))],
  ["$BACKFILL", is(textOf(lostReceipt("")))],
  ["$INTERRUPTED_TOOL", is(textOf(lostReceipt("")))],
  ["$INTERRUPTED_TURN", (actual) => /^\[no answer: \w+\]$/u.test(String(actual))],
  ["$OMITTED_RESULT", is(OMITTED_RESULT)],
]);
