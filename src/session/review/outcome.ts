import { callsOf, type Message, textOf, type ToolCallPart } from "../../protocol/message.ts";
import { PROPOSED, UNCHANGED } from "../../protocol/memory.ts";
import { NOTES_TOOL, SKILLS_TOOL } from "./due.ts";

/** One thing that a review has changed. */
export type ReviewDeed =
  | { readonly type: "note"; readonly do: "add" | "replace" | "remove"; readonly text: string }
  | { readonly type: "skill"; readonly do: string; readonly name: string };

/** What a review has come to. */
export interface ReviewOutcome {
  /** Of the session that was looked back at, and its last turn then. */
  readonly sessionId: string;
  readonly turnId: string;
  /** Where the review itself is kept. */
  readonly reviewId: string | null;
  readonly deeds: readonly ReviewDeed[];
  /** Changes that wait for a person's decision, since others' words had been read. */
  readonly waiting: { readonly notes: number; readonly skills: number };
}

interface Written {
  readonly deeds: readonly ReviewDeed[];
  readonly waiting: ReviewOutcome["waiting"];
}

/**
 * What successful calls have changed in these messages (hermes.md §19): each call once, and none of those `before`, which were
 * made in the conversation itself.
 */
export function writtenIn(messages: readonly Message[], before: ReadonlySet<string> = new Set()): Written {
  const deeds: ReviewDeed[] = [];
  const waiting = { notes: 0, skills: 0 };
  const told = new Set(before);
  const calls = new Map<string, ToolCallPart>();
  for (const message of messages) {
    if (message.role === "assistant") for (const call of callsOf(message)) calls.set(call.callId, call);
    if (message.role !== "tool" || message.status !== "ok" || told.has(message.callId)) continue;
    told.add(message.callId);
    const deed = deedOf(calls.get(message.callId));
    if (deed === undefined || isUnchanged(message)) continue;
    if (!isProposed(message)) deeds.push(deed);
    else waiting[deed.type === "note" ? "notes" : "skills"]++;
  }
  return { deeds, waiting };
}

const isProposed = (receipt: Message): boolean => textOf(receipt).startsWith(PROPOSED);
const isUnchanged = (receipt: Message): boolean => textOf(receipt).startsWith(UNCHANGED);

function deedOf(call: ToolCallPart | undefined): ReviewDeed | undefined {
  if (call?.name !== NOTES_TOOL && call?.name !== SKILLS_TOOL) return undefined;
  const input = inputOf(call);
  const action = wordIn(input, "action");
  if (call.name === SKILLS_TOOL) return { type: "skill", do: action, name: wordIn(input, "name") };
  if (action !== "add" && action !== "replace" && action !== "remove") return undefined;
  return { type: "note", do: action, text: wordIn(input, action === "remove" ? "old_text" : "content") };
}

/** It has run, so it was readable, if need be after a repair. */
function inputOf({ input }: ToolCallPart): object {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

const wordIn = (input: object, key: string): string => {
  const value: unknown = Reflect.get(input, key);
  return typeof value === "string" ? value : "";
};
