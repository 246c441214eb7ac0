import type { Compaction } from "../protocol/projection/compaction.ts";
import type { CompactionFailed } from "../protocol/fact.ts";
import type { SummaryRequest, TurnLog, TurnPorts } from "../protocol/ports.ts";
import { unlessAborted } from "./patience.ts";
import { estimate, targetOf, weights } from "./pressure.ts";
import type { Recovery } from "./recovery/rung.ts";
import type { View } from "./state.ts";

type Compact = Extract<Recovery, { do: "compact" }>;

interface Way {
  readonly compaction: Compaction;
  /** Why no model has said what is left out. */
  readonly trouble?: string | undefined;
}

/** A model is asked first what was said in what is left out, where there is one for it; rules do what it cannot. */
export function compact(action: Compact, state: View, ports: TurnPorts, log: TurnLog): Promise<void> | void {
  const { summarise } = ports.compactor;
  // Whoever refuses also what a summary has left is not asked for another one.
  if (summarise === undefined || state.compactions > 0)
    return record(byRules(action, state, ports), action, state, log);
  return bySummary(action, state, ports, log);
}

/** A stop or a redirect does not wait for it: nothing is recorded then, and what comes next is decided anew. */
async function bySummary(action: Compact, state: View, ports: TurnPorts, log: TurnLog): Promise<void> {
  const { history, compaction, provider, model } = state;
  log.record({ type: "summary-start" });
  const target = targetOf(state, action.share);
  const request = { sessionId: ports.sessionId, history, compaction, target };
  const signal = log.requestSignal();
  const answer = await unlessAborted(asked(ports, request, signal), signal);
  // Another model may have another window.
  if (answer === "aborted" || state.provider !== provider || state.model !== model) return;
  return record("trouble" in answer ? byRules(action, state, ports, answer.trouble) : answer, action, state, log);
}

const asked = async ({ compactor }: TurnPorts, request: SummaryRequest, signal: AbortSignal) =>
  (await compactor.summarise?.(request, signal)) ?? { trouble: "there is no model for it" };

function byRules({ share }: Compact, state: View, ports: TurnPorts, trouble?: string): Way | undefined {
  const { history, compaction: before } = state;
  const compaction = ports.compactor.compact({ sessionId: ports.sessionId, history, compaction: before, share });
  return compaction && { compaction, trouble };
}

function record(way: Way | undefined, { because }: Compact, state: View, log: TurnLog): void {
  if (way === undefined) return log.record(failed(because, state));
  const { compaction, trouble } = way;
  const tokens = weights(state, compaction);
  log.record({ type: "history-compacted", compaction, because, tokens, ...(trouble !== undefined && { trouble }) });
}

const failed = (because: Compact["because"], state: View): CompactionFailed =>
  because === "pressure"
    ? { type: "compaction-failed", because, tokens: estimate(state) }
    : { type: "compaction-failed" };
