import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rules } from "../../src/context/compaction/rules.ts";
import type { AssistantMessage, Message } from "../../src/protocol/message.ts";
import type { Clock, Model, ModelReply, ModelRequest } from "../../src/protocol/ports.ts";
import { type Store, StoreError, type StoredSession, type Writer } from "../../src/protocol/store.ts";
import type { Tool } from "../../src/protocol/tool.ts";
import type { TurnResult } from "../../src/protocol/result.ts";
import { Sessions } from "../../src/session/sessions.ts";
import type { OtherModel, Turn } from "../../src/session/turn.ts";
import { standing } from "../../src/session/turn-tools.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { createToolbox } from "../../src/tools/toolbox.ts";
import { UNATTENDED } from "../../src/turn/state.ts";
import { putEmptyStore } from "./empty-store.ts";
import { isDead, type Process } from "./process.ts";

/** Thousands of stores would otherwise wait for the disk to turn. */
const FOLDER = process.env["TEST_TMP"] ?? (existsSync("/dev/shm") ? "/dev/shm" : tmpdir());
/** Only the heartbeat sleeps so long, and no turn here lives to hear it. */
const LONG_MS = 10_000;

/** What one turn's model does: so many rounds of these calls, then its answer. */
export interface Script {
  readonly rounds: readonly (readonly string[])[];
  readonly answer: string;
  /** Happens while the n-th request is under way, counted from 0. */
  readonly during?: { readonly request: number; readonly act: (turn: Turn) => Promise<unknown> };
}

const tool = (name: string, more: Partial<Tool>): Tool => ({
  name,
  description: name,
  parameters: { type: "object", properties: {} },
  effect: "effect",
  concurrency: "shared",
  run: () => Promise.resolve(`${name} done`),
  ...more,
});

const TOOLS = createToolbox([
  tool("read", { effect: "pure" }),
  tool("write", {}),
  tool("guarded", { ask: () => "it is guarded" }),
]);

const IDLE: Script = { rounds: [], answer: "nothing was asked" };

/** One store and the processes that work on its sessions, one after the other; no network, and no model. */
export class SessionsWorld {
  readonly path: string;
  store: Store;
  private readonly folder = mkdtempSync(join(FOLDER, "evander-sessions-"));
  private sessions: Sessions;
  private life: Mortal = { crashAfter: Infinity, recorded: 0, policy: "park", die: () => {} };
  private died: Promise<"died"> = Promise.resolve("died");
  private script: Script = IDLE;
  private request = 0;
  private turn: Turn | undefined;
  private ids = 0;

  constructor() {
    this.path = join(this.folder, "evander.db");
    putEmptyStore(this.path);
    this.store = openSqliteStore({ path: this.path });
    this.sessions = this.boot();
  }

  newId(): string {
    return `n${++this.ids}`;
  }

  /** Another process, after the end of the one before it. */
  restart(): void {
    this.store.close();
    this.store = openSqliteStore({ path: this.path });
    this.sessions = this.boot();
  }

  get isDead(): boolean {
    return isDead(this.life);
  }

  /** A turn from its beginning; undefined when its process died, which it does behind so many facts. */
  send(
    sessionId: string,
    text: string,
    script: Script,
    crashAfter: number = Infinity,
  ): Promise<TurnResult | undefined> {
    this.life.crashAfter = this.life.recorded + crashAfter;
    return this.follow(script, () => this.sessions.start(sessionId, text));
  }

  /** Goes on with a turn that has not ended, deciding what it asks; undefined when there is none, or its process died. */
  async resume(
    sessionId: string,
    script: Script,
    allow: boolean,
    crashAfter: number = Infinity,
  ): Promise<TurnResult | undefined> {
    const lane = await this.sessions.lane(sessionId);
    if (!lane.unfinished) return undefined;
    this.life.crashAfter = this.life.recorded + crashAfter;
    for (const { callId } of lane.asked) await lane.approve(callId, allow);
    return this.follow(script, () => Promise.resolve(lane.resume()));
  }

  async compact(sessionId: string): Promise<boolean> {
    const lane = await this.sessions.lane(sessionId);
    return (await lane.compact("")) !== undefined;
  }

  readonly other: OtherModel = { provider: "other", model: "other", open: () => this.model };

