import { createHash } from "node:crypto";
import type { Store, StoredTurn } from "../../protocol/store.ts";
import { userMessage } from "../../session/input.ts";
import type { TurnInputs } from "../../session/input.ts";
import { isDescription } from "../../session/describe-pictures.ts";
import { isRuntimeContext } from "../../session/runtime-context.ts";
import type { Sessions } from "../../session/sessions.ts";
import { storedEnd } from "../../session/stored-result.ts";
import type { TurnEnd } from "../../session/turn.ts";
import type { Language } from "../../words/language.ts";
import { keyReused } from "../../words/prompt.ts";
import { usageRefusal } from "../refusal.ts";
import type { Prompt } from "./input.ts";
import type { Begun } from "./stopper.ts";

/** A prompt that is asked once, however often its command line is run. */
export interface Once {
  readonly key: string;
  readonly prompt: Prompt;
  readonly language: Language;
}

/**
 * How the turn of this key ended; undefined while there is none, or it has not ended. Throws RefusalError when the key
 * belongs to another prompt.
 */
export async function endOfKey(store: Store, { key, prompt, language }: Once): Promise<TurnEnd | undefined> {
  const turn = store.turnWithKey(key);
  if (turn === undefined) return undefined;
  if (!asks(turn, prompt)) throw usageRefusal(keyReused(key, turn.sessionId), { code: "key_reused" });
  return storedEnd(turn, language);
}

/** Whether this is the prompt of the turn; what the turn was told beside it does not count. */
function asks({ facts }: StoredTurn, { text, attachments }: Prompt): boolean {
  const start = facts[0]?.fact;
  if (start?.type !== "turn-start") return false;
  const { parts } = userMessage(text, { attachments });
  const [own, added] = [start.message.parts.slice(0, parts.length), start.message.parts.slice(parts.length)];
  return (
    JSON.stringify(own) === JSON.stringify(parts) &&
    added.every((part) => isRuntimeContext(part) || isDescription(part))
  );
}

interface Place {
  readonly store: Store;
  readonly sessions: Sessions;
  /** Where the turn is to be, if it is not somewhere already. */
  readonly sessionId: string;
}

/**
 * Begins the turn of a key, or goes on with it where a process left it. Rejects with StoreError `busy` while another
 * process is at it. Whoever was faster since the last look has the turn: its end comes back.
 */
export async function beginOnce(once: Once, { store, sessions, sessionId }: Place): Promise<Begun | TurnEnd> {
  const known = store.turnWithKey(once.key)?.sessionId ?? sessionId;
  const lane = await sessions.lane(known);
  const end = await endOfKey(store, once);
  if (end !== undefined) return end;
  if (store.turnWithKey(once.key) !== undefined && lane.unfinished) return { turn: lane.resume(), lane };
  const { text, attachments } = once.prompt;
  const inputs: TurnInputs = { attachments, idempotencyKey: once.key };
  return { turn: await sessions.start(known, text, inputs), lane: await sessions.lane(known) };
}

/** The same for every process that asks with this key, so that the lease of the session tells them of each other. */
export const sessionOfKey = (key: string): string =>
  `once-${createHash("sha256").update(key).digest("hex").slice(0, 32)}`;
