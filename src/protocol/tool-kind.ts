/**
 * Tools that look something up: what they found can be had again, so it is the first that is shortened (row F2). Ours,
 * and those that other runtimes have under these names (nanobot.md §8).
 */
const LOOK_UPS: ReadonlySet<string> = new Set([
  "read_file",
  "search_files",
  "terminal",
  "exec",
  "grep",
  "find_files",
  "list_dir",
  "list_exec_sessions",
  "process",
  "session_search",
  "web_search",
  "web_extract",
  "web_fetch",
]);

export const isLookUp = (tool: string): boolean => LOOK_UPS.has(tool);
