import { hostname } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { faultOf, reply, temporaryFolder, turnEnd, turnStart } from "../../../test/support/store-world.ts";
import type { Fact } from "../../protocol/fact.ts";
import { type Message, userText, withSteer } from "../../protocol/message.ts";
import type { Store, StoredSession, Writer } from "../../protocol/store.ts";
import { openSqliteStore } from "./store.ts";

/** A plain array per session is what a store must be. */
interface Model {
  readonly committed: Map<string, Fact[]>;
  readonly pending: Map<string, Fact[]>;
  turns: number;
}

/** The program and all its earlier lives, which may still hold the file open. */
class World {
  store: Store;
  readonly writers = new Map<string, Writer>();
  readonly counted = new Map<string, number>();
  private readonly path: string;
  private flushes: (() => void)[] = [];
  private readonly dead: Store[] = [];

  constructor(path: string) {
    this.path = path;
    this.store = this.boot();
  }

  private boot(): Store {
    return openSqliteStore({ path: this.path, defer: (flush) => this.flushes.push(flush) });
  }

  tick(): void {
    for (const flush of this.flushes.splice(0)) flush();
  }

  async open(id: string): Promise<StoredSession> {
    const opening = this.store.open(id);
    this.tick();
    const session = await opening;
    this.counted.set(id, 0);
    const count = (facts: number): void => void this.counted.set(id, (this.counted.get(id) ?? 0) + facts);
    this.writers.set(id, session.writer(count));
    return session;
  }

  /** What was not flushed is gone, and nobody is there who could give a lease back. */
  crash(): void {
    this.flushes = [];
    this.writers.clear();
    this.dead.push(this.store);
    const db = new DatabaseSync(this.path);
    db.prepare("update session set owner = ? where owner is not null").run(`${hostname()}/999999999/x`);
    db.close();
    this.store = this.boot();
  }

  close(): void {
    for (const store of [...this.dead, this.store]) store.close();
  }
}

function foldHistory(facts: readonly Fact[]): (Message | undefined)[] {
  const history: (Message | undefined)[] = [];
  for (const fact of facts) {
    if (fact.type === "steer-placed") {
      const receipt = history[fact.seq];
      if (receipt?.role === "tool") history[fact.seq] = withSteer(receipt, fact.steer);
    } else if ("seq" in fact && "message" in fact) {
      while (history.length < fact.seq) history.push(undefined);
      history[fact.seq] = fact.message;
    }
  }
  return history;
}

const placesOf = (facts: readonly Fact[]): number => foldHistory(facts).length;
const isOpen = (facts: readonly Fact[]): boolean =>
  facts.findLast(({ type }) => type === "turn-start" || type === "turn-end")?.type === "turn-start";
const turnsOf = (facts: readonly Fact[]): string[] =>
  facts.flatMap((fact) => (fact.type === "turn-start" ? [fact.turnId] : []));

function turnIn(facts: readonly Fact[], turnId: string): Fact[] {
  const from = facts.findIndex((fact) => fact.type === "turn-start" && fact.turnId === turnId);
  const end = facts.findIndex((fact, at) => at > from && fact.type === "turn-end");
  return facts.slice(from, end < 0 ? undefined : end + 1);
}

/** The next fact of a session, out of what is there: enough of a turn for a store, which judges nothing. */
function nextFacts(facts: readonly Fact[], pick: number, text: string, newTurn: () => string): Fact[] {
  const seq = placesOf(facts);
  if (!isOpen(facts)) return [turnStart(newTurn(), seq, text)];
  const answer = facts.findLast((fact) => fact.type === "assistant-message");
  switch (pick % 7) {
    case 0:
      return [{ type: "attempt-start", attempt: pick, iteration: pick, model: text }];
    case 1:
      return [reply(seq, text)];
    case 2: {
      // Receipts settle in any order: the later place comes first.
      const receipt = (at: number): Fact => ({
        type: "receipt",
        seq: at,
        message: { role: "tool", callId: `c${at}`, status: "ok", parts: [{ type: "text", text }] },
      });
      const steer = { type: "steer", steerId: "s", text } as const;
      return [receipt(seq + 1), receipt(seq), { type: "steer-placed", seq: seq + 1, part: 1, steer }];
    }
    case 3:
      return [{ type: "injection-delivered", injectionId: "i", seq, message: { ...userText(text), midTurn: true } }];
    case 4:
      return [{ type: "segment-start", callIds: [text], effect: pick % 2 === 0 ? "pure" : "effect" }];
    case 5:
      return [turnEnd(answer?.type === "assistant-message" && pick % 2 === 0 ? text : "the end")];
    default:
      return [{ type: "steer-accepted", steerId: "s", text }];
  }
}

