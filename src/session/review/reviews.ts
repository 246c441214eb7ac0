import { isBlank } from "../../protocol/message.ts";
import type { Compaction } from "../../protocol/projection/compaction.ts";
import { RecentMap } from "../../protocol/recent-map.ts";
import type { Store } from "../../protocol/store.ts";
import type { AfterJob, EndedTurn } from "../after-work.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { RunSpec } from "../run-spec.ts";
import { MOST_LANES } from "../open-lanes.ts";
import type { RunResult } from "../turn-handle.ts";
import { type Counts, dueReviews, type Intervals, NOTES_TOOL, SKILLS_TOOL, turnsWithoutNote } from "./due.ts";
import type { Wanted } from "./look.ts";
import type { ReviewOutcome } from "./outcome.ts";

/** What held when a session was still sent as it was; undefined: all of it was. */
export interface Sent {
  readonly compaction: Compaction | undefined;
}

/** What a review is run with. */
export interface ReviewPorts {
  readonly intervals: Intervals;
  /** Names of the tools that the sessions have. */
  readonly tools: ReadonlySet<string>;
  readonly limits: Pick<RunSpec, "maxTimeMs" | "maxCost">;
  readonly store: Pick<Store, "record" | "reviewedThrough">;
  /** Without `sent`, what is sent of the session now. */
  readonly run: (spec: RunSpec, signal: AbortSignal, sent?: Sent) => Promise<RunResult>;
  readonly tell: (outcome: ReviewOutcome) => void;
  readonly log: (diagnostic: Diagnostic) => void;
}

/** A session where its last turn ended. */
interface Left {
  readonly turn: EndedTurn;
  readonly counts: Counts;
}

/** What is worth looking back at, and how. */
export interface Look {
  readonly job: AfterJob;
  readonly turn: EndedTurn;
}

/**
 * Looks back at sessions for what is worth keeping, beside them and never in their way (rows F5, F6, J6): as often as is
 * counted, and where one is left or made smaller.
 */
export class Reviews implements AfterJob {
  readonly name = "review";
  private readonly ports: ReviewPorts;
  private readonly left = new RecentMap<string, Left>(MOST_LANES);

  constructor(ports: ReviewPorts) {
    this.ports = ports;
  }

  begin(turn: EndedTurn, signal: AbortSignal): Promise<void> | undefined {
    const { tools, intervals } = this.ports;
    const due = dueReviews(turn, intervals, this.knownOf(turn));
    this.left.set(turn.sessionId, { turn, counts: due.counts });
    if (!isDelivered(turn)) return undefined;
    const skills = due.skills && tools.has(SKILLS_TOOL);
    // Whoever reads all of it anyway looks for notes too.
    const notes = (due.notes || skills) && tools.has(NOTES_TOOL);
    return (notes || skills) && !this.isHidden(turn) ? this.look(turn, { notes, skills }, signal) : undefined;
  }

  /** For a session that is left, or of which less is sent from here on; undefined: nothing in it is worth it. */
  leaving(sessionId: string, sent?: Sent): Look | undefined {
    const { tools, intervals, store } = this.ports;
    const left = this.left.get(sessionId);
    if (left === undefined || !tools.has(NOTES_TOOL) || !isDelivered(left.turn)) return undefined;
    const said = left.turn.history.slice(0, left.counts.messages);
    const turns = turnsWithoutNote(said, store.reviewedThrough(sessionId));
    if (turns < intervals.leastTurns || this.isHidden(left.turn)) return undefined;
    const begin: AfterJob["begin"] = (turn, signal) => this.look(turn, { notes: true, skills: false, sent }, signal);
    return { turn: left.turn, job: { name: this.name, begin } };
  }

  /** Of the turn before, where this is the same history still. */
  private knownOf({ sessionId, history, firstSeq }: EndedTurn): Counts | undefined {
    const left = this.left.get(sessionId);
    return left?.turn.history === history && left.counts.messages <= firstSeq ? left.counts : undefined;
  }

  /** A review that a person has taken up is no conversation to learn from. */
  private isHidden({ sessionId }: EndedTurn): boolean {
    return this.ports.store.record(sessionId) === undefined;
  }

  private async look(turn: EndedTurn, wanted: Wanted, signal: AbortSignal): Promise<void> {
    const { lookBack } = await import("./look.ts");
    return lookBack(turn, wanted, this.ports, signal);
  }
}

/** Row J6: there is an answer, and nobody has stopped it. */
const isDelivered = ({ result: { ok, interrupted, answer } }: EndedTurn): boolean =>
  ok && !interrupted && answer !== null && !isBlank(answer);
