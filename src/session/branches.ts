import type { Message, UserMessage } from "../protocol/message.ts";
import { textOf } from "../protocol/message.ts";
import { RECALLED } from "../protocol/taint.ts";
import type { Fork, ForkPlace, Store } from "../protocol/store.ts";
import { isDescription } from "./describe-pictures.ts";
import type { TurnInputs } from "./input.ts";
import { isRuntimeContext } from "./runtime-context.ts";
import { BESIDE } from "./sessions.ts";

/** A message of the user that began a turn. */
export interface Begun {
  readonly seq: number;
  readonly message: UserMessage;
}

/** A fork that left right before a message of the user. */
export interface Left extends Fork {
  /** What it was left before: to be said again, or otherwise. */
  readonly message: UserMessage;
}

/** The messages that began turns, the newest first. */
const begunTurns = (history: readonly (Message | undefined)[]): Begun[] =>
  history
    .flatMap((message, seq) => (message?.role === "user" && message.midTurn !== true ? [{ seq, message }] : []))
    .toReversed();

interface Leaving extends Pick<ForkPlace, "from" | "title"> {
  /** 1: before the last message that began a turn, 2: before the one before it. */
  readonly back: number;
  readonly newSessionId: () => string;
}

/** Undefined when there is no such session, or when not so many messages were said in it. */
export async function leaveBefore(
  store: Store,
  { from, back, title, newSessionId }: Leaving,
): Promise<Left | undefined> {
  const begun = begunTurns(store.history(from) ?? [])[back - 1];
  const fork = begun && (await store.fork(newSessionId(), { from, at: begun.seq, title }));
  return begun && fork && { ...fork, message: begun.message };
}

/** Where a session is left; neither: behind all that its ended turns have brought. */
export interface ForkOptions extends Pick<ForkPlace, "at" | "title"> {
  /** Before the last message that began a turn (1), or one before it; `at` says nothing then. */
  readonly back?: number | undefined;
}

/** Undefined when there is no such session or message. */
export async function forkOf(
  store: Store,
  { from, sessionId, at, back, title }: ForkOptions & { readonly from: string; readonly sessionId: string },
): Promise<Fork | undefined> {
  if (back === undefined) return store.fork(sessionId, { from, at, title });
  const left = await leaveBefore(store, { from, back, title, newSessionId: () => sessionId });
  return left && { sessionId, from, at: left.at, title: left.title };
}

/** What it takes to ask a message again: its text, and what the user had sent with it. */
export function askedAgain(message: UserMessage): { readonly text: string; readonly inputs: TurnInputs } {
  const { sent, parts } = message;
  const text = textOf(message);
  // Behind the time of day stands what others have added by then; they add it anew.
  const own = parts.findIndex(isRuntimeContext);
  const attachments = parts
    .slice(0, own < 0 ? undefined : own)
    .filter((part) => part.type === "image" || part.type === "context")
    .filter((part) => part.type === "image" || !isAddedAnew(part));
  const inputs = { ...(attachments.length > 0 && { attachments }) };
  return sent === undefined ? { text, inputs } : { text: sent, inputs: { ...inputs, persistUserMessage: text } };
}

const isAddedAnew = (part: Extract<UserMessage["parts"][number], { type: "context" }>): boolean =>
  part.skill !== undefined || part.source === RECALLED || part.source === BESIDE || isDescription(part);
