import { lostReceipt } from "../../src/protocol/history.ts";
import { textOf } from "../../src/protocol/message.ts";
import { OMITTED_RESULT } from "../../src/protocol/openai.ts";
import type { ExitReason } from "../../src/protocol/exit.ts";
import { EARLIER_MESSAGES } from "../../src/protocol/projection/project.ts";
import { exitWords } from "../../src/words/exits.ts";
import type { SymbolMatcher } from "./compare.ts";

const is =
  (ours: string): SymbolMatcher =>
  (actual) =>
    actual === ours;

const begins =
  (ours: string): SymbolMatcher =>
  (actual) =>
    String(actual).startsWith(ours);

/** How the turn ended, as people are told and as it stands in the history. */
const ends =
  (exit: ExitReason): SymbolMatcher =>
  (actual) =>
    actual === `[no answer: ${exit}]` || String(actual).startsWith(exitWords(exit)?.explain.en ?? "\0");

/** What tells the model how to go on after a failure: other tools, or a warning behind a call that failed before. */
const ADVICE = /(?:The tools are: |\[warn \w+_failure_warning )/u;

/** Tools of which a case may say that their output was left out. */
const SHORTENED = [
  "read_file",
  "exec",
  "grep",
  "find_files",
  "web_search",
  "web_fetch",
  "list_dir",
  "list_exec_sessions",
];

const isShortened: SymbolMatcher = (actual) =>
  /^\[\d+ characters of old output were left out.*do not repeat the call unchanged\]$/su.test(String(actual));

/** Our own texts behind the symbols of the case files. */
export const SYMBOLS: ReadonlyMap<string, SymbolMatcher> = new Map<string, SymbolMatcher>([
  ["<STUB>", is(textOf(lostReceipt("")))],
  ["$BACKFILL", is(textOf(lostReceipt("")))],
  ["$INTERRUPTED_TOOL", is(textOf(lostReceipt("")))],
  ["$INTERRUPTED_TURN", (actual) => /^\[no answer: \w+\]$/u.test(String(actual))],
  ["$OMITTED_RESULT", is(OMITTED_RESULT)],
  ["$EMPTY_FINAL", ends("empty_response_exhausted")],
  ["$MAX_ITERATIONS", ends("max_iterations_reached")],
  ["$DEFAULT_ERROR", begins("The provider rejected the request")],
  ["$MODEL_ERROR_PLACEHOLDER", (actual) => /^\[no answer: \w+\]$/u.test(String(actual))],
  ["$FINALIZE", begins("You have not answered yet.")],
  ["$CONTINUE_AFTER_LENGTH", begins("Your last reply was cut off at the output limit")],
  ["$BUDGET_FINALIZE", begins("The iteration limit is reached.")],
  ["$SYNTHETIC_USER", is(EARLIER_MESSAGES)],
  ["$IMAGE_PLACEHOLDER", (actual) => /\[image[^\]]*\] \(this model cannot see pictures\)$/u.test(String(actual))],
  ["$NUDGE", begins("Your last reply was empty.")],
  [
    "$REPEAT_LOOKUP_BLOCKED",
    (actual) => String(actual).includes("Not run: this was looked up with the same arguments"),
  ],
  ["$WRAPPED_AS_UNTRUSTED", begins("<untrusted_tool_result source=")],
  ["$RETRY_HINT", (actual) => ADVICE.test(String(actual))],
  ["$IS_UNKNOWN_TOOL_ERROR", (actual) => /^(?:There is no tool named |This call names no tool)/u.test(String(actual))],
  ...["$COMPACTED", ...SHORTENED.map((tool) => `$COMPACTED:${tool}`)].map((symbol): [string, SymbolMatcher] => [
    symbol,
    isShortened,
  ]),
  // Siblings of a call that cannot run are run, so nothing of ours says that one was left out because of the other.
  ["$IS_SKIPPED_SIBLING", () => false],
]);
