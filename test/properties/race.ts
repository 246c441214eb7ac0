import assert from "node:assert/strict";
import type { Fact } from "../../src/protocol/fact.ts";
import { type AssistantMessage, assistantText, type Message, textOf } from "../../src/protocol/message.ts";
import type { Model, ModelReply, ModelRequest, ToolPort } from "../../src/protocol/ports.ts";
import { SHARED } from "../../src/protocol/tool.ts";
import { Sessions } from "../../src/session/sessions.ts";
import type { Turn } from "../../src/session/turn.ts";
import { standing } from "../../src/session/turn-tools.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { type Setup, UNATTENDED } from "../../src/turn/state.ts";
import { checkRedirects } from "../support/promises.ts";
import type { Job, Tally } from "./shards.ts";

const SESSION = "s";
export const KINDS = ["steer", "inject", "redirect", "interrupt"] as const;

/** Whole numbers from 0 up to, not including, `below`; the same ones for the same seed. */
type Dice = (below: number) => number;

function diceOf(seed: number): Dice {
  let state = seed;
  return (below) => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** One session whose model, tools and clock take a random time, and somebody who keeps talking into it. */
class Race {
  /** What was said, and whether it was taken. */
  readonly said: Map<string, Promise<boolean>> = new Map();
  /** Of each turn. */
  readonly facts: Fact[][] = [];
  private readonly dice: Dice;
  private readonly store = memoryStore();
  private readonly sessions: Sessions;
  private readonly followUps: Turn[] = [];
  private turn: Turn | undefined;
  private words: number;
  private requests = 0;
  private ids = 0;

  constructor(seed: number) {
    this.dice = diceOf(seed);
    this.words = 1 + this.dice(8);
    const limitMs = this.dice(4) === 0 ? 1 : undefined;
    const about = { provider: "p", baseUrl: "", source: "test", language: "en" } as const;
    const setup: Setup = {
      model: "m",
      provider: "p",
      maxIterations: 1 + this.dice(5),
      approvals: "never",
      ...UNATTENDED,
      retry: { mode: "standard", baseMs: 1, maxMs: 1, maxWaitMs: 1 },
    };
    this.sessions = new Sessions({
      store: this.store,
      openModel: () => ({ setup, about, open: () => ({ model: this.model }) }),
      tools: standing({ specs: [], port: this.tools }),
      ports: {
        compactor: { compact: () => undefined },
        clock: { now: () => 0, elapsed: () => 0, sleep: (ms) => (ms > 1_000 ? this.pass(40) : this.pass(6)) },
        random: () => 0,
      },
      newId: () => `id${this.ids++}`,
      log: () => {},
      maxTimeMs: limitMs,
      onFollowUp: (turn) => this.followUps.push(turn),
    });
  }

  /** Runs turn after turn, as a conversation does: with what the last one left over. */
  async run(): Promise<void> {
    const waiting = ["begin"];
    for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
      this.turn = await this.sessions.start(SESSION, text);
      waiting.push(...(await this.end(this.turn)));
      for (let next = this.followUps.shift(); next !== undefined; next = this.followUps.shift()) {
        this.turn = next;
        waiting.push(...(await this.end(next)));
      }
    }
  }

  /** Waits for the end of a turn and returns what it leaves over. */
  private async end(turn: Turn): Promise<string[]> {
    const { turnId, pendingSteer, interruptMessage } = await turn.result;
    this.facts.push((this.store.turn(turnId ?? "")?.facts ?? []).map(({ fact }) => fact));
    return [...pendingSteer, ...(interruptMessage === null ? [] : [interruptMessage])];
  }

  get history(): readonly Message[] {
    return (this.store.history(SESSION) ?? []).filter((message) => message !== undefined);
  }

  close(): void {
    this.store.close();
  }

  private readonly model: Model = {
    prepare: (request) => ({
      record: { continues: false, add: [Buffer.from("{")], tail: "}" },
      size: { messages: request.history.length, bytes: 0 },
      send: async (_emit, signal) => this.answer(request, signal),
    }),
  };

  private async answer({ noTools }: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
    this.speak();
    await this.pass(8);
    if (signal.aborted) return { type: "aborted", text: this.dice(2) === 0 ? "" : "half of", reasoning: "" };
    this.speak();
    const kind = this.dice(10);
    if (kind < 5 && !noTools) return { type: "message", message: this.calls(), finish: "tool_calls" };
    if (kind === 5) return { type: "empty" };
    if (kind === 6) return { type: "failure", failure: FAILURE };
    return { type: "message", message: assistantText("fine"), finish: "stop" };
  }

  private calls(): AssistantMessage {
    const request = this.requests++;
    return {
      role: "assistant",
      parts: Array.from({ length: 1 + this.dice(3) }, (_, n) => ({
        type: "tool-call",
        callId: `c${request}-${n}`,
        name: "look",
        input: "{}",
      })),
    };
  }

  private readonly tools: ToolPort = {
    inspect: () => ({ claim: SHARED, effect: this.dice(2) === 0 ? "pure" : "effect" }),
    run: async () => {
      this.speak();
      await this.pass(6);
      this.speak();
      return { text: "seen" };
    },
  };

  /** Sometimes, and a few ticks from here, somebody says something. */
  private speak(): void {
    if (this.words === 0 || this.dice(3) === 0) return;
    this.words--;
    const kind = KINDS[this.dice(KINDS.length)] ?? "steer";
    const text = `${kind}-${this.words}`;
    const told = this.pass(12).then(() => {
      if (kind === "interrupt") return this.turn?.interrupt("user", text) ?? false;
      return this.turn?.[kind](text) ?? false;
    });
    this.said.set(text, told);
  }

  /** Up to so many ticks go by; each may be a microtask or a turn of the event loop. */
  private async pass(upTo: number): Promise<void> {
    for (let ticks = this.dice(upTo); ticks > 0; ticks--)
      await (this.dice(2) === 0 ? undefined : new Promise<void>((resolve) => setImmediate(resolve)));
  }
}

