import type { Fact } from "../../protocol/fact.ts";
import type { Parked, TurnOutcome } from "../../protocol/outcome.ts";
import type { RequestRecord, TurnLog, TurnPorts } from "../../protocol/ports.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import { type Action, decide } from "../../turn/decide.ts";
import { runTurn } from "../../turn/run-turn.ts";
import { Stopping } from "../stopping.ts";
import type { Leniency } from "./compare.ts";
import { type Course, Over } from "./course.ts";
import { takesUp } from "./outside.ts";
import type { Waits } from "./waits.ts";

export interface LifePorts {
  readonly course: Course;
  readonly waits: Waits;
  readonly ports: TurnPorts;
  readonly lenient: () => Leniency;
  /** Compares what is to be kept of the request of the attempt that stands in front of it. */
  readonly onRequest: (request: RequestRecord) => void;
  /** A person has chosen another model. */
  readonly onSwitch: (fact: Extract<Fact, { type: "model-switched" }>) => void;
}

/** How a life of a turn came to its end; `over`: there is nothing more to compare. */
export type LifeEnd = "next-life" | "over";

const BARRIER = "the disk";

/** Actions that wait before they record anything, and what they record then. */
const BEHIND_A_WAIT: Readonly<Partial<Record<Action["do"], readonly Fact["type"][]>>> = {
  "call-model": ["attempt-start"],
  "rotate-key": ["key-rotated", "rotation-failed"],
  "refresh-key": ["key-refreshed", "rotation-failed"],
  "switch-model": ["model-switched", "chain-spent"],
};

/**
 * One life of a turn, from where a process had it in hand until it ended, stood still or died. Our loop runs as it always
 * does; whenever it waits, the record's next fact says what happened in the world.
 */
export class Life {
  readonly #on: LifePorts;
  readonly #stopping = new Stopping();
  #arrived: (() => void) | undefined;
  /** An action has recorded something, and is not done. */
  #amid = false;
  #over = false;

  constructor(on: LifePorts) {
    this.#on = on;
  }

  /** Throws Over with the replay. */
  async run(): Promise<LifeEnd> {
    const { course } = this.#on;
    const { state } = course;
    if (state.interruptedBy !== undefined || state.timeUp !== undefined) this.#stopping.stop();
    this.#hearAll();
    const loop = this.#loop();
    const ended = loop.then(
      () => undefined,
      () => undefined,
    );
    let isOn = true;
    const end = ended.then(() => (isOn = false));
    while (isOn) {
      await Promise.race([end, new Promise((resolve) => setImmediate(resolve))]);
      if (!isOn) break;
      const how = this.#goOn();
      if (how !== undefined) return how;
    }
    return loop;
  }

  async #loop(): Promise<LifeEnd> {
    const { course, ports } = this.#on;
    for (;;) {
      try {
        return this.#endOf(await runTurn(course.state, ports, this.#log));
      } catch (error) {
        if (error instanceof Over) return this.#endBy(error);
        // As the lane does: the turn goes on, and is closed.
        if (course.next?.type === "bug-caught") course.take();
        else course.differ({ instead: `it threw: ${reasonOf(error)}` });
      }
    }
  }

  #endOf(outcome: TurnOutcome | Parked): LifeEnd {
    const { course } = this.#on;
    this.#over = true;
    if (!("waitingFor" in outcome)) return "over";
    while (course.nextIsOutside) course.take();
    if (takesUp(course.next)) return "next-life";
    return course.next === undefined ? "over" : course.differ({ instead: "the turn stands still" });
  }

  #endBy(error: Over): LifeEnd {
    this.#over = true;
    if (this.#on.course.difference !== undefined) throw error;
    return error.how === "life" ? "next-life" : "over";
  }

  /** Everything waits: the record says for what. */
  #goOn(): LifeEnd | undefined {
    const { course, waits } = this.#on;
    if (this.#over) return undefined;
    const { next } = course;
    if (waits.has(BARRIER) && !this.#stopsBefore()) waits.settle(next);
    else if (course.nextIsOutside) this.#hearAll();
    else if (next === undefined || takesUp(next)) {
      this.#over = true;
      return next === undefined ? "over" : "next-life";
    } else if (next.type === "bug-caught") {
      if (!waits.fail(next.message)) course.differ({ instead: "it went on" });
    } else if (!waits.settle(next)) course.differ({ instead: `it waits for ${waits.what || "nothing"}` });
    return undefined;
  }

  /** A stop came before the calls of the segment had begun: their receipts say so. */
  #stopsBefore(): boolean {
    const { course } = this.#on;
    if (!course.nextIsOutside) return false;
    const own = course.nextOwn;
    return own?.type === "receipt" && own.message.status === "cancelled";
  }

  /** Nothing was decided between them, or it would stand there. */
  #hearAll(): void {
    while (this.#on.course.nextIsOutside) this.#hear();
  }

  /** Something comes from outside. */
  #hear(): void {
    const { course, onSwitch } = this.#on;
    const fact = course.take();
    if (fact?.type === "interrupt-requested" || fact?.type === "deadline-reached") this.#stopping.stop();
    if (fact?.type === "redirect-accepted") this.#stopping.endRequest();
    if (fact?.type === "model-switched") {
      onSwitch(fact);
      if (!course.state.attemptOpen) this.#stopping.endRequest();
    }
    this.#arrived?.();
  }

  /** Between two actions: what came there in the record bears on what is decided now, unless the next action waits first. */
  readonly #between = (): void => {
    const { course } = this.#on;
    while (!this.#over && !this.#amid && course.nextIsOutside && !this.#waitsFirst()) this.#hear();
  };

  #waitsFirst(): boolean {
    const { state, nextOwn: next } = this.#on.course;
    const { do: what } = decide(state);
    const waits =
      what !== "call-model" || state.retryUntilMs !== undefined || state.adjusted.pictureLimit !== undefined;
    return waits && next !== undefined && BEHIND_A_WAIT[what]?.includes(next.type) === true;
  }

  readonly #log: TurnLog = this.#newLog();

  #newLog(): TurnLog {
    const stopping = (): Stopping => this.#stopping;
    return {
      get signal() {
        return stopping().signal;
      },
      requestSignal: () => stopping().nextRequest(),
      record: (fact) => this.#record(fact),
      keepRequest: (request) => {
        if (this.#over) throw new Over("life");
        this.#on.onRequest(request);
      },
      emit: () => undefined,
      barrier: () => this.#on.waits.until<void>(BARRIER, () => ({ value: undefined })),
      nextArrival: () =>
        new Promise((resolve) => {
          this.#arrived = resolve;
        }),
    };
  }

  #record(fact: Fact): void {
    const { course, waits, lenient } = this.#on;
    if (this.#over) throw new Over("life");
    try {
      this.#hearAll();
      course.compare(fact, lenient());
    } catch (error) {
      this.#over = true;
      throw error;
    }
    const begins = fact.type === "attempt-start" || fact.type === "segment-start" || fact.type === "summary-start";
    this.#amid = begins || (fact.type === "receipt" && waits.has("a tool"));
    if (course.nextIsOutside) queueMicrotask(this.#between);
  }
}
