import { callsOf, type Message } from "./message.ts";

/**
 * The first tool whose result brought others' words into a conversation; undefined: nobody but its user and this program
 * has spoken in it (security.md §3.9). It is read from the whole archive, which no compaction and no restart shortens: what
 * was read once stays read. `isTrusted`: of the tools whose results are this program's own words.
 */
export function taintIn(
  history: readonly (Message | undefined)[],
  isTrusted: (tool: string) => boolean,
): string | undefined {
  const names = new Map<string, string>();
  for (const message of history) {
    if (message === undefined) continue;
    if (message.role === "assistant") for (const { callId, name } of callsOf(message)) names.set(callId, name);
    const source = sourceOf(message, names);
    if (source !== undefined && !isTrusted(source)) return source;
  }
  return undefined;
}

/** The source of what a memory outside this program recalls: it may have been told by anybody. */
export const RECALLED = "memory";

/** No tool can have these names. */
const OUTSIDE = "an outside memory";
/** A receipt of a call that is not known any more. */
const UNKNOWN = "a tool";

/** A call that did not run has brought nothing. */
const RAN: ReadonlySet<string> = new Set(["ok", "error", "interrupted"]);

/** Who but the user speaks in a message to the model. */
function sourceOf(message: Message, names: ReadonlyMap<string, string>): string | undefined {
  if (message.role === "tool") return RAN.has(message.status) ? (names.get(message.callId) ?? UNKNOWN) : undefined;
  if (message.role === "assistant") return undefined;
  return message.parts.some((part) => part.type === "context" && part.source === RECALLED) ? OUTSIDE : undefined;
}
