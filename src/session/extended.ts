import type { Extend, TurnExtension } from "../protocol/extension.ts";
import type { TurnLog, TurnPorts } from "../protocol/ports.ts";
import type { View } from "../turn/state.ts";
import type { Diagnostic } from "./diagnostic.ts";

export interface Extending {
  readonly extend: Extend;
  readonly state: View;
  readonly ports: Pick<TurnPorts, "model" | "tools" | "sessionId">;
  readonly signal: AbortSignal;
  readonly log: (diagnostic: Diagnostic) => void;
}

/** Puts what a program or a person has added around a turn that starts or is taken up. */
export function extended({ extend, state, ports, signal, log }: Extending): TurnExtension {
  const { turnId, iteration, firstSeq } = state;
  return extend({
    sessionId: ports.sessionId,
    turnId,
    iteration,
    firstSeq,
    history: () => state.history,
    signal,
    log: (line) => {
      try {
        log({ level: "warn", line, fields: { event: "extension", session: ports.sessionId, turn: turnId } });
      } catch {
        // What went wrong stands in the result; that the log throws is told when the turn ends.
      }
    },
    ports,
  });
}

/**
 * What a memory, advisers and plug-ins tell the model joins the user message, once: a turn that is taken up has it
 * already, or asks again when its process died before. The prompt is durable before their code runs (row A9).
 */
export async function addContext({ beforeTurn }: TurnExtension, state: View, log: TurnLog): Promise<void> {
  const { firstSeq: seq, history } = state;
  const prompt = history[seq];
  if (beforeTurn === undefined || prompt === undefined || state.attempt > 0 || state.advised) return;
  await log.barrier();
  // It is closed, and nothing more is sent.
  if (log.signal.aborted) return;
  const contexts = await beforeTurn();
  if (contexts.length > 0) log.record({ type: "context-added", seq, part: prompt.parts.length, contexts });
}
