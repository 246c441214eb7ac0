import type { TurnResult } from "../../protocol/result.ts";
import { StoreError } from "../../protocol/store.ts";
import type { Lane } from "../../session/lane.ts";
import { refusalResult, storeRefusal } from "../../session/result.ts";
import type { Sessions } from "../../session/sessions.ts";
import type { Turn } from "../../session/turn.ts";
import type { InputLines } from "../editor/input-lines.ts";
import type { Attachment } from "../prompt/attachments.ts";
import { promptWarnings } from "../prompt-notes.ts";
import { askApprovals, mayAsk } from "../screen/approvals.ts";
import type { Screen } from "../screen/screen.ts";
import type { Voice } from "./voice.ts";

export interface RunnerOptions {
  readonly screen: Screen;
  readonly lines: InputLines;
  readonly voice: Voice;
  readonly env: NodeJS.ProcessEnv;
  /** Words at a question that are no answer. */
  readonly steer: (text: string) => Promise<void>;
}

export interface Asked {
  readonly sessions: Sessions;
  readonly sessionId: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** Runs the turns of a conversation, one after the other, and shows each. */
export class TurnRunner {
  /** The turn that runs. */
  turn: Turn | undefined;
  /** The session of the last turn. */
  lane: Lane | undefined;
  /** Of the turn that runs or ran last. */
  turnId: string | undefined;
  private readonly options: RunnerOptions;
  /** What was pressed while a turn was on its way; it holds also for one that has not begun yet. */
  private stopping: { readonly by: "user" | "terminate"; readonly said?: string | undefined } | undefined;

  constructor(options: RunnerOptions) {
    this.options = options;
  }

  get stopped(): boolean {
    return this.stopping !== undefined;
  }

  /** Every end is a result. */
  async run({ sessions, sessionId, text, attachments }: Asked): Promise<TurnResult> {
    const { screen, voice } = this.options;
    this.stopping = undefined;
    try {
      this.lane = await sessions.lane(sessionId);
      screen.watch(this.lane);
      this.turn = await sessions.start(sessionId, text, { attachments });
      this.interrupt();
      return await this.show(this.turn, this.lane);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return refusalResult(storeRefusal(error, sessionId), voice.language);
    } finally {
      this.turn = undefined;
      screen.done();
    }
  }

  /** `said` is the message that is answered next. */
  stop(by: "user" | "terminate", said?: string): void {
    this.stopping ??= { by, said };
    this.interrupt();
  }

  /** Another session, or another model: what was known of the last turn is of no use. */
  forget(): void {
    this.lane = undefined;
    this.turnId = undefined;
  }

  private interrupt(): void {
    if (this.stopping === undefined || this.lane?.running === undefined) return;
    this.options.voice.follow(this.lane.interrupt(this.stopping.by, this.stopping.said));
  }

  private async show(turn: Turn, lane: Lane): Promise<TurnResult> {
    const { screen, lines, voice, steer, env } = this.options;
    const asking = { lines, steer, language: voice.language, tell: (line: string) => screen.status(line) };
    for await (const event of turn) {
      if (event.type === "turn-start") this.turnId = event.turnId;
      screen.event(event);
      for (const { message } of promptWarnings(event, voice.language, env)) screen.status(message);
      if (mayAsk(event)) await askApprovals(lane, asking);
    }
    return turn.result;
  }
}
