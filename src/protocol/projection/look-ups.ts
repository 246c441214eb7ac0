import { callsOf, type Message } from "../message.ts";

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

const isLookUp = (tool: string): boolean => LOOK_UPS.has(tool);

/** The places of what look-ups found, from this one on; of a receipt whose call stands before it, nobody knows. */
export function lookUpsIn(history: readonly (Message | undefined)[], from: number = 0): number[] {
  let names = new Map<string, string>();
  const places: number[] = [];
  for (let at = from; at < history.length; at++) {
    const message = history[at];
    if (message?.role === "assistant") names = new Map(callsOf(message).map(({ callId, name }) => [callId, name]));
    if (message?.role === "tool" && isLookUp(names.get(message.callId) ?? "")) places.push(at);
  }
  return places;
}
