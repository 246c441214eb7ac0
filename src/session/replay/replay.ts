import type { Fact } from "../../protocol/fact.ts";
import { mendHistory } from "../../protocol/history.ts";
import type { Model, ModelName, RequestRecord, Successor } from "../../protocol/ports.ts";
import type { Difference, RecordedTurn, Replay, Unchecked, Wire } from "../../protocol/replay.ts";
import { type StoredRequest, UNKEPT } from "../../protocol/store.ts";
import { apply } from "../../turn/apply.ts";
import { gaugeIn } from "../../turn/gauge.ts";
import { initialState, type TurnState } from "../../turn/state.ts";
import { readKit, type RunKit } from "../kit-text.ts";
import { ModelRoutes } from "../model-routes.ts";
import type { SessionOpening } from "../turn.ts";
import { type Leniency, requestDifference } from "./compare.ts";
import { Course, Over } from "./course.ts";
import { Life } from "./life.ts";
import { recordedPorts } from "./ports.ts";
import { Waits } from "./waits.ts";

/** Writes requests as a model of this wire was asked. `identity`: it had taken over from another model. */
export type Writing = (session: SessionOpening & { readonly identity?: ModelName }) => Model;

/** Gets ready what writes requests; asks nobody anything. */
export type OpenWire = (wire: Wire) => Promise<Writing>;

/**
 * Runs a turn again against its record, without network, tools, clock or chance, and says where our code comes to something
 * else first.
 */
export async function replayRecord(turn: RecordedTurn, open: OpenWire): Promise<Replay> {
  const [first] = turn.kits;
  const about = { turnId: turn.turnId, sessionId: turn.sessionId };
  if (first?.at !== 0) return { ...about, facts: 0, requests: 0, difference: null, unchecked: ["no-kit"] };
  const kits = turn.kits.map(({ at, kit }) => ({ at, kit: readKit(kit) }));
  const replaying = new Replaying(turn, kits, await writersOf(turn, kits, open));
  return { ...about, ...(await replaying.run()) };
}

type Writers = ReadonlyMap<string, Writing>;

/** What a turn ran under, from the fact at this place on. */
interface KitFrom {
  readonly at: number;
  readonly kit: RunKit;
}

const keyOf = (wire: Wire): string => JSON.stringify(wire);

async function writersOf({ facts }: RecordedTurn, kits: readonly KitFrom[], open: OpenWire): Promise<Writers> {
  const own = kits.map(({ kit }) => kit.wire);
  const others = facts.map(({ fact }) => (fact.type === "model-switched" ? fact.wire : undefined));
  const wires = new Map([...own, ...others].flatMap((wire) => (wire === undefined ? [] : [[keyOf(wire), wire]])));
  return new Map(await Promise.all([...wires].map(async ([key, wire]) => [key, await open(wire)] as const)));
}

class Replaying {
  readonly #turn: RecordedTurn;
  readonly #kits: readonly KitFrom[];
  readonly #writers: Writers;
  readonly #course: Course;
  readonly #kept: ReadonlyMap<number, StoredRequest>;
  readonly #unchecked = new Set<Unchecked>();
  #kit: RunKit;
  #routes: ModelRoutes;
  /** Of the request that was written last. */
  #head = "";
  #wrote = true;
  #requests = 0;

  constructor(turn: RecordedTurn, kits: readonly KitFrom[], writers: Writers) {
    this.#turn = turn;
    this.#kits = kits;
    this.#writers = writers;
    this.#kept = new Map(turn.requests.map((request) => [request.attempt, request]));
    this.#kit = this.#kitAt(0);
    this.#routes = this.#routesOf(this.#kit);
    this.#course = new Course(turn, this.#stateAt(0));
    const asks = turn.facts.some(({ fact }) => fact.type === "attempt-start");
    if (asks && turn.requests.length === 0) this.#unchecked.add("no-requests");
  }

