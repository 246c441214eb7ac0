import assert from "node:assert/strict";
import fc from "fast-check";
import type { Message } from "../../src/protocol/message.ts";
import type { SessionRecord, TimedFact } from "../../src/protocol/store.ts";
import { leaveBefore } from "../../src/session/branches.ts";
import { readSessionFile, sessionLines } from "../../src/session/session-file.ts";
import { pruneSessions } from "../../src/cli/records/change.ts";
import type { Io } from "../../src/cli/io.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { type Script, SessionsWorld } from "../support/sessions-world.ts";
import { assertSound } from "../support/sound.ts";
import type { Job, Tally } from "./shards.ts";

/** What somebody does; `at` names a session, counted round. */
type Op =
  | {
      readonly do: "send";
      readonly at: number;
      readonly rounds: readonly (readonly string[])[];
      readonly meanwhile: "nothing" | "steer" | "inject" | "interrupt" | "switch" | "fork" | "pin";
      readonly request: number;
      /** Facts behind which the process dies; 0: it lives. */
      readonly crash: number;
      readonly long: boolean;
    }
  | { readonly do: "resume"; readonly at: number; readonly allow: boolean }
  | { readonly do: "fork"; readonly at: number; readonly place: number }
  | { readonly do: "back" | "retry" | "edit"; readonly at: number; readonly back: number }
  | { readonly do: "compact" | "remove" | "pin" | "unpin" | "rename" | "transfer"; readonly at: number }
  | { readonly do: "prune"; readonly keep: number }
  | { readonly do: "restart" }
  | { readonly do: "nothing" };

const at = fc.nat(7);
const calls = fc.array(fc.constantFrom("read", "read", "write", "missing", "guarded"), { minLength: 1, maxLength: 3 });
const send: fc.Arbitrary<Op> = fc.record({
  do: fc.constant("send" as const),
  at,
  rounds: fc.array(calls, { maxLength: 2 }),
  meanwhile: fc.constantFrom("nothing", "nothing", "steer", "inject", "interrupt", "switch", "fork", "pin"),
  request: fc.nat(2),
  crash: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 12 }) }),
  long: fc.boolean(),
});
const op: fc.Arbitrary<Op> = fc.oneof(
  { withCrossShrink: true },
  // What counts for nothing is taken out of a counterexample so.
  { weight: 1, arbitrary: fc.constant({ do: "nothing" } as const) },
  { weight: 8, arbitrary: send },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("resume" as const), at, allow: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("fork" as const), at, place: fc.nat(12) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("back", "retry", "edit"), at, back: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom("compact", "compact", "remove", "pin", "unpin", "rename", "transfer"),
      at,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("prune" as const), keep: fc.integer({ min: 3, max: 6 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: "restart" } as const) },
);

/** What is known of a session without looking: each message as its JSON, and what else people see. */
interface Known {
  messages: readonly string[];
  pinned: boolean;
  /** Messages before a turn that has not ended; undefined: all turns have. */
  openAt: number | undefined;
}

const OPS = 60;

/** Random operations on sessions, held against a model that knows nothing of how they are kept. */
export async function sessionOps({ runs, seed, onProgress = () => {} }: Job): Promise<Tally> {
  const tally: Record<string, number> = { runs: 0, ops: 0 };
  const property = fc.asyncProperty(fc.array(op, { minLength: OPS, maxLength: OPS, size: "max" }), async (ops) => {
    await play(ops, tally);
    onProgress();
  });
  await fc.assert(property, { numRuns: runs, ...(seed !== undefined && { seed }), interruptAfterTimeLimit: 3_000_000 });
  return tally;
}

/** One run of them. */
async function play(ops: readonly Op[], tally: Record<string, number>): Promise<void> {
  using world = new SessionsWorld();
  const player = new Player(world);
  for (const each of ops) {
    await player.take(each);
    tally["ops"] = (tally["ops"] ?? 0) + 1;
    tally[each.do] = (tally[each.do] ?? 0) + 1;
  }
  world.restart();
  player.checkAll();
  assertSound(world.path);
  tally["runs"] = (tally["runs"] ?? 0) + 1;
}

