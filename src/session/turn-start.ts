import type { TurnStart } from "../protocol/fact.ts";
import { type ContextPart, withContext } from "../protocol/message.ts";
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

/** The fact that begins a turn; what is not there is not kept. */
export function turnStart(text: string, inputs: LaneInputs, beginning: Beginning): TurnStart {
  const { turnId, seq, setup, program, context, limit, supersedes } = beginning;
  const { model, provider, maxIterations } = setup;
  const { taskId, system, route, idempotencyKey, retry } = inputs;
  const message = userMessage(text, inputs);
  return {
    type: "turn-start",
    turnId,
    seq,
    message: context === undefined ? message : withContext(message, [context]),
    model,
    provider,
    maxIterations,
    ...(program !== undefined && { program }),
    ...(taskId !== undefined && { taskId }),
    ...(system !== undefined && { system }),
    ...(route && { route }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(supersedes !== undefined && { supersedes }),
    ...(limit && { limit }),
    ...(retry && { retry }),
  };
}
