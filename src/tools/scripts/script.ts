import type { Interpreter } from "./languages.ts";

/** The tools that a script can call (hermes.md §16). */
export const CALLED: readonly string[] = [
  "read_file",
  "search_files",
  "write_file",
  "patch",
  "terminal",
  "web_search",
  "web_extract",
];

/** Calls of tools by one script (hermes.md §16). */
export const MOST_CALLS = 50;

/** A script as it is judged, shown and run. */
export interface Script extends Interpreter {
  readonly code: string;
  readonly cwd: string;
  readonly timeoutMs: number;
}
