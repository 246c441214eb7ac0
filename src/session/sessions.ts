import type { Caps, MoneyLimit } from "../protocol/money.ts";
import type { Beside } from "../protocol/beside.ts";
import { type Store, type StoredSession, StoreError } from "../protocol/store.ts";
import type { Fact } from "../protocol/fact.ts";
import { callsOf, type ContextPart, type Message } from "../protocol/message.ts";
import type { Pictured } from "./describe-pictures.ts";
import type { TurnInputs } from "./input.ts";
import { Lane } from "./lane.ts";
import type { LaneOptions } from "./lane-options.ts";
import { OpenLanes } from "./open-lanes.ts";
import type { Past } from "./replay/past.ts";
import { tightestLimit } from "./spending.ts";
import type { Turn } from "./turn.ts";
import type { ToolShelf } from "./turn-tools.ts";

/** A session's model: its own view of the conversation, and what is known about it. */
export type SessionModel = Pick<LaneOptions, "setup" | "about" | "prompt" | "extend" | "open">;

export interface SessionsOptions extends Omit<
  LaneOptions,
  "stored" | "tools" | "setup" | "about" | "prompt" | "open" | "onUndelivered" | "onIdle" | "limit"
> {
  readonly store: Store;
  /** Tells a model that cannot see what the pictures of a message show. It must not reject. */
  readonly describe?: ((message: Pictured) => Promise<ContextPart | undefined>) | undefined;
  /** What joins a message because of names in it. It must not reject. */
  readonly refer?: ((text: string) => Promise<readonly ContextPart[]>) | undefined;
  /** What the model of a session is to be told with the next message. It must not throw. */
  readonly news?: ((sessionId: string) => News | undefined) | undefined;
  /** What became of things that go on beside a session joins its next message. */
  readonly beside?: Beside | undefined;
  /** What may be spent: children and auxiliary calls spend of the same (row X4). */
  readonly caps?: Caps | undefined;
  /** Opens the model of a session, once; a promise where it has to be looked for. */
  readonly openModel: (session: Omit<StoredSession, "writer" | "release">) => SessionModel | Promise<SessionModel>;
  /** What turns can call: looked at as each begins. */
  readonly tools: ToolShelf;
  /**
   * Is handed each turn that answers a message which an earlier turn had accepted and not delivered (row B10). Absent:
   * such messages come back with the result of the turn that had accepted them.
   */
  readonly onFollowUp?: ((turn: Turn, sessionId: string) => void) | undefined;
}

/** What has happened since the last turn, in the program's own words. */
export interface News {
  readonly text: string;
  /** It stands in the journal now. It must not throw. */
  readonly told: () => void;
}

/** A message that waits for a turn of its own; it came where the turn that had accepted it came from. */
interface FollowUp extends Pick<TurnInputs, "route"> {
  readonly text: string;
}

/** The sessions of this process: a lane for each, opened when it is needed and let go when it is not. */
export class Sessions {
  private readonly options: SessionsOptions;
  private readonly lanes = new OpenLanes(
    (lane) => (this.closed.get(lane) ?? []).length > 0 || this.followUps.has(lane.sessionId),
  );
  /** What turns that were closed unfinished had accepted and never delivered: the next turn takes it. */
  private readonly closed = new WeakMap<Lane, readonly string[]>();
  /** By session: messages that wait for a turn of their own, before anything that is sent later. */
  private readonly followUps = new Map<string, FollowUp[]>();

  constructor(options: SessionsOptions) {
    this.options = options;
  }

  /**
   * Rejects with StoreError `busy` when another process works in this session. Whoever comes back to a lane later asks for
   * it anew: where nothing goes on in it, it may have been let go.
   */
  async lane(sessionId: string): Promise<Lane> {
    // All wait for the same promise, so that they go on in the order in which they came.
    const opening = this.lanes.get(sessionId) ?? this.lanes.add(sessionId, this.open(sessionId));
    const lane = await opening;
    if (!lane.broken) return lane;
    // Somebody else who found it broken may have opened it anew meanwhile: two lanes would fence each other off.
    if (this.lanes.get(sessionId) === opening) {
      lane.release();
      this.lanes.drop(sessionId);
    }
    return this.lane(sessionId);
  }

  /**
   * Starts a turn as soon as the session is idle. A turn that a crash or an approval left unfinished is closed first;
   * its own user message stays in the history.
   */
  async start(sessionId: string, text: string, asked: TurnInputs = {}): Promise<Turn> {
    const [inputs, tools] = await Promise.all([this.described(sessionId, text, asked), this.options.tools.take([])]);
    return this.whenIdle(sessionId, (lane) => {
      const news = this.options.news?.(sessionId);
      const turn = lane.run(text, { ...inputs, news: news?.text }, tools);
      if (news !== undefined) tellOnce(turn, news).catch(() => undefined);
      const left = this.leftOver(lane);
      // A commit that fails ends the turn, and says so.
      if (left.length > 0) turn.inject(left.join("\n\n")).catch(() => undefined);
      return turn;
    });
  }

  /** Starts a turn that goes on from what another one had come to; the session ends where that one began. */
  async takeOver(sessionId: string, past: Past): Promise<Turn> {
    const { system, taskId, route } = past.start;
    const tools = await this.options.tools.take(past.messages.flatMap(namesCalled));
    return this.whenIdle(sessionId, (lane) => lane.run("", { past, system, taskId, route }, tools));
  }