class Player {
  private readonly world: SessionsWorld;
  private readonly known = new Map<string, Known>();
  private said = 0;

  constructor(world: SessionsWorld) {
    this.world = world;
  }

  async take(each: Op): Promise<void> {
    if (each.do === "restart") this.world.restart();
    else if (each.do === "nothing") return;
    else if (each.do === "prune") await this.prune(each.keep);
    else if (each.do === "send") await this.send(each);
    else await this.withSession(each);
    if (this.world.isDead) this.world.restart();
    this.checkSome();
  }

  checkAll(): void {
    const listed = this.world.store.list().map(({ sessionId }) => sessionId);
    assert.deepEqual(listed.toSorted(), [...this.known.keys()].toSorted(), "the sessions that are listed");
    for (const id of this.known.keys()) this.check(id);
  }

  private get ids(): readonly string[] {
    return [...this.known.keys()];
  }

  private idAt(place: number): string | undefined {
    return this.ids[place % Math.max(1, this.ids.length)];
  }

  /** Sessions that nobody has touched change as little as those that somebody has. */
  private checkSome(): void {
    for (const id of [this.idAt(this.said++), this.ids.at(-1)]) if (id !== undefined) this.check(id);
  }

  private check(id: string): void {
    const known = this.of(id);
    assert.deepEqual(this.stored(id), known.messages, `what was said in ${id}`);
  }

  private stored(id: string): string[] {
    return (this.world.store.history(id) ?? []).map((message) =>
      message === undefined ? "" : JSON.stringify(message),
    );
  }

  private of(id: string): Known {
    const known = this.known.get(id);
    assert.ok(known !== undefined, `${id} is not known`);
    return known;
  }

  private async send(asked: Extract<Op, { do: "send" }>): Promise<void> {
    const isNew = this.known.size < 2 || asked.at === 7;
    const id = isNew ? `s${this.said}` : (this.idAt(asked.at) ?? "s");
    await this.say(id, asked);
  }

  /** The words of the user are in the session exactly once, behind all that was there, whatever came of the turn. */
  private async say(id: string, asked: Omit<Extract<Op, { do: "send" }>, "do" | "at">): Promise<void> {
    const { rounds, crash, long } = asked;
    const words = `words ${this.said++}`;
    const answer = `answer ${words}${long ? ` ${"so it is said. ".repeat(60)}` : ""}`;
    const script: Script = {
      rounds,
      answer,
      during: { request: asked.request, act: (turn) => this.during(id, asked, turn) },
    };
    const before = this.known.get(id);
    const result = await this.world.send(id, words, script, crash === 0 ? Infinity : crash);
    if (this.world.isDead) this.world.restart();
    const after = this.stored(id);
    const kept = before?.messages.slice(0, before.openAt) ?? [];
    assert.deepEqual(after.slice(0, kept.length), kept, `what had been said in ${id} before`);
    const times = after.slice(kept.length).filter((message) => message.includes(`"${words}"`)).length;
    if (result !== undefined) assert.equal(times, 1, `"${words}" in ${id}`);
    else assert.ok(times <= 1, `"${words}" in ${id}`);
    if (result?.ok === true) assert.ok(after.at(-1)?.includes(JSON.stringify(answer)), "its answer is the last word");
    if (after.length > 0 || before !== undefined) this.note(id, after);
  }

  /** What a turn has left behind is what is known from here on; nothing that was said before it is another. */
  private note(id: string, messages: readonly string[]): void {
    const open = this.world.store.openTurns().find(({ sessionId }) => sessionId === id)?.facts[0]?.fact;
    const openAt = open?.type === "turn-start" ? open.seq : undefined;
    const found = this.world.store.list().find(({ sessionId }) => sessionId === id)?.pinned ?? false;
    const pinned = this.known.get(id)?.pinned === true || found;
    this.known.set(id, { messages, pinned, openAt });
  }