type Step = fc.AsyncCommand<Model, World>;

const of = (map: ReadonlyMap<string, Fact[]>, id: string): Fact[] => map.get(id) ?? [];
const all = (model: Model, id: string): Fact[] => [...of(model.committed, id), ...of(model.pending, id)];

function settleAll(model: Model): void {
  for (const [id, facts] of model.pending) model.committed.set(id, [...of(model.committed, id), ...facts]);
  model.pending.clear();
}

function readAll(model: Model, { store }: World): void {
  for (const [id, facts] of model.committed) {
    expect(store.history(id)).toStrictEqual(foldHistory(facts));
    for (const turnId of turnsOf(facts)) {
      expect(store.turn(turnId)?.facts.map(({ fact }) => fact)).toStrictEqual(turnIn(facts, turnId));
    }
    const summary = store.list().find(({ sessionId }) => sessionId === id);
    const messages = foldHistory(facts).filter((message) => message !== undefined).length;
    expect(summary).toMatchObject({ messages, turns: turnsOf(facts).length, unfinished: isOpen(facts) });
  }
  expect(store.list()).toHaveLength(model.committed.size);
}

const append = (id: string, pick: number, text: string): Step => ({
  check: () => true,
  run: async (model, world) => {
    if (!world.writers.has(id)) {
      await world.open(id);
      settleAll(model);
    }
    const facts = nextFacts(all(model, id), pick, text, () => `turn-${model.turns++}`);
    for (const fact of facts) world.writers.get(id)?.append(fact);
    model.pending.set(id, [...of(model.pending, id), ...facts]);
  },
  toString: () => `append(${id}, ${pick}, ${JSON.stringify(text)})`,
});

const barrier = (id: string): Step => ({
  check: (model) => of(model.pending, id).length > 0,
  run: async (model, world) => {
    const opening = world.writers.get(id)?.barrier();
    world.tick();
    await opening;
    settleAll(model);
    readAll(model, world);
  },
  toString: () => `barrier(${id})`,
});

const reopen = (id: string): Step => ({
  check: () => true,
  run: async (model, world) => {
    const old = world.writers.get(id);
    const { history, openTurn } = await world.open(id);
    settleAll(model);
    const facts = of(model.committed, id);
    const open = isOpen(facts) ? turnIn(facts, turnsOf(facts).at(-1) ?? "") : [];
    expect(openTurn).toStrictEqual(open);
    const before = facts.slice(0, facts.length - open.length);
    expect(history).toStrictEqual(foldHistory(before));
    if (old === undefined) return;
    old.append({ type: "turn-resumed" });
    const refused = faultOf(() => old.barrier());
    world.tick();
    expect((await refused).fault).toBe("lease_lost");
  },
  toString: () => `reopen(${id})`,
});

const crash = (): Step => ({
  check: () => true,
  run: (model, world) => {
    world.crash();
    model.pending.clear();
    readAll(model, world);
    return Promise.resolve();
  },
  toString: () => "crash()",
});

const search = (): Step => ({
  check: () => true,
  run: (model, { store }) => {
    const messages = [...model.committed.values()].flatMap((facts) => foldHistory(facts));
    const parts: Message["parts"][number][] = messages.flatMap((message) => [...(message?.parts ?? [])]);
    const said = parts.filter((part) => (part.type === "text" || part.type === "steer") && part.text.includes("the"));
    expect(store.search("the", 1_000)).toHaveLength(said.length);
    return Promise.resolve();
  },
  toString: () => "search()",
});

test("[G2 G3 X6] a store is an array of facts per session, whatever happens to the program", async () => {
  const id = fc.constantFrom("a", "b", "c");
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("the", "in the box", "\ud800", "\0"));
  const steps = [
    fc.tuple(id, fc.nat(), text).map((values) => append(...values)),
    fc.tuple(id, fc.nat(), text).map((values) => append(...values)),
    id.map(barrier),
    id.map(reopen),
    fc.constant(crash()),
    fc.constant(search()),
  ];
  const folder = temporaryFolder();
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: 60 }), async (commands) => {
      const world = new World(join(folder, `${runs++}.db`));
      try {
        await fc.asyncModelRun(
          () => ({ model: { committed: new Map(), pending: new Map(), turns: 0 }, real: world }),
          commands,
        );
      } finally {
        world.close();
      }
    }),
    { numRuns: 60 },
  );
  expect(runs).toBe(60);
});
