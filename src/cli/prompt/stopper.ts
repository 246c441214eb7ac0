import type { InterruptSource } from "../../protocol/exit.ts";
import type { Lane } from "../../session/lane.ts";
import type { Turn, TurnEnd } from "../../session/turn.ts";
import { ASK_AGAIN } from "../../words/steps.ts";
import { STOPPED_EARLY } from "../../words/usage.ts";
import { askApprovals, mayAsk } from "../screen/approvals.ts";
import type { Io, Signal } from "../io.ts";
import { languageFor } from "../flags.ts";
import type { Output } from "../output.ts";
import { RefusalError } from "../refusal.ts";
import type { Surface } from "../screen/surface.ts";
import type { Headless } from "./run.ts";

export interface Begun {
  readonly turn: Turn;
  readonly lane: Lane;
}

const SOURCE: Readonly<Record<Signal, InterruptSource>> = {
  SIGINT: "user",
  SIGTERM: "terminate",
  SIGHUP: "terminate",
};

/** A signal stops the turn, not the program: the turn ends properly and is reported. One that comes early is not lost. */
export class Stopper {
  readonly leave: () => void;
  private source: InterruptSource | undefined;
  private lane: Lane | undefined;
  private readonly stops: Promise<boolean>[] = [];
  private readonly stopped = new AbortController();
  private readonly early = Promise.withResolvers<never>();

  constructor(io: Io) {
    this.leave = io.onSignal((signal) => this.stop(SOURCE[signal]));
    // Without anybody waiting, an early stop is nobody's rejection.
    this.early.promise.catch(() => undefined);
  }

  /** Aborted by the first stop. */
  get signal(): AbortSignal {
    return this.stopped.signal;
  }

  stop(source: InterruptSource): void {
    this.stopped.abort();
    this.source ??= source;
    this.early.reject(
      new RefusalError({
        reason: "interrupted_by_user",
        message: STOPPED_EARLY,
        steps: [ASK_AGAIN],
        interruptedBy: this.source,
      }),
    );
    if (this.lane !== undefined) this.stops.push(this.lane.interrupt(this.source));
  }

  /** Waits for something that comes before the turn; a signal ends the wait. */
  before<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.early.promise]);
  }

  /** Shows the turn as it happens and waits for its end; `questions` are answered at the terminal. */
  async watch(
    { turn, lane }: Begun,
    output: Pick<Output, "event">,
    questions: Questions | undefined,
  ): Promise<TurnEnd> {
    this.lane = lane;
    if (this.source !== undefined) this.stop(this.source);
    for await (const event of turn) {
      output.event(event);
      if (mayAsk(event)) await questions?.ask(lane);
    }
    const end = await turn.end;
    await Promise.allSettled(this.stops);
    return end;
  }
}

/** A terminal at which calls are approved while the turn itself is only reported. */
export interface Questions {
  ask(lane: Lane): Promise<void>;
  close(): void;
}

/** The line editor is loaded only when somebody may be asked. */
export async function openQuestions(
  { flags, io }: Pick<Headless, "flags" | "io">,
  stopper: Stopper,
  shown: Surface | undefined,
): Promise<Questions> {
  const [{ questionLines }, { isDumb, Surface }] = await Promise.all([
    import("../editor/question-lines.ts"),
    import("../screen/surface.ts"),
  ]);
  const surface = shown ?? new Surface(io, { plain: flags.plain === true || isDumb(io) });
  const language = languageFor(flags, io.env);
  const interrupted = (): void => {
    stopper.stop("user");
    lines.lookAgain();
  };
  const lines = questionLines(io, { surface, language, interrupted, ended: () => undefined });
  const unlisten = io.onSignal(() => lines.lookAgain());
  return {
    ask: (lane) => {
      const steer = async (text: string): Promise<void> => void (await lane.steer(text));
      return askApprovals(lane, { lines, language, tell: (line) => surface.line(line), steer });
    },
    close: () => {
      unlisten();
      lines.close();
    },
  };
}
