import type { ChildReport, ChildTask, Delegation } from "../../protocol/delegation.ts";
import type { ExitReason, RefusalReason } from "../../protocol/exit.ts";
import type { Fact } from "../../protocol/fact.ts";
import type { Message } from "../../protocol/message.ts";
import { type Bill, type MoneyLimit, rounded } from "../../protocol/money.ts";
import type { TurnResult } from "../../protocol/result.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import type { Store, StoredTurn } from "../../protocol/store.ts";
import { type IsTrusted, whenWritten, taintIn } from "../../protocol/taint.ts";
import type { ToolContext } from "../../protocol/tool.ts";
import type { EndedTurn } from "../after-work.ts";
import { readInput } from "../input.ts";
import type { Lane } from "../lane.ts";
import type { Refusal } from "../result.ts";
import type { Sessions } from "../sessions.ts";
import { storedEnd } from "../stored-result.ts";
import { stateOf } from "../unfinished.ts";
import { type Brood, type ChildLimits, refusedBy } from "./caps.ts";
import { childLane, type ChildPorts, messageFor, type OpenedChild, relay } from "./life.ts";
import { chargedIn, taskOf } from "./left.ts";
import { reportOf, unbegun } from "./report.ts";

/** Where in a tree of agents work is given on. */
export interface ChildPlace {
  /** How many stand above: 0 is a session of the agent. */
  readonly depth: number;
  /** Names of the tools that whoever gives it has; absent: all of the agent. */
  readonly tools?: readonly string[];
  /** The turn at the root; absent: the one that asks. */
  readonly root?: string;
}

interface ChildrenPorts extends ChildPorts {
  readonly store: Store;
  readonly sessions: () => Sessions;
  readonly limits: ChildLimits;
  readonly isTrusted: IsTrusted;
  /** The same id for the same words, hard to meet otherwise. */
  readonly idOf: (words: string) => string;
  readonly open: (asked: ChildTask["tools"], place: ChildPlace) => Promise<OpenedChild | Refusal>;
  /** A child has ended: what it left running beside it ends too. It must not reject. */
  readonly left?: ((sessionId: string) => Promise<void>) | undefined;
}

/** One child of one call. */
interface Birth {
  readonly id: string;
  readonly index: number;
  readonly task: ChildTask;
  readonly place: ChildPlace;
  readonly context: ToolContext;
  readonly limit: MoneyLimit | undefined;
  readonly tainted: string | undefined;
}

/**
 * Child agents (row I4). Each is a hidden session with one turn, run as any other. Its id follows from the call that gave
 * it its task, so whoever takes the call up after a crash finds what there is of it: none runs twice.
 */
export class Children {
  private readonly ports: ChildrenPorts;
  /** Those that run in this process. */
  private readonly lanes = new Map<string, Lane>();
  private readonly going = new Set<Promise<unknown>>();
  /** By the turn at the root. */
  private readonly broods = new Map<string, Brood>();

  constructor(ports: ChildrenPorts) {
    this.ports = ports;
  }

  /** What gives work on from one place. */
  at(place: ChildPlace): Delegation {
    return { run: (tasks, context) => this.follow(this.runAll(tasks, place, context)) };
  }

  /**
   * A turn was closed without waiting for its children, as after a crash: those that nobody runs are closed too, and what
   * they took is on its account.
   */
  settle({ sessionId, turnId, result }: EndedTurn): void {
    this.broods.delete(turnId);
    if (result.interrupted) this.settleTurn(sessionId, turnId);
  }

  /** The same, of a turn that a process closed which died then. */
  settleTurn(sessionId: string, turnId: string): void {
    this.follow(this.settleAll(sessionId, turnId)).catch((error: unknown) => this.complain(sessionId, error));
  }

  /** Stops all, and resolves when nothing goes on any more. */
  async rest(): Promise<void> {
    await Promise.allSettled([...this.lanes.values()].map((lane) => lane.interrupt("terminate")));
    while (this.going.size > 0) await Promise.allSettled(this.going);
  }

  private follow<T>(work: Promise<T>): Promise<T> {
    this.going.add(work);
    const forget = (): boolean => this.going.delete(work);
    work.then(forget, forget);
    return work;
  }

  private async runAll(tasks: readonly ChildTask[], asked: ChildPlace, context: ToolContext): Promise<ChildReport[]> {
    const { isTrusted, limits, idOf } = this.ports;
    const { sessionId, turnId = "", iteration = 0, callId, history } = context;
    const place = { ...asked, root: asked.root ?? turnId };
    const brood = this.broods.get(place.root) ?? { live: 0, started: 0 };
    const refused = refusedBy(brood, tasks.length, limits);
    if (refused !== undefined) throw new Error(refused);
    this.broods.set(place.root, brood);
    brood.live += tasks.length;
    brood.started += tasks.length;
    try {
      const { limit } = await this.laneOf(sessionId);
      const shared = {
        place,
        context,
        limit: shareOf(limit, tasks.length),
        tainted: taintIn(whenWritten(history, callId).before, isTrusted),
      };
      const births = tasks.map((task, index) => ({
        ...shared,
        id: idOf([sessionId, turnId, iteration, callId, index].join("\n")),
        index,
        task,
      }));
      return await Promise.all(births.map((birth) => this.one(birth)));
    } finally {
      brood.live -= tasks.length;
    }
  }

  private laneOf(sessionId: string): Promise<Lane> {
    const lane = this.lanes.get(sessionId);
    return lane === undefined ? this.ports.sessions().lane(sessionId) : Promise.resolve(lane);
  }

