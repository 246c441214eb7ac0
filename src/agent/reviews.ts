import type { AgentOptions } from "./options.ts";
import { costLimit, countLimit, timeLimit } from "../config/limits.ts";
import type { ModelSource } from "./model-source.ts";
import type { CompactionRequest, Compactor } from "../protocol/ports.ts";
import { USUAL } from "../session/review/due.ts";
import { type ReviewPorts, Reviews, type Sent } from "../session/review/reviews.ts";
import type { RunSpec } from "../session/run-spec.ts";
import type { RunResult } from "../session/turn-handle.ts";

/** ms */
const REVIEW_MS = 600_000;

interface ReviewParts extends Pick<ReviewPorts, "store" | "log"> {
  /** The one of the sessions, or another one for reviews alone. */
  readonly model: ModelSource;
  readonly look: LookAt;
}

/** Runs a review. */
export type LookAt = (at: ModelSource, spec: RunSpec, how: LookHow) => Promise<RunResult>;

interface LookHow {
  readonly signal: AbortSignal;
  readonly sent?: Sent;
}

/** Undefined where nobody wants reviews, or nothing could come of them. Throws a RangeError for a number that is none. */
export function reviewsOf(
  { review, tools = [], runtime }: Pick<AgentOptions, "review" | "tools" | "runtime">,
  { model, look, ...ports }: ReviewParts,
): Reviews | undefined {
  // What another runtime has done it knows alone.
  if (review === undefined || runtime !== undefined) return undefined;
  const { turns = USUAL.turns, iterations = USUAL.iterations, leastTurns = USUAL.leastTurns } = review;
  const { maxTimeMs, maxCost, onReview } = review;
  return new Reviews({
    ...ports,
    intervals: {
      turns: countLimit("review.turns", turns),
      iterations: countLimit("review.iterations", iterations),
      leastTurns: countLimit("review.leastTurns", leastTurns),
    },
    tools: new Set(tools.map(({ name }) => name)),
    limits: {
      maxTimeMs: timeLimit("review.maxTimeMs", maxTimeMs) ?? REVIEW_MS,
      ...(maxCost !== undefined && { maxCost: costLimit("review.maxCost", maxCost) }),
    },
    run: async (spec, signal, sent) => {
      // Whoever waits for the answer has it first.
      await new Promise(setImmediate);
      return look(model, spec, { signal, ...(sent && { sent }) });
    },
    tell: (outcome) => onReview?.(outcome),
  });
}

/** What may be lost from sight is looked back at before it is left out. */
export function reviewingFirst(compactor: Compactor, look: (sessionId: string, sent: Sent) => unknown): Compactor {
  const { summarise } = compactor;
  const before = ({ sessionId, compaction }: Omit<CompactionRequest, "share">): void => {
    if (sessionId !== undefined) look(sessionId, { compaction });
  };
  return {
    compact: (request) => {
      before(request);
      return compactor.compact(request);
    },
    ...(summarise && {
      summarise: (request, signal) => {
        before(request);
        return summarise(request, signal);
      },
    }),
  };
}
