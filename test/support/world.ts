import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { chatCompletions } from "../../src/model/chat_completions/index.ts";
import { createTransport } from "../../src/model/transport.ts";
import type { Fact } from "../../src/protocol/fact.ts";
import type { Message } from "../../src/protocol/message.ts";
import type { Asked, Clock, Model, ToolPort } from "../../src/protocol/ports.ts";
import { type Store, StoreError, type StoredSession, type Writer } from "../../src/protocol/store.ts";
import { Lane } from "../../src/session/lane.ts";
import type { Backup } from "../../src/session/model-routes.ts";
import type { OtherModel } from "../../src/session/turn.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { createToolbox } from "../../src/tools/toolbox.ts";
import { type ApprovalPolicy, type Setup, UNATTENDED } from "../../src/turn/state.ts";
import { putEmptyStore } from "./empty-store.ts";
import { EndlessProvider } from "./endless-provider.ts";
import type { ReceivedRequest } from "./fake-provider.ts";
import { type Move, stepOf } from "./world-script.ts";
import { breaksHead } from "./head-breaks.ts";
import { isDead, type Process } from "./process.ts";
import { advise } from "./world-advice.ts";
import { decideOpen } from "./world-answers.ts";
import { keySent, worldKeys } from "./world-keys.ts";
import { compactorFor, OVERHEAD, type Pressure, windowOf } from "./world-pressure.ts";
import { worldTools } from "./world-tools.ts";

export interface Arrival {
  readonly type: "interrupt" | "steer" | "inject" | "redirect" | "switchModel" | "deadline";
  /** It comes when this many facts were recorded, over all lives. */
  readonly at: number;
}

/** A bug put in at a port, to see that the checks find it. */
export type Mutant =
  /** A request leaves, an effect starts, before what it depends on is durable. */
  | "eager-request"
  | "eager-effect"
  | "early-publish"
  /** A call that needs a person is taken for one that does not. */
  | "unasked"
  /** A stop is heard, and not written down. */
  | "forgetful";

export interface Plan extends Pressure {
  /** One for each request; when they are used up the model says that it is done. */
  readonly moves: readonly Move[];
  readonly arrivals: readonly Arrival[];
  readonly maxIterations: number;
  /** US dollars that the turn may spend, where a token of the first model costs four cents; absent: no limit. */
  readonly limitUsd?: number | undefined;
  /** One for each life; the last one holds for all later lives. */
  readonly policies: readonly ApprovalPolicy[];
  /** What the person says, question by question, again and again. */
  readonly answers: readonly boolean[];
  readonly mutant?: Mutant;
  /** Between two lives another process answers what stands open. */
  readonly elsewhere?: boolean;
  /** So many models stand behind the first one. */
  readonly fallbacks?: number;
  /** The first model had better not be asked at the beginning. */
  readonly cooling?: boolean;
  /** So many keys of the first model, known to all processes; as usual it needs none. */
  readonly keys?: number;
  /** A plug-in adds to the prompt before the first request. */
  readonly advised?: boolean;
}

const PRICE = { input: 40_000, output: 40_000, asOf: "2026-11-01", source: "a test" };
const OTHER_PRICE = { ...PRICE, input: 20_000, output: 80_000 };
/** Nobody knows what this one costs. */
const UNPRICED = "switchModel3";

/** A disk in memory where there is one: thousands of lives would otherwise wait for the disk to turn. */
const FOLDER = process.env["TEST_TMP"] ?? (existsSync("/dev/shm") ? "/dev/shm" : tmpdir());

const SESSION = "s";
/** Serves every model that a turn is switched to, each under a key of its own. */
const OTHER = "other";
const SYSTEM = "You are in a test.";
/** Beginning of the names of those that take over. */
const FALLBACK = "fallback";
const keyOf = (model: string): string => `key-of-${model}`;

/** Commits come late on purpose: a missing barrier would stay invisible if they came before the wire could answer. */
const defer = (flush: () => void): unknown => setImmediate(() => setImmediate(flush));

/** Longer than any wait of a turn here: only the heartbeat sleeps so long, and nobody lives to hear it. */
const LONG_MS = 10_000;
/** The time limit of every turn here, ms: it is over when an arrival says so. */
const LIMIT_MS = 123_456_789;

