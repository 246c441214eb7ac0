import type { Message } from "../protocol/message.ts";
import type { Clock } from "../protocol/ports.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import type { TurnResult } from "../protocol/result.ts";
import type { Diagnostic } from "./diagnostic.ts";

/** A turn that has ended, in the tick in which its session is free again. */
export interface EndedTurn {
  readonly sessionId: string;
  readonly turnId: string;
  readonly result: TurnResult;
  /** The session up to here; it grows when the next turn begins. */
  readonly history: readonly (Message | undefined)[];
  /** The place of the turn's user message. */
  readonly firstSeq: number;
}

/** One kind of what is done beside a session after its turns. */
export interface AfterJob {
  readonly name: string;
  /** It is done for each turn, and may come to its end when the agent is closed; absent: once at a time in a session. */
  readonly finishes?: true;
  /**
   * Undefined: there is nothing to do. Otherwise it works on its own, and ends soon when the signal aborts. `leaving` aborts
   * as soon as the agent is closed: what is not worth waiting for is left then, also by what may come to its end.
   */
  begin(ended: EndedTurn, signal: AbortSignal, leaving: AbortSignal): Promise<void> | undefined;
  /** The agent is closed, and nothing of this kind goes on any more. */
  close?(): Promise<void>;
}

interface AfterPorts {
  readonly clock: Clock;
  readonly log: (diagnostic: Diagnostic) => void;
}

/** hermes.md §19, ms. */
const PATIENCE_MS = 5_000;

/**
 * What is done when an answer has been delivered: no turn waits for it, and what goes wrong in it is logged. Each kind works
 * once at a time in a session; what falls due meanwhile falls due again.
 */
export class AfterWork {
  private readonly jobs: readonly AfterJob[];
  private readonly ports: AfterPorts;
  private readonly controller = new AbortController();
  /** Of what may come to its end. */
  private readonly finishing = new AbortController();
  private readonly running = new Map<string, Promise<void>>();

  constructor(jobs: readonly AfterJob[], ports: AfterPorts) {
    this.jobs = jobs;
    this.ports = ports;
  }

  ended(turn: EndedTurn): void {
    for (const job of this.jobs) this.do(job, turn);
  }

  /** The jobs of this name that go on now; undefined: none. */
  going(name: string): Promise<unknown> | undefined {
    const found = [...this.running].flatMap(([key, work]) => (key.startsWith(`${name}\n`) ? [work] : []));
    return found.length === 0 ? undefined : Promise.all(found);
  }

  /** Resolves when nothing goes on any more. */
  async settled(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running.values());
  }

  /** Ends what goes on, and begins nothing more. Who does not end in time is left behind. */
  async rest(): Promise<void> {
    this.controller.abort();
    const over = new AbortController();
    await Promise.race([this.settled(), this.ports.clock.sleep(PATIENCE_MS, over.signal, "aside")]);
    over.abort();
    this.finishing.abort();
    await Promise.all(this.jobs.map(async (job) => job.close?.()));
  }

  /** Begins a job, unless one of its name goes on in the session. */
  do(job: AfterJob, turn: EndedTurn): void {
    const key = `${job.name}\n${job.finishes === true ? turn.turnId : turn.sessionId}`;
    if (this.running.has(key) || this.controller.signal.aborted) return;
    const work = this.work(job, turn);
    if (work === undefined) return;
    this.running.set(
      key,
      work.then(
        () => this.over(key),
        (error: unknown) => this.over(key, { job, turn, error }),
      ),
    );
  }

  /** What throws at once is no different from what fails later. */
  private work(job: AfterJob, turn: EndedTurn): Promise<void> | undefined {
    try {
      const leaving = this.controller.signal;
      return job.begin(turn, job.finishes === true ? this.finishing.signal : leaving, leaving);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  private over(key: string, failed?: { job: AfterJob; turn: EndedTurn; error: unknown }): void {
    this.running.delete(key);
    if (failed === undefined) return;
    const { job, turn, error } = failed;
    this.ports.log({
      level: "warn",
      line: `${job.name}: ${reasonOf(error)}`,
      fields: { event: job.name, session: turn.sessionId, turn: turn.turnId },
    });
  }
}