  async run(): Promise<Omit<Replay, "turnId" | "sessionId">> {
    const difference = await this.#lives();
    const facts = this.#course.index;
    return { facts, requests: this.#requests, difference: difference ?? null, unchecked: [...this.#unchecked] };
  }

  async #lives(): Promise<Difference | undefined> {
    const course = this.#course;
    course.take();
    try {
      while ((await this.#life().run()) === "next-life") this.#takeUp();
    } catch (error) {
      if (!(error instanceof Over)) throw error;
    }
    return course.difference;
  }

  /** A process that had it in hand already goes on with what it knows. */
  #takeUp(): void {
    const course = this.#course;
    const { index } = course;
    const isAnother = course.next?.type === "turn-resumed" || this.#kits.some(({ at }) => at === index);
    if (isAnother) {
      this.#kit = this.#kitAt(index);
      course.state = this.#stateAt(index);
    }
    this.#routes = this.#routesOf(this.#kit);
    for (const { fact } of this.#turn.facts.slice(0, index)) if (fact.type === "model-switched") this.#reach(fact);
    course.take();
  }

  #life(): Life {
    const course = this.#course;
    const waits = new Waits();
    const { sessionId } = this.#turn;
    const ports = recordedPorts({
      course,
      waits,
      sessionId,
      model: this.#routes.model,
      added: () => (this.#hasAdded() ? UNKEPT : undefined),
      reach: (to) => this.#reach(to),
    });
    return new Life({
      course,
      waits,
      ports,
      lenient: () => this.#leniency(),
      onRequest: (request) => this.#onRequest(request),
      onSwitch: (fact) => this.#reach(fact),
    });
  }

  #leniency(): Leniency {
    const next = this.#course.nextOwn;
    const sizes = next?.type === "attempt-start" && this.#kept.has(next.attempt);
    return { lengths: this.#turn.redacted === true || this.#hasAdded(), sizes, unwritten: !this.#wrote };
  }

  /** Something that is not kept was added to the system prompt of the request that is next. */
  #hasAdded(): boolean {
    const next = this.#course.nextOwn;
    return next?.type === "attempt-start" && this.#kept.get(next.attempt)?.body.includes(UNKEPT) === true;
  }

  #onRequest({ continues, add, tail }: RequestRecord): void {
    const { attempt } = this.#course.state;
    const added = Buffer.concat(add).toString();
    this.#head = continues ? this.#head + added : added;
    const kept = this.#kept.get(attempt);
    if (!this.#wrote || kept === undefined) return;
    const index = this.#course.index - 1;
    const found = requestDifference({ expected: kept.body, got: this.#head + tail }, { index, attempt });
    if (found !== undefined) this.#course.end(found);
    this.#requests++;
  }

  /** Before any fact at `index` and behind: as the process that took it up then had it. */
  #stateAt(index: number): TurnState {
    const { history, compaction, strikes, learnt, facts, kits } = this.#turn;
    const gauge = index === 0 ? gaugeIn(kits[0]?.gauge) : gaugeIn(undefined);
    const begun = { compaction, strikes, learnt, gauge };
    const state = initialState(this.#setupAt(index), mendHistory(history), begun);
    for (const { fact } of facts.slice(0, index)) apply(state, fact);
    return state;
  }

  #setupAt(index: number): TurnState["setup"] {
    const { setup } = this.#kit;
    const [start] = this.#turn.facts;
    return index === 0 && start?.fact.type === "turn-start"
      ? { ...setup, maxIterations: start.fact.maxIterations }
      : setup;
  }

  #kitAt(index: number): RunKit {
    return this.#kits.findLast(({ at }) => at <= index)?.kit ?? readKit("{}");
  }

  #routesOf(kit: RunKit): ModelRoutes {
    const session = this.#session(kit);
    const own = kit.wire === undefined ? undefined : this.#writers.get(keyOf(kit.wire));
    return new ModelRoutes(this.#noting(own?.(session)), { ...session, backup: undefined });
  }

  #session({ tools, system = this.#turn.system }: RunKit): SessionOpening {
    return { nonce: this.#turn.nonce, system, tools };
  }

  #reach({ provider, model, wire }: Successor | Extract<Fact, { type: "model-switched" }>): void {
    const { setup } = this.#kit;
    if (provider === setup.provider && model === setup.model) return;
    const writing = wire && this.#writers.get(keyOf(wire));
    const identity = { provider, model };
    this.#routes.add({ ...identity, open: (session) => this.#noting(writing?.({ ...session, identity })) });
  }

  /** Knows whether the request that was prepared last could be written. */
  #noting(model: Model | undefined): Model {
    return {
      ready: async (request) => model?.ready?.(request),
      prepare: (request) => {
        this.#wrote = model !== undefined;
        if (model !== undefined) return model.prepare(request);
        this.#unchecked.add("no-wire");
        return UNWRITTEN;
      },
    };
  }
}

const UNWRITTEN: ReturnType<Model["prepare"]> = {
  record: { continues: false, add: [], tail: "" },
  size: { messages: 0, bytes: 0 },
  send: () => Promise.reject(new Error("it is never sent")),
};