/** One session in one file, lived through by several processes in turn; what they promise is noted from outside. */
export class World {
  readonly plan: Plan;
  readonly provider: EndlessProvider;
  /** Calls that ran, as `name id`, over all lives, and ids of those of which another process asked what became of them. */
  readonly ran: string[] = [];
  readonly asked: string[] = [];
  readonly breaches: string[] = [];
  /** What was said to the turn, and whether that was accepted; who hears nothing of it thinks of a crash. */
  readonly said: Map<string, boolean | "crashed"> = new Map();
  private readonly telling: Promise<unknown>[] = [];
  lane: Lane | undefined;
  /** Resolves when the process that lives now is dead. */
  died: Promise<"died"> = Promise.resolve("died");
  private readonly folder = mkdtempSync(join(FOLDER, "evander-world-"));
  readonly path: string = join(this.folder, "evander.db");
  /** Another process that only reads. */
  readonly reader: Store;
  private readonly watcher: DatabaseSync;
  private readonly commits: StatementSync;
  private seen: { readonly key: string; readonly facts: readonly Fact[] } = { key: "", facts: [] };
  readonly turnIds: string[] = [];
  private recorded = 0;
  private lives = 0;
  private changes = 0;
  private listening: Promise<unknown> | undefined;
  private openOther: ((name: string) => Model) | undefined;
  private end: () => void = () => {};
  private timeUp: () => void = () => {};

  constructor(plan: Plan) {
    this.plan = plan;
    putEmptyStore(this.path);
    this.reader = openSqliteStore({ path: this.path });
    this.watcher = new DatabaseSync(this.path, { readOnly: true });
    this.commits = this.watcher.prepare("pragma data_version");
    this.provider = new EndlessProvider(
      (request) => {
        const step = stepOf(
          plan.moves[request.index] ?? { type: "text", pieces: ["the", " end"] },
          request,
          plan.small,
        );
        return this.headIsNew(request) ? { ...step, newHead: true } : step;
      },
      { onRequest: (request) => this.onRequest(request) },
    );
  }

  /** What is on disk, seen by another process. */
  facts(): readonly Fact[] {
    // The version is another one after each commit of anybody: what was read before it is what is there.
    const key = `${this.turnIds.length} ${JSON.stringify(this.commits.get())}`;
    if (key !== this.seen.key) {
      const facts = this.turnIds.flatMap((id) => this.reader.turn(id)?.facts.map(({ fact }) => fact) ?? []);
      this.seen = { key, facts };
    }
    return this.seen.facts;
  }

  /** Another model is asked than at the request before, or a fact says why its head is new. */
  private headIsNew({ index, body }: ReceivedRequest): boolean {
    const before = this.changes;
    this.changes = this.facts().filter(breaksHead).length;
    return this.changes > before || this.provider.requests[index - 1]?.body.model !== body.model;
  }

  /** Every request that may have left, as it was kept. */
  kept(): string[] {
    return this.turnIds.flatMap((id) => [...this.reader.requests(id)].map(({ body }) => body));
  }

  stored(): readonly (Message | undefined)[] {
    return this.reader.history(SESSION) ?? [];
  }

  /** What the session keeps beside its journal; undefined: nothing. */
  noted(column: "learnt" | "strikes"): unknown {
    const kept = this.watcher.prepare(`select ${column} from session`).get()?.[column];
    return kept === null || kept === undefined ? undefined : JSON.parse(String(kept));
  }

  answer(index: number): boolean {
    const { answers } = this.plan;
    return answers[index % answers.length] ?? true;
  }

  /** Another process answers what the one before it has asked, and goes. */
  async decideElsewhere(): Promise<void> {
    const store = openSqliteStore({ path: this.path, defer });
    await decideOpen(store, (index) => this.answer(index));
    store.close();
  }