  private during(
    id: string,
    { meanwhile }: Pick<Extract<Op, { do: "send" }>, "meanwhile">,
    turn: TurnOf,
  ): Promise<unknown> {
    const text = `${meanwhile} ${this.said}`;
    switch (meanwhile) {
      case "nothing":
        return Promise.resolve();
      case "steer":
        return turn.steer(text);
      case "inject":
        return turn.inject(text);
      case "interrupt":
        return turn.interrupt("user");
      case "switch":
        return turn.switchModel(this.world.other);
      case "fork":
        return this.forkWhileRunning(id);
      case "pin":
        // Whether its process lived to see it is seen behind the turn.
        return this.world.store.pin(id, true);
    }
  }

  /** Of a turn that runs nothing is shared. */
  private async forkWhileRunning(id: string): Promise<void> {
    const before = this.known.get(id);
    if (before === undefined) return;
    const fork = await this.world.store.fork(this.world.newId(), { from: id });
    assert.ok(fork !== undefined, "a session is forked while its turn runs");
    this.noteFork(fork.sessionId, this.stored(fork.sessionId));
    const end = before.openAt ?? before.messages.length;
    const shared = this.of(fork.sessionId).messages;
    // An unfinished turn is closed before the next one runs, and then counts as ended.
    assert.ok(shared.length >= end, "what had ended is shared");
    assert.deepEqual(shared.slice(0, end), before.messages.slice(0, end));
  }

  private noteFork(id: string, messages: readonly string[]): void {
    this.known.set(id, { messages, pinned: false, openAt: undefined });
  }

  private async withSession(each: Exclude<Op, { do: "send" | "prune" | "restart" | "nothing" }>): Promise<void> {
    const id = this.idAt(each.at);
    if (id === undefined) return;
    const { store } = this.world;
    switch (each.do) {
      case "resume":
        return this.resume(id, each.allow);
      case "fork":
        return this.fork(id, each.place);
      case "back":
      case "retry":
      case "edit":
        return this.leave(id, each);
      case "compact":
        return this.compact(id);
      case "remove":
        assert.equal(await store.remove(id), true);
        this.known.delete(id);
        assert.equal(store.history(id), undefined);
        return;
      case "pin":
      case "unpin":
        assert.equal(await store.pin(id, each.do === "pin"), true);
        this.of(id).pinned = each.do === "pin";
        return;
      case "rename":
        assert.equal(await store.rename(id, `title ${id}`), true);
        return;
      case "transfer":
        return this.transfer(id);
    }
  }

  private async resume(id: string, allow: boolean): Promise<void> {
    const { messages, openAt } = this.of(id);
    const result = await this.world.resume(id, { rounds: [], answer: `resumed ${this.said++}` }, allow);
    assert.equal(result === undefined, openAt === undefined, "a turn goes on where one had not ended");
    const after = this.stored(id);
    const whole = messages.slice(0, openAt);
    assert.deepEqual(after.slice(0, whole.length), whole);
    this.note(id, after);
  }

  private async compact(id: string): Promise<void> {
    const { messages, openAt } = this.of(id);
    const done = await this.world.compact(id);
    if (openAt !== undefined) assert.equal(done, false, "nothing is left out while a turn is open");
    assert.deepEqual(this.stored(id), messages, "a compaction takes nothing out of the archive");
  }

  private async fork(id: string, place: number): Promise<void> {
    const { messages, openAt } = this.of(id);
    const expected = legalPlace(messages, Math.min(place, openAt ?? messages.length));
    const fork = await this.world.store.fork(this.world.newId(), { from: id, at: place });
    assert.equal(fork?.at, expected, `the place of a fork of ${id} at ${place}`);
    this.noteFork(fork.sessionId, messages.slice(0, expected));
    this.check(fork.sessionId);
    this.check(id);
  }