  [Symbol.dispose](): void {
    this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async follow(script: Script, begin: () => Promise<Turn>): Promise<TurnResult | undefined> {
    this.script = script;
    this.request = 0;
    const begun = await Promise.race([begin().catch(ifStoreFails), this.died]);
    if (begun === undefined || begun === "died") return undefined;
    this.turn = begun;
    const ended = await Promise.race([begun.result, this.died]);
    this.turn = undefined;
    this.script = IDLE;
    if (ended === "died" || this.isDead) return undefined;
    this.life.crashAfter = Infinity;
    return ended;
  }

  private boot(): Sessions {
    const { promise, resolve } = Promise.withResolvers<"died">();
    this.died = promise;
    const life: Mortal = { crashAfter: Infinity, recorded: 0, policy: "park", die: () => resolve("died") };
    this.life = life;
    const { store } = this;
    const mortal: Store = { ...store, open: async (id) => mortalSession(await store.open(id), life) };
    return new Sessions({
      store: mortal,
      tools: standing({ specs: TOOLS.specs, port: TOOLS.port }),
      openModel: () => ({ setup: SETUP, about: ABOUT, open: () => ({ model: this.model }) }),
      ports: { compactor: rules, clock: CLOCK, random: () => 0 },
      newId: () => this.newId(),
      log: () => {},
    });
  }

  private readonly model: Model = {
    prepare: (request) => ({
      record: recordOf(request),
      size: { messages: request.history.length, bytes: 0 },
      send: (_emit, signal) => this.reply(signal),
    }),
  };

  private async reply(signal: AbortSignal): Promise<ModelReply> {
    const { script, turn } = this;
    const at = this.request++;
    await new Promise((resolve) => setImmediate(resolve));
    if (this.isDead) return new Promise(() => {});
    if (script.during?.request === at && turn !== undefined) await script.during.act(turn).catch(() => false);
    if (signal.aborted) return { type: "aborted", text: "", reasoning: "" };
    const calls = script.rounds[at] ?? [];
    const message: AssistantMessage = {
      role: "assistant",
      parts:
        calls.length === 0
          ? [{ type: "text", text: script.answer }]
          : calls.map((name) => ({ type: "tool-call", callId: this.newId(), name, input: "{}" })),
    };
    return { type: "message", message, finish: calls.length === 0 ? "stop" : "tool_calls" };
  }
}

/** When it dies is known as its next turn begins. */
interface Mortal extends Omit<Process, "crashAfter"> {
  crashAfter: number;
}

const ABOUT = { provider: "fake", baseUrl: null, source: null };

const SETUP = { ...UNATTENDED, model: "m", provider: "fake", maxIterations: 9, approvals: "park" } as const;

/** Waits cost nothing here, but they do give way. */
const CLOCK: Clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (ms >= LONG_MS) signal.addEventListener("abort", () => resolve(), { once: true });
      else setImmediate(resolve);
    }),
};

/** The session as a process sees it that dies: what it records then is nowhere. */
function mortalSession(stored: StoredSession, life: Process): StoredSession {
  return { ...stored, writer: (onCommit) => mortalWriter(stored.writer(onCommit), life) };
}

const mortalWriter = (real: Writer, life: Process): Writer => ({
  append: (fact) => {
    if (life.recorded++ < life.crashAfter) real.append(fact);
    if (isDead(life)) life.die();
  },
  keepRequest: (request) => {
    if (!isDead(life)) real.keepRequest(request);
  },
  keepPrompt: (text) => {
    if (!isDead(life)) real.keepPrompt(text);
  },
  keepKit: (...kit) => (isDead(life) ? undefined : real.keepKit(...kit)),
  barrier: () => (isDead(life) ? Promise.reject(new StoreError("io", DEAD)) : real.barrier()),
});

const DEAD = { en: "the process is dead", zh: "进程已结束" };

function ifStoreFails(error: unknown): undefined {
  if (!(error instanceof StoreError)) throw error;
}

/** Nobody reads these again: what was sent is told by its length. */
const recordOf = ({ history }: ModelRequest): ReturnType<Model["prepare"]>["record"] => ({
  continues: false,
  add: [Buffer.from('{"messages":['), Buffer.from(JSON.stringify(history.map(roleOf)))],
  tail: "]}",
});

const roleOf = (message: Message | undefined): string => message?.role ?? "";