  /** A new process. It dies when it would record more than `crashAfter` facts. */
  async boot(crashAfter: number = Infinity): Promise<Lane> {
    this.lives++;
    await (this.listening ??= this.provider.server.listen());
    const { baseUrl } = this.provider.server;
    const store = openSqliteStore({ path: this.path, defer });
    const { provider } = this.setup;
    const keys = worldKeys(this.plan.keys ?? 0, this.folder, provider);
    const own = createTransport({ dialect: chatCompletions, baseUrl, apiKey: undefined, keys, provider });
    const chats = [own];
    const { promise, resolve } = Promise.withResolvers<"died">();
    this.died = promise;
    const life: Process = { crashAfter, recorded: 0, policy: this.policy, die: () => resolve("died") };
    const toolbox = createToolbox(worldTools(this, life));
    const stored = await store.open(SESSION);
    const talk = { system: SYSTEM, tools: toolbox.specs, nonce: stored.nonce };
    this.openOther = (name) => {
      const chat = createTransport({ dialect: chatCompletions, baseUrl, apiKey: keyOf(name), provider: OTHER });
      chats.push(chat);
      return chat.open(talk);
    };
    const { limitUsd: usd } = this.plan;
    this.lane = new Lane({
      stored: { ...stored, writer: (onCommit) => this.writer(stored, onCommit, life) },
      setup: this.setup,
      tools: { specs: toolbox.specs, port: this.toolPort(toolbox.port) },
      open: () => ({ model: own.open(talk) }),
      prompt: { text: SYSTEM },
      ports: {
        compactor: compactorFor(this.plan),
        clock: this.clock,
        random: () => 0,
      },
      maxTimeMs: LIMIT_MS,
      about: { provider, baseUrl, source: "test" },
      limit: () => (usd === undefined ? undefined : { of: "turn", usd, leftUsd: usd }),
      newId: () => `id${this.recorded}-${this.lives}`,
      log: () => {},
      backup: this.backup,
      extend: this.plan.advised === true ? advise(toolbox.read) : undefined,
    });
    this.end = () => {
      for (const chat of chats) chat.close();
      store.close();
    };
    return this.lane;
  }

