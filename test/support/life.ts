import { isDeepStrictEqual } from "node:util";
import type { Fact, TurnEvent } from "../../src/protocol/fact.ts";
import type { TurnResult } from "../../src/protocol/result.ts";
import type { Lane } from "../../src/session/lane.ts";
import type { Turn } from "../../src/session/turn.ts";
import { type Plan, World } from "./world.ts";

/** How a new process takes up what a dead one has left. */
export type TakeUp = "resume" | "supersede";

export interface Life {
  readonly world: World;
  /** After how many facts its processes died, one after the other. */
  readonly deaths: readonly number[];
  /** Undefined when the last process died too, or found the turn ended. */
  readonly result: TurnResult | undefined;
  /** What a screen of the only process saw; undefined when there were several. */
  readonly events: readonly TurnEvent[] | undefined;
}

/** Runs or takes up the turn in this process, answering what it asks, until it ends or the process dies. */
async function live(world: World, lane: Lane, takeUp: TakeUp, events: TurnEvent[]): Promise<TurnResult | undefined> {
  let asked = 0;
  const decide = async (callIds: readonly string[]): Promise<void> => {
    for (const callId of callIds) {
      const isQuestion = lane.asked.some((call) => call.callId === callId && call.question !== undefined);
      const answered = isQuestion
        ? lane.answer(callId, `word ${asked++}`)
        : lane.approve(callId, world.answer(asked++));
      await answered.catch(() => false);
    }
  };
  const watch = async (turn: Turn): Promise<void> => {
    for await (const event of turn) {
      events.push(event);
      noteEarly(world, event);
      const asks = event.type === "approval-requested" || event.type === "question-asked";
      if (asks && world.policy === "ask") await decide(event.callIds);
      if (event.type === "money-asked" && world.policy === "ask") await decide(["money"]);
    }
  };
  /** Whoever answers what stands open watches by then: an answer may bring the next question. */
  const toTheEnd = async (turn: Turn, open: readonly string[] = []): Promise<TurnResult | undefined> => {
    const watched = watch(turn);
    await decide(open);
    const ended = turn.result.then(async (result) => (await watched, result));
    const result = await Promise.race([ended, world.died]);
    return result === "died" ? undefined : result;
  };
  if (lane.unfinished && takeUp === "supersede") return lane.supersede();
  const waiting = openQuestions(world.facts());
  const first = lane.unfinished ? lane.resume() : lane.run("hello");
  const ofMoney = lane.asked.filter(({ callId }) => callId === "money").map(({ callId }) => callId);
  let result = await toTheEnd(first, world.policy === "ask" ? [...waiting, ...ofMoney] : []);
  for (let round = 0; result?.exit.reason.startsWith("parked_") === true; round++) {
    // The first time only one question is answered, and the turn parks again.
    const calls = result.waitingFor.map((call) => call.callId);
    await decide(round === 0 ? calls.slice(0, 1) : calls);
    result = await toTheEnd(lane.resume());
  }
  return result;
}

function openQuestions(facts: readonly Fact[]): string[] {
  const open = new Set<string>();
  for (const fact of facts) {
    if (fact.type === "approval-requested" || fact.type === "question-asked")
      for (const callId of fact.callIds) open.add(callId);
    if (fact.type === "approval-decided" || fact.type === "question-answered") open.delete(fact.callId);
  }
  return [...open];
}

function noteEarly(world: World, event: TurnEvent): void {
  if (event.type.endsWith("-delta")) return;
  const shown: unknown = JSON.parse(JSON.stringify(event));
  if (!world.facts().some((fact) => isDeepStrictEqual(fact, shown)))
    world.breaches.push(`${event.type} was shown before it was durable`);
}

/** One turn through as many processes as it takes: each dies after as many facts as `deaths` says. */
export async function lifetime(plan: Plan, deaths: readonly number[] = [], takeUp: TakeUp = "resume"): Promise<Life> {
  const world = new World(plan);
  const events: TurnEvent[] = [];
  let result: TurnResult | undefined;
  for (const crashAfter of [...deaths, Infinity]) {
    const lane = await world.boot(crashAfter);
    const ended = world.facts().at(-1)?.type === "turn-end";
    if (!ended) result = await live(world, lane, takeUp, events);
    await world.heard();
    if (crashAfter === Infinity) break;
    if (result !== undefined && result.exit.reason !== "store_unavailable") break;
    world.halt();
    if (plan.elsewhere === true) await world.decideElsewhere();
  }
  return { world, deaths, result, events: deaths.length === 0 ? events : undefined };
}

/** Another turn in the same session and a new process: whatever the first one left behind must be a legal past. */
export async function followUp({ world }: Omit<Life, "deaths">): Promise<TurnResult | undefined> {
  world.halt();
  return live(world, await world.boot(), "resume", []);
}
