import type { Fact, TurnStart } from "../protocol/fact.ts";
import { type ContextPart, type UserMessage, withContext } from "../protocol/message.ts";
import type { MoneyLimit } from "../protocol/money.ts";
import type { Setup } from "../turn/state.ts";
import { type LaneInputs, userMessage } from "./input.ts";

/** What a turn begins with beside what was said. */
interface Beginning {
  readonly turnId: string;
  /** The place of its first message. */
  readonly seq: number;
  readonly setup: Pick<Setup, "model" | "provider" | "maxIterations">;
  readonly program: string | undefined;
  readonly context: ContextPart | undefined;
  readonly limit: MoneyLimit | undefined;
  readonly supersedes: string | undefined;
}

/** The facts that begin a turn, to be recorded together. */
export function firstFacts(text: string, inputs: LaneInputs, beginning: Beginning): Fact[] {
  const start = turnStart(text, inputs, beginning);
  const messages = inputs.past?.messages ?? [];
  return messages.length === 0 ? [start] : [start, { type: "history-imported", seq: start.seq + 1, messages }];
}

/** What is not there is not kept. */
function turnStart(text: string, inputs: LaneInputs, beginning: Beginning): TurnStart {
  const { turnId, seq, setup, program, context, limit, supersedes } = beginning;
  const { model, provider, maxIterations } = setup;
  const { taskId, system, route, idempotencyKey, retry, past } = inputs;
  return {
    type: "turn-start",
    turnId,
    seq,
    message: past?.message ?? messageOf(text, inputs, context),
    model,
    provider,
    maxIterations,
    ...(program !== undefined && { program }),
    ...(taskId !== undefined && { taskId }),
    ...(system !== undefined && { system }),
    ...(route && { route }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(supersedes !== undefined && { supersedes }),
    ...(past && { replays: { turnId: past.start.turnId, from: past.from } }),
    ...(limit && { limit }),
    ...(retry && { retry }),
  };
}

function messageOf(text: string, inputs: LaneInputs, context: ContextPart | undefined): UserMessage {
  const message = userMessage(text, inputs);
  return context === undefined ? message : withContext(message, [context]);
}