  /** Never rejects: what a child does is told. */
  private async one(birth: Birth): Promise<ChildReport> {
    const { id, index, context } = birth;
    try {
      const turn = context.resumed === true ? this.ports.store.turn(id) : undefined;
      const ended = turn && (await this.ended(turn, birth));
      if (ended !== undefined) return ended;
      if (context.signal.aborted) return unbegun(index, "It was stopped before it began.", "interrupted");
      return await this.live(birth, turn !== undefined);
    } catch (error) {
      this.complain(id, error);
      return unbegun(index, `It could not be run: ${reasonOf(error)}`);
    }
  }

  /** Undefined: it has not come to its end. */
  private async ended(turn: StoredTurn, { id, index, context }: Birth): Promise<ChildReport | undefined> {
    const end = await storedEnd(turn, "en");
    if (end === undefined) return undefined;
    await this.charge({ id, result: end.result, bill: billOf(turn) }, context);
    return reportOf({ index, isTrusted: this.ports.isTrusted, ...end });
  }

  private async live(birth: Birth, begun: boolean): Promise<ChildReport> {
    const { id, index, task, place, context, limit, tainted } = birth;
    const { store, open, limits, isTrusted, left } = this.ports;
    const opened = await open(task.tools, place);
    if ("reason" in opened) return unbegun(index, `It could not be run: ${opened.reason}.`);
    const of = { parent: context.sessionId, purpose: "child", apart: true } as const;
    const stored = await (begun ? store.open(id) : store.openChild(id, of));
    if (stored === undefined) return unbegun(index, "The conversation it was to work for is not kept.");
    const lane = childLane({ stored, opened, limit, maxTimeMs: limits.timeoutMs }, this.ports);
    this.lanes.set(id, lane);
    const stop = (): void => {
      lane.interrupt("user").catch(() => false);
    };
    context.signal.addEventListener("abort", stop, { once: true });
    try {
      const input = readInput(messageFor(task));
      const said = input.type === "blank" ? task.goal : input.text;
      const turn = begun ? lane.resume() : lane.run(said, { tainted, taskId: context.turnId });
      if (context.signal.aborted) stop();
      const told = relay(turn, (line) => context.output(`[child ${index + 1}] ${line}\n`));
      const { result } = await turn.end;
      await told;
      const messages = lane.history.filter((message): message is Message => message !== undefined);
      await this.charge({ id, result, bill: lane.bill }, context);
      return reportOf({ index, result, messages, isTrusted });
    } finally {
      context.signal.removeEventListener("abort", stop);
      this.lanes.delete(id);
      lane.release();
      await left?.(id);
    }
  }

  /** Once for each child: what a process that died has entered stands in the journal. */
  private async charge(spent: Spent, { sessionId, turnId = "", resumed }: ChildOf): Promise<void> {
    if (resumed === true && chargedIn(this.ports.store.turn(turnId)).has(spent.id)) return;
    const lane = await this.laneOf(sessionId);
    // Of a turn that runs it is a fact like any other; only where that has ended is it told whose account it is on.
    const isOn = lane.turnId === turnId && lane.unfinished;
    await lane.charge({ ...chargeFact(spent), ...(!isOn && { turnId }) });
  }

  private async settleAll(sessionId: string, turnId: string): Promise<void> {
    const { store } = this.ports;
    const turns = store.children(sessionId).flatMap((child) => store.turn(child.sessionId) ?? []);
    const own = turns.filter((turn) => taskOf(turn) === turnId);
    for (const turn of own) if (!this.lanes.has(turn.sessionId)) await this.close(turn, { sessionId, turnId });
  }

  private async close(left: StoredTurn, parent: Pick<ToolContext, "sessionId" | "turnId">): Promise<void> {
    const id = left.sessionId;
    const { store, open } = this.ports;
    if ((await storedEnd(left, "en")) === undefined) {
      const opened = await open([], { depth: 0, tools: [] });
      if ("reason" in opened) return;
      const lane = childLane(
        { stored: await store.open(id), opened, limit: undefined, maxTimeMs: undefined },
        this.ports,
      );
      this.lanes.set(id, lane);
      await lane.supersede().finally(() => {
        this.lanes.delete(id);
        lane.release();
      });
      await this.settleAll(id, id);
    }
    const turn = store.turn(id);
    const end = turn && (await storedEnd(turn, "en"));
    if (turn !== undefined && end !== undefined)
      await this.charge({ id, result: end.result, bill: billOf(turn) }, { ...parent, resumed: true });
  }

  private complain(session: string, error: unknown): void {
    const fields = { event: "child", session };
    this.ports.log({ level: "warn", line: `child: ${reasonOf(error)}`, fields });
  }
}

type ChildOf = Pick<ToolContext, "sessionId" | "turnId" | "resumed">;

interface Spent {
  readonly id: string;
  readonly result: TurnResult;
  readonly bill: Bill;
}

const chargeFact = ({ id, result, bill }: Spent): Extract<Fact, { type: "auxiliary-run" }> => ({
  type: "auxiliary-run",
  purpose: "child",
  sessionId: id,
  model: result.model ?? "",
  exit: result.exit.reason satisfies ExitReason | RefusalReason,
  attempts: result.attempts,
  usage: result.usage,
  bill,
});

const billOf = ({ facts }: StoredTurn): Bill => stateOf(facts.map(({ fact }) => fact)).ledger.bill;

/** What is left is divided, a share for the parent's own words among them: together they keep within its limit (row X4). */
const shareOf = (limit: MoneyLimit | undefined, children: number): MoneyLimit | undefined =>
  limit && { ...limit, leftUsd: rounded(limit.leftUsd / (children + 1)) };
