import { rules } from "../context/compaction/rules.ts";
import type { Summariser, SummaryPorts } from "../context/compaction/summarise.ts";
import type { KnownValues } from "../protocol/redact/known.ts";
import type { ModelSource } from "./model-source.ts";
import type { Clock, Compactor } from "../protocol/ports.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import type { Diagnostic } from "../session/diagnostic.ts";
import type { RunSpec } from "../session/run-spec.ts";
import type { RunResult } from "../session/turn-handle.ts";

/** Runs a spec; `maxOutput`, tokens, is the longest reply of it. */
export type RunAt = (at: ModelSource, spec: RunSpec, signal?: AbortSignal, maxOutput?: number) => Promise<RunResult>;

/** Asks the model of summaries for one short text. */
export type AskSummary = (spec: RunSpec, signal: AbortSignal, maxOutput: number) => Promise<RunResult>;

interface Summaries {
  readonly own: ModelSource;
  /** A model for summaries alone. */
  readonly other: ModelSource | undefined;
  readonly run: RunAt;
  readonly known: () => KnownValues;
  readonly clock: Clock;
  readonly log: (diagnostic: Diagnostic) => void;
}

/** Rules, and summaries by a model of the agent: what they need is loaded when there is one to be made. */
export function compactorIn({ own, other, run, known, clock, log }: Summaries): Compactor {
  const summariser = (at: ModelSource): Summariser => ({
    window: () => windowOf(at),
    run: async ({ sessionId: parent, system, prompt, maxOutput }, signal) => {
      const result = run(at, { purpose: "summary", parent, system, prompt }, signal, maxOutput);
      return result.then(
        ({ ok, answer, exit, error, messages }) => {
          return { ok, answer, reason: exit.reason, message: error?.message ?? null, messages };
        },
        (error: unknown) => ({ ...LOST, message: reasonOf(error) }),
      );
    },
  });
  const warn: SummaryPorts["warn"] = (trouble, session) =>
    log({
      level: "warn",
      line: `the model that summary.model names gave no summary, so the one of the session is asked: ${trouble}`,
      fields: { event: "summary", session },
    });
  const ports = { own: summariser(own), other: other && summariser(other), clock, warn };
  let loaded: Promise<NonNullable<Compactor["summarise"]>> | undefined;
  const load = async (): Promise<NonNullable<Compactor["summarise"]>> => {
    const { summarising } = await import("../context/compaction/summarise.ts");
    const { redact } = await import("../protocol/redact/redact.ts");
    return summarising({ ...ports, clean: (text) => redact(text, known()) });
  };
  const summarise: Compactor["summarise"] = async (request, signal) => {
    loaded ??= load();
    return (await loaded)(request, signal);
  };
  return { ...rules, summarise };
}

const LOST = { ok: false, answer: null, reason: "internal_error", messages: [] } as const;

/** A model that cannot be opened says so when it is asked. */
async function windowOf(source: ModelSource): Promise<number | undefined> {
  try {
    const model = await source.open();
    return "reason" in model ? undefined : model.contextWindow;
  } catch {
    return undefined;
  }
}