  private async leave(id: string, { do: what, back }: Extract<Op, { back: number }>): Promise<void> {
    const { messages } = this.of(id);
    const left = await leaveBefore(this.world.store, { from: id, back, newSessionId: () => this.world.newId() });
    const starts = messages.flatMap((body, seq) => (isStart(body) ? [seq] : []));
    assert.equal(left?.at, starts.at(-back), `the ${back}. message back in ${id}`);
    if (left === undefined) return;
    this.noteFork(left.sessionId, messages.slice(0, left.at));
    if (what === "back") return;
    await this.say(left.sessionId, { rounds: [], meanwhile: "nothing", request: 0, crash: 0, long: what === "edit" });
    this.check(id);
  }

  private async prune(keep: number): Promise<void> {
    const listed = this.world.store.list();
    const goes = listed.slice(keep).filter(({ pinned, unfinished }) => !pinned && !unfinished);
    for (const { sessionId, pinned, unfinished } of listed) {
      assert.equal(pinned, this.of(sessionId).pinned, `${sessionId} is pinned`);
      assert.equal(unfinished, this.of(sessionId).openAt !== undefined, `${sessionId} has not ended`);
    }
    const asked = { io: NO_IO, json: true, language: "en", yes: true, folder: "/none" } as const;
    await pruneSessions(this.world.store, { keep: String(keep) }, asked);
    for (const { sessionId } of goes) this.known.delete(sessionId);
    this.checkAll();
  }

  /** Out and in under another name here, and under its own in an empty store: nothing is lost, but whose words they are is. */
  private async transfer(id: string): Promise<void> {
    const record = this.world.store.record(id);
    assert.ok(record !== undefined, `${id} is recorded`);
    const file = readSessionFile([...sessionLines(record)].join("\n"), { nowMs: 0, newIds: false });
    assert.equal(file.type, "sessions");
    const [filed] = file.type === "sessions" ? file.sessions : [];
    assert.ok(filed?.sessionId === id);
    const taken = { ...filed, sessionId: id };
    const elsewhere = memoryStore();
    try {
      assert.equal(await elsewhere.restore(taken), true);
      const again = elsewhere.record(id);
      assert.deepEqual(sameText(again?.facts ?? []), sameText(taken.facts), "the facts of a session that was taken in");
      assert.deepEqual(bare(elsewhere.history(id)), bare(this.world.store.history(id)));
    } finally {
      elsewhere.close();
    }
    const copy: SessionRecord = { ...taken, sessionId: this.world.newId() };
    assert.equal(await this.world.store.restore(copy), true);
    this.note(copy.sessionId, this.stored(copy.sessionId));
    assert.deepEqual(bare(this.world.store.history(copy.sessionId)), bare(this.world.store.history(id)));
  }
}

type TurnOf = Parameters<NonNullable<Script["during"]>["act"]>[0];

const sameText = (facts: Iterable<TimedFact>): string[] => [...facts].map((fact) => JSON.stringify(fact));

/** Without the note that they come from elsewhere. */
const bare = (history: readonly (Message | undefined)[] | undefined): unknown[] =>
  (history ?? []).map((message) => (message === undefined ? undefined : { ...message, tainted: undefined }));

const isStart = (body: string): boolean => {
  if (body === "") return false;
  const message = JSON.parse(body) as Message;
  return message.role === "user" && message.midTurn !== true;
};

/** Said another way than the program does: the last of the places that part nothing. */
function legalPlace(messages: readonly string[], most: number): number {
  const roles = messages.map((body) => (body === "" ? "tool" : (JSON.parse(body) as Message).role));
  const places = Array.from({ length: most + 1 }, (_, place) => place);
  return places.findLast((place) => place === 0 || (roles[place - 1] !== "user" && roles[place] !== "tool")) ?? 0;
}

const NO_STREAM = { write: () => true } as unknown as Io["stdout"];
const NO_IO = { stdout: NO_STREAM, stderr: NO_STREAM, stdin: {}, env: {} } as unknown as Io;
