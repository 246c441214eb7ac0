import { callsOf, type ContextPart, type Message, textOf, type ToolCallPart, type UserMessage } from "./message.ts";

type History = readonly (Message | undefined)[];
/** Whether what this tool returned are this program's own words; the name as models write it. */
export type IsTrusted = (tool: string, result: string) => boolean;

/**
 * What first brought others' words into a conversation, in one short line; undefined: nobody but its user and this program
 * has spoken in it (security.md §3.9). It is read from the whole archive, which no compaction and no restart shortens: what
 * was read once stays read.
 */
export function taintIn(history: History, isTrusted: IsTrusted): string | undefined {
  const names = new Map<string, readonly string[]>();
  for (const message of history) {
    if (message === undefined) continue;
    if (message.role === "assistant")
      // Two calls of one reply may have the same id: both must be trusted.
      for (const [callId, calls] of Map.groupBy(callsOf(message), (call) => call.callId))
        names.set(
          callId,
          calls.map(({ name }) => name),
        );
    const source = sourceOf(message, names, isTrusted);
    if (source !== undefined) return shown(source);
  }
  return undefined;
}

/** What a model knew when it wrote a call, and what it wrote with it. */
export interface Written {
  /** What had been said before: what other calls of the same reply brought, it had not read. */
  readonly before: History;
  /** All calls of that reply. */
  readonly reply: readonly ToolCallPart[];
}

export function whenWritten(history: History, callId: string): Written {
  const at = history.findLastIndex(
    (message) => message?.role === "assistant" && callsOf(message).some((call) => call.callId === callId),
  );
  const message = history[at];
  if (message?.role !== "assistant") return { before: history, reply: [] };
  return { before: history.slice(0, at), reply: callsOf(message) };
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
const PROJECT = "a skill of the project";
/** A receipt of a call that is not known any more. */
const UNKNOWN = "a tool";

/** How calls ended that may have brought something: one that did not run has not. */
export const RAN: ReadonlySet<string> = new Set(["ok", "error", "interrupted"]);

/** Who but the user speaks in a message to the model. */
function sourceOf(
  message: Message,
  names: ReadonlyMap<string, readonly string[]>,
  isTrusted: IsTrusted,
): string | undefined {
  if (message.role === "tool") {
    if (!RAN.has(message.status)) return undefined;
    const called = names.get(message.callId) ?? [UNKNOWN];
    return called.find((name) => !isTrusted(name, textOf(message)));
  }
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
function contextBy({ source, skill }: ContextPart): string | undefined {
  if (skill !== undefined) return skill === "project" ? PROJECT : undefined;
  return OWN_SOURCES.has(source) ? undefined : source === RECALLED ? OUTSIDE : source;
}

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
