import type { Informant, PluginTurn, Told } from "../protocol/extension.ts";
import { assistantText, type Message, textOf, type UserMessage, userText } from "../protocol/message.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import type { RunSpec } from "./run-spec.ts";
import type { RunResult } from "./turn-handle.ts";

const SOURCE = "advice";

const SYSTEM =
  "You advise another model, which answers its user and has tools; you have none. Say in at most 300 words how you would " +
  "answer the newest message: what matters, what to check first, where it is easy to go wrong. Answer the question itself " +
  "where you can. The user does not read what you say.";

/** Nobody waits longer for advice, ms. */
const LIMIT_MS = 60_000;

/** What advisers read of what was said before, and what is taken of each of them, characters. */
const MOST_READ = 40_000;
const MOST_TAKEN = 8_000;

/** Another model that says how it would answer. */
export interface Adviser {
  readonly name: string;
  /** An abort ends the run soon. */
  readonly run: (spec: RunSpec, signal: AbortSignal) => Promise<RunResult>;
}

export interface Council {
  readonly advisers: readonly Adviser[];
  /** What the turn of this session may still spend, US dollars; undefined: as much as it takes. */
  readonly leftUsd: (sessionId: string) => Promise<number | undefined>;
}

/**
 * Asks all advisers at once, once per turn (row A11); each may spend its share of what the turn has left. What one says
 * joins the message, in the order in which they are named; one that fails is named and costs nothing else.
 */
export const adviceFrom =
  ({ advisers, leftUsd }: Council): Informant =>
  async (turn) => {
    const left = await leftUsd(turn.sessionId).catch(() => undefined);
    const share = left !== undefined && left > 0 ? { maxCost: left / advisers.length } : {};
    const spec: RunSpec = { ...question(turn), ...share, system: SYSTEM, purpose: "advice", maxTimeMs: LIMIT_MS };
    const told = await Promise.all(advisers.map((adviser) => adviceOf(adviser, spec, turn.signal)));
    return {
      contexts: told.flatMap(({ contexts }) => contexts),
      // Whoever stopped the turn knows why nobody was heard.
      troubles: turn.signal.aborted ? [] : told.flatMap(({ troubles }) => troubles),
    };
  };

async function adviceOf({ name, run }: Adviser, spec: RunSpec, signal: AbortSignal): Promise<Told> {
  const named = (why: string): string => `adviser ${name}: ${why}`;
  try {
    const { ok, answer, error, exit, cleanupErrors } = await run(spec, signal);
    const troubles = cleanupErrors.map(named);
    if (!ok || answer === null) return { contexts: [], troubles: [named(error?.message ?? exit.reason), ...troubles] };
    const text = `${name} says:\n${shortened(answer)}`;
    return { contexts: [{ type: "context", source: SOURCE, text }], troubles };
  } catch (error) {
    return { contexts: [], troubles: [named(reasonOf(error))] };
  }
}

const shortened = (text: string): string =>
  text.length <= MOST_TAKEN ? text : `${text.slice(0, MOST_TAKEN).replace(/[\uD800-\uDBFF]$/, "")}\n… (cut)`;

/** The newest message with all that stands on it, and what was said before, without tools: advisers have none. */
function question({
  sessionId,
  messages,
}: PluginTurn): Pick<RunSpec, "prompt" | "attachments" | "messages" | "parent"> {
  const asked = messages.at(-1) as UserMessage;
  const attachments = asked.parts.filter((part) => part.type !== "text");
  return {
    prompt: asked.sent ?? textOf(asked),
    attachments,
    messages: saidIn(messages.slice(0, -1)),
    parent: sessionId,
  };
}

/** The newest of it that they have time to read. */
function saidIn(messages: readonly Message[]): readonly Message[] {
  const said: Message[] = [];
  let length = 0;
  for (const message of messages.toReversed()) {
    const text = textOf(message);
    if (message.role === "tool" || text.trim() === "") continue;
    length += text.length;
    if (length > MOST_READ) break;
    said.unshift(message.role === "user" ? userText(text) : assistantText(text));
  }
  return said;
}
