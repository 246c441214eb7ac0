import { type AssistantMessage, callsOf, type ContextPart, type Message, type UserMessage } from "./message.ts";

type History = readonly (Message | undefined)[];

/**
 * What first brought others' words into a conversation, in one short line; undefined: nobody but its user and this program
 * has spoken in it (security.md §3.9). It is read from the whole archive, which no compaction and no restart shortens: what
 * was read once stays read. `isTrusted`: of the tools, by the names models write, whose results are this program's own words.
 */
export function taintIn(history: History, isTrusted: (tool: string) => boolean): string | undefined {
  const names = new Map<string, string>();
  for (const message of history) {
    if (message === undefined) continue;
    if (message.role === "assistant") note(message, names, isTrusted);
    const source = sourceOf(message, names);
    if (source !== undefined && !(message.role === "tool" && isTrusted(source))) return shown(source);
  }
  return undefined;
}

/** What had been said when a model wrote this call: what other calls of the same reply brought, it had not read. */
export function readBefore(history: History, callId: string): History {
  const at = history.findLastIndex(
    (message) => message?.role === "assistant" && callsOf(message).some((call) => call.callId === callId),
  );
  return at < 0 ? history : history.slice(0, at);
}

/** The source of what a memory outside this program recalls: it may have been told by anybody. */
export const RECALLED = "memory";

/** Stands in for a message that was recorded elsewhere: any of its words may be anybody's. */
export const ELSEWHERE = "a conversation from elsewhere";

/** Whose contexts are this program's own words: the time and place of a message, and advisers, who read no more than it. */
export const OWN_SOURCES: ReadonlySet<string> = new Set(["runtime", "advice"]);

/** No tool can have these names. */
const OUTSIDE = "an outside memory";
const PICTURE = "a picture";
/** A receipt of a call that is not known any more. */
const UNKNOWN = "a tool";

/** Two calls of one reply may have the same id: one of them is not trusted. */
function note(message: AssistantMessage, names: Map<string, string>, isTrusted: (tool: string) => boolean): void {
  const own = new Map<string, string>();
  for (const { callId, name } of callsOf(message)) {
    const other = own.get(callId);
    if (other === undefined || isTrusted(other)) own.set(callId, name);
  }
  for (const [callId, name] of own) names.set(callId, name);
}

/** A call that did not run has brought nothing. */
const RAN: ReadonlySet<string> = new Set(["ok", "error", "interrupted"]);

/** Who but the user speaks in a message to the model. */
function sourceOf(message: Message, names: ReadonlyMap<string, string>): string | undefined {
  if (message.role === "tool") return RAN.has(message.status) ? (names.get(message.callId) ?? UNKNOWN) : undefined;
  if (message.tainted !== undefined) return message.tainted;
  return message.role === "user" ? addedTo(message) : undefined;
}

/** Files and pictures that a user shows are chosen by them, and written by anybody. */
function addedTo({ parts }: UserMessage): string | undefined {
  for (const part of parts) {
    const source = part.type === "image" ? PICTURE : part.type === "context" ? contextBy(part) : undefined;
    if (source !== undefined) return source;
  }
  return undefined;
}

/** Who else speaks in a context; undefined: nobody. */
export const contextBy = ({ source }: ContextPart): string | undefined =>
  OWN_SOURCES.has(source) ? undefined : source === RECALLED ? OUTSIDE : source;

/** What the user said and showed alone; that others' words came with it stays known. */
export function withoutContext<M extends Message>(message: M): M {
  if (message.role !== "user") return message;
  const parts = message.parts.filter((part) => part.type !== "context");
  const tainted = message.tainted ?? addedTo(message);
  return { ...message, parts, ...(tainted !== undefined && { tainted }) };
}

/** A person reads it in a question: whoever gave a file or a tool its name must not say more in it than a name. */
const shown = (source: string): string =>
  source
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .trim()
    .slice(0, 80)
    .toWellFormed();
