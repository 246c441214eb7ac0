import type { RetryMode } from "../protocol/fact.ts";
import {
  type ContextPart,
  type ImagePart,
  isBlank,
  LARGEST_PICTURE,
  pictureBytes,
  type UserMessage,
  userText,
} from "../protocol/message.ts";
import { OWN_SOURCES } from "../protocol/taint.ts";
import type { Route } from "../protocol/tool.ts";
import type { Text } from "../words/language.ts";
import { pictureTooLarge } from "../words/usage.ts";
import type { Past } from "./replay/past.ts";

/** What a person or program hands in as a message, before anything is kept. */
export type Input = { readonly type: "text"; readonly text: string } | { readonly type: "blank" };

/**
 * Makes text safe to store and to send (row A4): lone surrogates become U+FFFD, NUL is dropped. Text that shows nothing
 * is refused: an empty user message makes every later request of a session illegal.
 */
export function readInput(raw: string): Input {
  const text = raw.toWellFormed().replaceAll("\0", "");
  return isBlank(text) ? { type: "blank" } : { type: "text", text };
}

/** What may come with a user message. */
export interface TurnInputs {
  /** Stored, searched and shown instead of the text, which is what the model is sent (row A15). */
  readonly persistUserMessage?: string | undefined;
  /** Joins the system prompt of this turn, behind the agent's own; kept with the turn, for one that is resumed (row A15). */
  readonly system?: string | undefined;
  /** Appended to the system prompt while this turn runs, and never stored: a resumed turn goes on without it (row A16). */
  readonly ephemeralSystem?: string | undefined;
  /** What the turn works on, for the records. */
  readonly taskId?: string | undefined;
  /** Where the message came from: every tool call of the turn is told (row E13). */
  readonly route?: Route | undefined;
  /** Model calls of this turn; the session's own limit when absent, and in a turn that is resumed. */
  readonly maxIterations?: number | undefined;
  /** What this turn may spend, US dollars; the session's own limit when absent. */
  readonly maxCost?: number | undefined;
  /** How patient this turn is with failures that pass; as the session is when absent. */
  readonly retry?: RetryMode | undefined;
  /** What comes with the text: pictures, and contexts such as a file. */
  readonly attachments?: readonly (ImagePart | ContextPart)[] | undefined;
  /** The name under which this turn can be asked for again; see TurnStart. */
  readonly idempotencyKey?: string | undefined;
}

export interface LaneInputs extends TurnInputs {
  /** The turn goes on from there, and is asked nothing else. */
  readonly past?: Past | undefined;
  /** What has happened since the last turn, in the program's own words: it joins the message. */
  readonly news?: string | undefined;
  /** What brought others' words into what is said. */
  readonly tainted?: string | undefined;
}

/** What is wrong with what comes with a message, before anything is sent; undefined: nothing. */
export function faultInPictures({ attachments = [] }: Pick<TurnInputs, "attachments">): Text | undefined {
  const sizes = attachments.map((part) => (part.type === "image" ? pictureBytes(part) : 0));
  const largest = Math.max(0, ...sizes);
  return largest > LARGEST_PICTURE ? pictureTooLarge(Math.round(largest / 1e6), LARGEST_PICTURE / 1e6) : undefined;
}

/** The message a turn begins with. A text that shows nothing is stored as no other text. */
export function userMessage(
  text: string,
  { persistUserMessage = "", attachments = [], tainted }: LaneInputs,
): UserMessage {
  const persisted = readInput(persistUserMessage);
  const said = persisted.type === "blank" ? userText(text) : { ...userText(persisted.text), sent: text };
  const message = tainted === undefined ? said : { ...said, tainted };
  return attachments.length === 0 ? message : { ...message, parts: [...message.parts, ...attachments.map(named)] };
}

/** What somebody attaches is never taken for the program's own words, whatever it is called. */
const named = <P extends ImagePart | ContextPart>(part: P): P =>
  part.type === "context" && OWN_SOURCES.has(part.source) ? { ...part, source: `${part.source} (attached)` } : part;