const FAILURE = {
  reason: "server_error",
  retryable: true,
  shouldCompress: false,
  shouldRotateCredential: false,
  shouldFallback: false,
  message: "not now",
} as const;

const steersOn = (message: Message): string[] =>
  message.role === "tool" ? message.parts.flatMap((part) => (part.type === "steer" ? [part.text] : [])) : [];
/** What the user said in a message; several stops of one turn are one message. */
const saidIn = (message: Message): string[] =>
  message.role === "user" ? textOf(message).split("\n\n") : steersOn(message);

/** What a turn had taken, and could not deliver before its end. */
function leftBy(facts: readonly Fact[]): string[] {
  const last = facts.at(-1);
  if (last?.type !== "turn-end") return [];
  const { pendingSteer = [], undelivered = [], interruptMessage } = last.outcome;
  return [...pendingSteer, ...undelivered, ...(interruptMessage?.split("\n\n") ?? [])];
}

function countIn(arrived: Record<string, number>, text: string, where: string): void {
  const key = `${text.split("-")[0] ?? ""} ${where}`;
  arrived[key] = (arrived[key] ?? 0) + 1;
}

async function race(seed: number, arrived: Record<string, number>): Promise<void> {
  const it = new Race(seed);
  await it.run();
  const said = it.history.flatMap(saidIn);
  for (const [text, told] of it.said) {
    const taken = await told;
    const times = said.filter((words) => words === text).length;
    assert.equal(times, Number(taken), `seed ${seed}: ${text}: taken ${taken}, arrived ${times} times`);
    countIn(arrived, text, taken ? "taken" : "refused");
  }
  for (const facts of it.facts) {
    checkRedirects(facts, `seed ${seed}`);
    for (const text of leftBy(facts)) countIn(arrived, text, "left for the next turn");
  }
  assert.equal(it.history.at(-1)?.role, "assistant", `seed ${seed}: the last word`);
  it.close();
}

/** Seeded races: whatever is said to a turn, also in the ticks around its end, arrives exactly once or is refused. */
export async function races({ runs, seed: first = 1, onProgress }: Job): Promise<Tally> {
  const arrived: Record<string, number> = {};
  for (let seed = first; seed < first + runs; seed++) {
    await race(seed, arrived);
    onProgress?.();
  }
  return arrived;
}