  private async described(sessionId: string, text: string, inputs: TurnInputs): Promise<TurnInputs> {
    const { describe, refer, beside } = this.options;
    const named = text.includes("$") ? await refer?.(text) : undefined;
    const told = (await beside?.take(sessionId, "message")) ?? [];
    const attachments = [...(inputs.attachments ?? []), ...(named ?? []), ...besideParts(told)];
    const pictures = attachments.filter((part) => part.type === "image");
    const description = pictures.length === 0 ? undefined : await describe?.({ sessionId, text, pictures });
    return { ...inputs, attachments: description === undefined ? attachments : [...attachments, description] };
  }

  /** Ends what goes on between the turns of all sessions. */
  async rest(): Promise<void> {
    const lanes = await Promise.allSettled(this.lanes.all());
    await Promise.all(
      lanes.map(async (lane) => (lane.status === "fulfilled" ? lane.value.compacting.rest() : undefined)),
    );
  }

  async importMessages(sessionId: string, messages: readonly Message[]): Promise<void> {
    await this.whenIdle(sessionId, (lane) => lane.importMessages(messages));
  }

  /** `use` is called in the tick in which the lane was seen idle: nobody can come between. */
  private async whenIdle<T>(sessionId: string, use: (lane: Lane) => T): Promise<Awaited<T>> {
    for (;;) {
      const lane = await this.lane(sessionId);
      // It may have been let go before it could be used.
      if (!this.lanes.has(lane)) continue;
      if (lane.running !== undefined) await lane.running;
      else if (lane.unfinished) this.closed.set(lane, [...this.leftOver(lane), ...(await close(lane))]);
      else if (this.followUp(lane)) continue;
      else return this.used(lane, use);
    }
  }

  /** `use` is called at once. */
  private async used<T>(lane: Lane, use: (lane: Lane) => T): Promise<Awaited<T>> {
    try {
      return await use(lane);
    } finally {
      this.lanes.letGo();
    }
  }

  private async open(sessionId: string): Promise<Lane> {
    const { store, openModel, onFollowUp, caps = {}, tools: shelf, ...rest } = this.options;
    const stored = await store.open(sessionId);
    const onUndelivered =
      onFollowUp && ((lane: Lane, texts: readonly string[]): void => this.takeUndelivered(lane, texts));
    try {
      const known = await openModel(stored);
      // A turn that is taken up goes on with what it has called.
      const called = calledIn(stored.openTurn);
      const tools = stored.openTurn.length === 0 ? shelf.newest : await shelf.take(called);
      const limit = (ownUsd = caps.turn): MoneyLimit | undefined =>
        tightestLimit(
          { ...caps, ...(ownUsd !== undefined && { turn: ownUsd }) },
          { store, sessionId, nowMs: rest.ports.clock.now() },
        );
      const onIdle = (): void => this.lanes.letGo();
      return new Lane({ ...rest, ...known, stored, tools, onUndelivered, onIdle, limit });
    } catch (error) {
      stored.release();
      throw error;
    }
  }

  private leftOver(lane: Lane): readonly string[] {
    const left = this.closed.get(lane) ?? [];
    this.closed.delete(lane);
    return left;
  }

  private takeUndelivered(lane: Lane, texts: readonly string[]): void {
    const { sessionId, route } = lane;
    const added = texts.map((text) => ({ text, route }));
    if (added.length > 0) this.followUps.set(sessionId, [...(this.followUps.get(sessionId) ?? []), ...added]);
    this.followUp(lane);
  }

  /** Starts the turn of the message that has waited longest; false when the lane is not free or nothing waits. */
  private followUp(lane: Lane): boolean {
    const { sessionId } = lane;
    const [next, ...later] = this.followUps.get(sessionId) ?? [];
    if (next === undefined || lane.broken || lane.unfinished) return false;
    if (later.length > 0) this.followUps.set(sessionId, later);
    else this.followUps.delete(sessionId);
    this.options.onFollowUp?.(lane.run(next.text, { route: next.route }, this.options.tools.newest), sessionId);
    return true;
  }
}

/** The first that is seen of a turn is what was committed first. */
async function tellOnce(turn: Turn, news: News): Promise<void> {
  for await (const _ of turn) break;
  news.told();
}

const calledIn = (facts: readonly Fact[]): readonly string[] =>
  facts.flatMap((fact) => {
    if (fact.type === "history-imported") return fact.messages.flatMap(namesCalled);
    return fact.type === "assistant-message" ? namesCalled(fact.message) : [];
  });

const namesCalled = (message: Message): readonly string[] =>
  message.role === "assistant" ? callsOf(message).map(({ name }) => name) : [];

/** The source of what is told of things that go on beside a session. */
export const BESIDE = "background processes";

const besideParts = (told: readonly string[]): readonly ContextPart[] =>
  told.length === 0 ? [] : [{ type: "context", source: BESIDE, text: told.join("\n") }];

/** Returns what the turn leaves over. A turn that cannot even be closed would be tried for ever. */
async function close(lane: Lane): Promise<readonly string[]> {
  const { error, pendingSteer, interruptMessage } = await lane.supersede();
  if (lane.broken) throw new StoreError("io", error?.message ?? "The unfinished turn could not be closed.");
  return [...pendingSteer, ...(interruptMessage === null ? [] : [interruptMessage])];
}
