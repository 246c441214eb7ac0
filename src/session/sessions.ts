import type { TurnPorts } from "../protocol/ports.ts";
import { type Store, StoreError } from "../protocol/store.ts";
import type { Message } from "../protocol/message.ts";
import type { Setup } from "../turn/state.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { Lane } from "./lane.ts";
import type { About } from "./result.ts";
import type { Turn } from "./turn.ts";

export interface SessionsOptions {
  readonly store: Store;
  readonly setup: Setup;
  /** One conversation's view of the model: opened once for each session. */
  readonly openModel: () => TurnPorts["model"];
  readonly ports: Omit<TurnPorts, "model" | "sessionId">;
  readonly about: About;
  readonly newId: () => string;
  readonly log: (diagnostic: Diagnostic) => void;
}

/** The lanes of this process: one for each session, opened when it is first needed. */
export class Sessions {
  private readonly options: SessionsOptions;
  private readonly lanes = new Map<string, Promise<Lane>>();

  constructor(options: SessionsOptions) {
    this.options = options;
  }

  /** Rejects with StoreError `busy` when another process works in this session. */
  async lane(sessionId: string): Promise<Lane> {
    const known = this.lanes.get(sessionId);
    if (known !== undefined) {
      const lane = await known;
      if (!lane.broken) return lane;
      // Somebody else who found it broken may have opened it anew meanwhile: two lanes would fence each other off.
      if (this.lanes.get(sessionId) !== known) return this.lane(sessionId);
      lane.release();
    }
    const opening = this.open(sessionId);
    this.lanes.set(sessionId, opening);
    try {
      return await opening;
    } catch (error) {
      this.lanes.delete(sessionId);
      throw error;
    }
  }

  /**
   * Starts a turn as soon as the session is idle. A turn that a crash or an approval left unfinished is closed first;
   * its own user message stays in the history.
   */
  start(sessionId: string, text: string): Promise<Turn> {
    return this.whenIdle(sessionId, (lane) => lane.run(text));
  }

  async importMessages(sessionId: string, messages: readonly Message[]): Promise<void> {
    await this.whenIdle(sessionId, (lane) => lane.importMessages(messages));
  }

  /** `use` is called in the tick in which the lane was seen idle: nobody can come between. */
  private async whenIdle<T>(sessionId: string, use: (lane: Lane) => T): Promise<Awaited<T>> {
    for (;;) {
      const lane = await this.lane(sessionId);
      if (lane.running !== undefined) await lane.running;
      else if (lane.unfinished) await close(lane);
      else return await use(lane);
    }
  }

  private async open(sessionId: string): Promise<Lane> {
    const { store, setup, openModel, ports, about, newId, log } = this.options;
    const stored = await store.open(sessionId);
    return new Lane({ stored, setup, ports: { ...ports, model: openModel() }, about, newId, log });
  }
}

/** A turn that cannot even be closed would be tried for ever. */
async function close(lane: Lane): Promise<void> {
  const { error } = await lane.supersede();
  if (lane.broken) throw new StoreError("io", error?.message ?? "The unfinished turn could not be closed.");
}