  /** Waits cost nothing here, but they do give way; only the end of the turn's time is waited for. */
  private readonly clock: Clock = {
    now: Date.now,
    elapsed: Date.now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (ms === LIMIT_MS) this.timeUp = resolve;
        if (ms >= LONG_MS) signal.addEventListener("abort", () => resolve(), { once: true });
        else setImmediate(resolve);
      }),
  };

  /** A chain of models that takes its time to open one; the last of two cannot be opened by another process. */
  private get backup(): Backup | undefined {
    const { fallbacks = 0, cooling } = this.plan;
    if (fallbacks === 0) return undefined;
    const usable = ({ model, tried }: Asked): string[] => {
      const names = Array.from({ length: fallbacks }, (_, at) => `${FALLBACK}${at + 1}`);
      return names.filter((name) => ![model, ...tried.map((it) => it.model)].includes(name));
    };
    const opened = (name: string | undefined): Promise<OtherModel | undefined> =>
      new Promise((resolve) => {
        setImmediate(() => {
          const { openOther: open } = this;
          if (name === undefined || open === undefined) return resolve(undefined);
          resolve({ provider: OTHER, model: name, price: OTHER_PRICE, ...windowOf(this.plan), open: () => open(name) });
        });
      });
    return {
      size: fallbacks,
      left: (asked) => usable(asked).length,
      next: (asked) => opened(usable(asked)[0]),
      against: ({ model }) => (cooling === true && model === this.setup.model ? "rate_limit" : undefined),
      reopen: ({ model }) => opened(model === `${FALLBACK}1` ? model : undefined),
    };
  }

  /** What happens in this life to a call that needs a person. */
  get policy(): ApprovalPolicy {
    const { policies } = this.plan;
    return policies[Math.min(this.lives, policies.length) - 1] ?? "all";
  }

  get setup(): Setup {
    const retry = { mode: "standard", baseMs: 1, maxMs: 1, maxWaitMs: 1 } as const;
    return {
      model: "m",
      provider: "fake",
      price: PRICE,
      maxIterations: this.plan.maxIterations,
      approvals: this.policy,
      ...UNATTENDED,
      retry,
      fallbacks: this.plan.fallbacks ?? 0,
      overhead: OVERHEAD,
      ...windowOf(this.plan),
    };
  }

  /** The process is gone; what it had recorded in time is on disk. */
  halt(): void {
    this.end();
    this.end = () => {};
  }

  async dispose(): Promise<void> {
    this.halt();
    this.watcher.close();
    this.reader.close();
    await this.provider.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private writer(stored: StoredSession, onCommit: (facts: number) => void, life: Process): Writer {
    const { mutant } = this.plan;
    const real = stored.writer(mutant === "early-publish" ? () => {} : onCommit);
    let last: Fact["type"] | undefined;
    const isEager = (): boolean =>
      (mutant === "eager-request" && last === "attempt-start") ||
      (mutant === "eager-effect" && last === "segment-start");
    return {
      append: (fact) => {
        last = fact.type;
        const forgotten = mutant === "forgetful" && fact.type === "interrupt-requested";
        if (life.recorded++ < life.crashAfter && !forgotten) real.append(fact);
        if (isDead(life)) life.die();
        if (fact.type === "turn-start" && !isDead(life)) this.turnIds.push(fact.turnId);
        if (mutant === "early-publish") onCommit(1);
        this.onRecorded(this.recorded++);
      },
      keepRequest: (request) => {
        if (!isDead(life)) real.keepRequest(request);
      },
      keepKit: (...kit) => (isDead(life) ? undefined : real.keepKit(...kit)),
      keepPrompt: (text) => (isDead(life) ? undefined : real.keepPrompt(text)),
      barrier: () => {
        if (isDead(life)) return Promise.reject(new StoreError("io", "the process is dead"));
        return isEager() ? Promise.resolve() : real.barrier();
      },
    };
  }

  /** The mutant `unasked` sees no reason to ask, and tells the tools that somebody had agreed. */
  private toolPort(port: ToolPort): ToolPort {
    if (this.plan.mutant !== "unasked") return port;
    return {
      ...port,
      inspect: (call) => {
        const { claim, effect } = port.inspect(call);
        return { claim, effect };
      },
      run: (call, context) => port.run(call, { ...context, approved: port.inspect(call).ask ?? "" }),
    };
  }

  private onRecorded(index: number): void {
    for (const [i, arrival] of this.plan.arrivals.entries())
      if (arrival.at === index) queueMicrotask(() => this.say(arrival.type, `${arrival.type}${i}`));
  }

  /** Somebody says something to the process that lives now. */
  say(type: Arrival["type"], text: string): void {
    if (type === "deadline") return this.timeUp();
    const told = this.tell(type, text);
    if (told === undefined) return;
    this.said.set(text, "crashed");
    const settled = told.then(
      (taken) => this.said.set(text, taken),
      () => this.said.set(text, "crashed"),
    );
    this.telling.push(settled);
  }

  private tell(type: Exclude<Arrival["type"], "deadline">, text: string): Promise<boolean> | undefined {
    const { lane, openOther } = this;
    if (type === "interrupt") return lane?.interrupt("user", text);
    if (type !== "switchModel") return lane?.[type](text);
    const price = text === UNPRICED ? {} : { price: OTHER_PRICE };
    return openOther && lane?.switchModel({ provider: OTHER, model: text, open: () => openOther(text), ...price });
  }

  /** Everybody who said something knows whether it was accepted; a process that died tells nobody. */
  async heard(): Promise<void> {
    await Promise.race([Promise.all(this.telling), this.died]);
  }

  /** What the facts say for the first model; each of the others has one of its own. */
  private keyFor(model: string, facts: readonly Fact[]): string | undefined {
    const key = model === this.setup.model ? keySent(facts, this.plan.keys ?? 0) : keyOf(model);
    return key && `Bearer ${key}`;
  }

  private onRequest({ body, headers }: ReceivedRequest): void {
    const facts = this.facts();
    const { authorization: key } = headers;
    if (key !== this.keyFor(body.model, facts)) this.breaches.push(`${body.model} was asked with the key of another`);
    const attempts = facts.filter((fact) => fact.type === "attempt-start").length;
    if (this.provider.requests.length > attempts) this.breaches.push("a request left before its attempt was durable");
    const receipts = new Set(facts.map((fact) => (fact.type === "receipt" ? fact.message.callId : "")));
    for (const { tool_call_id: id } of body.messages)
      if (id !== undefined && !receipts.has(id)) this.breaches.push(`receipt ${id} left before it was durable`);
    if (facts.at(-1)?.type === "turn-end") this.breaches.push("a request left after the end");
  }
}
