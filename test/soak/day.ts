import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTick, setTimeout as delay } from "node:timers/promises";
import { type Agent, agent, type RunResult, type TurnHandle } from "../../src/index.ts";
import { findBreaches } from "../../src/session/oracle/oracle.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { type McpDesk, mcpTools, type ServerStatus } from "../../src/tools/mcp/desk.ts";
import { dice } from "../support/dice.ts";
import { McpPlace } from "../support/mcp.ts";
import { assertSound } from "../support/sound.ts";
import { askedFor, DayModel } from "./day-model.ts";
import { dayTools, MCP_SERVER, MCP_TOOL } from "./day-tools.ts";
import { logBytes, read, type Reading } from "./gauges.ts";

export interface DayPlan {
  readonly turns: number;
  readonly seed: number;
  /** Told of so many turns that are over. */
  readonly onProgress?: (turns: number) => void;
}

/** What a day has come to. */
export interface DayReport {
  readonly turns: number;
  readonly requests: number;
  readonly sessions: number;
  /** By exit reason. */
  readonly exits: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  readonly happened: Readonly<Record<string, number>>;
  readonly readings: readonly Reading[];
  /** The most that the write-ahead log had, bytes. */
  readonly mostLog: number;
  /** Sentences; none: all went well. */
  readonly wrong: readonly string[];
}

const DAY_MS = 86_400_000;
const SESSIONS = 20;
/** Turns that go on at once. */
const AT_ONCE = 4;
/** Turns of one session, at least and more. */
const LIFE = { least: 10, more: 11 };
/** Of the turns somebody speaks in so many. */
const SPOKEN = 0.08;
/** An hour lies between two restarts of the server; in a short day there are fewer. */
const RESTARTS = { most: 24, turns: 300 };
/** In the first third: an agent that begins anew has to open its sessions again before its heap can be measured. */
const CRASHES = { most: 36, turns: 200 };
/** Turns between two looks. */
const LOOKS = { most: 50, turns: 100 };

/** A disk in memory where there is one: what is measured is the program. */
const FOLDER = process.env["TEST_TMP"] ?? (existsSync("/dev/shm") ? "/dev/shm" : tmpdir());

interface User {
  sessionId: string;
  left: number;
}

/** A day of many conversations, in virtual time: security R15. */
export class Day {
  private readonly plan: DayPlan;
  private readonly roll: () => number;
  private readonly folder = mkdtempSync(join(FOLDER, "evander-day-"));
  private readonly path = join(this.folder, "evander.db");
  private readonly clock = new VirtualClock();
  private readonly model = new DayModel([MCP_TOOL]);
  private readonly place = new McpPlace();
  private readonly users: User[] = [];
  private readonly exits: Record<string, number> = {};
  private readonly happened: Record<string, number> = {};
  private readonly readings: Reading[] = [];
  private readonly wrong: string[] = [];
  private readonly forever = new AbortController().signal;
  private took: number[] = [];
  private mostLog = 0;
  private sessions = 0;
  private turns = 0;
  private baseUrl = "";
  private desk: McpDesk | undefined;
  private bot: Agent | undefined;

  constructor(plan: DayPlan) {
    this.plan = plan;
    this.roll = dice(plan.seed);
  }

  async run(): Promise<DayReport> {
    const complain = (error: unknown): void => void this.wrong.push(`nobody waited for: ${String(error)}`);
    process.on("unhandledRejection", complain);
    process.on("warning", complain);
    try {
      this.baseUrl = await this.model.listen();
      for (let at = 0; at < SESSIONS; at++) this.users.push(this.newUser());
      this.open();
      while (this.turns < this.plan.turns) await this.round();
      await this.bot?.close();
      assertSound(this.path, { idle: true });
      this.happened["sessions made smaller"] = compactedIn(this.path);
    } finally {
      await this.model.close();
      await this.place[Symbol.asyncDispose]();
      rmSync(this.folder, { recursive: true, force: true });
      process.off("unhandledRejection", complain);
      process.off("warning", complain);
    }
    return this.report();
  }

  private report(): DayReport {
    const { turns, sessions, exits, happened, readings, mostLog } = this;
    const { requests, faults, violations } = this.model;
    const wrong = [...this.wrong, ...violations.map((what) => `an illegal request: ${what}`)];
    return { turns, requests, sessions, exits, faults, happened, readings, mostLog, wrong };
  }

  private newUser(): User {
    return { sessionId: `s${this.sessions++}`, left: LIFE.least + Math.floor(this.roll() * LIFE.more) };
  }

  private open(): void {
    const { clock, place } = this;
    this.desk = mcpTools([place.faulty(MCP_SERVER)], { folder: place.folder, clock, waitMs: 20_000, tell: () => {} });
    this.bot = agent({
      baseUrl: this.baseUrl,
      model: "day-1",
      apiKeys: ["key-one-of-the-day", "key-two-of-the-day", "key-three-of-the-day"],
      store: this.folder,
      clock: this.clock,
      contextWindow: 8_000,
      tools: dayTools(),
      toolSource: this.desk,
      approvals: "all",
    });
  }

  private async round(): Promise<void> {
    const { turns } = this.plan;
    const before = this.turns;
    const due = ({ most, turns: least }: typeof LOOKS): boolean =>
      crosses(before, before + AT_ONCE, Math.max(least, turns / most));
    const crash = before < turns / 3 && due(CRASHES);
    const begun = this.chosen().map((user) => this.turn(user, crash ? 3 : Math.floor(this.roll() * 4)));
    if (crash) await this.crash(begun);
    await Promise.all(begun);
    this.turns += begun.length;
    this.mostLog = Math.max(this.mostLog, logBytes(this.path));
    this.plan.onProgress?.(this.turns);
    if (due(RESTARTS)) await this.restartServer();
    await this.clock.sleep(Math.round(DAY_MS / turns) * AT_ONCE, this.forever);
    if (due(LOOKS)) await this.look();
  }

  /** Of these each is somebody else. */
  private chosen(): User[] {
    const first = Math.floor(this.roll() * SESSIONS);
    return Array.from({ length: AT_ONCE }, (_, at) => (first + at * 5) % SESSIONS).map((at) => this.userAt(at));
  }

  private userAt(at: number): User {
    const user = this.users[at] ?? this.newUser();
    if (user.left > 0) return user;
    this.count("sessions left");
    this.bot?.leave(user.sessionId)?.catch((error: unknown) => this.wrong.push(String(error)));
    const next = this.newUser();
    this.users[at] = next;
    return next;
  }

  private async turn(user: User, calls: number): Promise<void> {
    user.left -= 1;
    const { bot, roll } = this;
    if (bot === undefined) return;
    const asked = askedFor(Math.floor(roll() * 1e9), calls);
    const speaks = roll() < SPOKEN ? { at: Math.floor(roll() * 12), what: Math.floor(roll() * 4) } : undefined;
    const startedMs = performance.now();
    const turn = bot.start(asked, { sessionId: user.sessionId });
    const spoken = speaks && this.speak(turn, speaks);
    const result: RunResult = await turn;
    await spoken;
    this.took.push(performance.now() - startedMs);
    const { reason } = result.exit;
    this.exits[reason] = (this.exits[reason] ?? 0) + 1;
    if (result.cleanupErrors.length > 0) this.wrong.push(`cleaning up: ${result.cleanupErrors.join("; ")}`);
  }

  private async speak(turn: TurnHandle, { at, what }: { readonly at: number; readonly what: number }): Promise<void> {
    let seen = 0;
    for await (const _ of turn) if (seen++ === at) break;
    const says = [
      () => turn.interrupt(),
      () => turn.steer("and mind the gap"),
      () => turn.inject("one more thing"),
      () => turn.redirect("rather like this"),
    ];
    const taken = await says[what]?.().catch(() => false);
    if (taken === true) this.count(["interrupts", "steers", "injections", "redirects"][what] ?? "");
  }

  /** The agent goes in the middle of its turns, as if its process had died; another one comes. */
  private async crash(begun: readonly Promise<unknown>[]): Promise<void> {
    await Promise.race([this.model.received(6), Promise.all(begun)]);
    this.bot?.store.close();
    await Promise.all(begun);
    await this.bot?.close();
    this.open();
    this.count("crashes");
    const left = this.bot?.store.openTurns() ?? [];
    // The others are closed when somebody speaks in their sessions.
    for (const { turnId } of left.slice(0, Math.ceil(left.length / 2))) {
      const turn = await this.bot?.open(turnId);
      if (turn === undefined) this.wrong.push(`turn ${turnId} was left open, and cannot be taken up`);
      else await turn.resume();
      this.count("turns taken up");
    }
  }

  private async restartServer(): Promise<void> {
    const pid = this.place.pids(MCP_SERVER).at(-1);
    if (pid !== undefined && this.desk?.status()[0]?.state === "ready") {
      process.kill(pid, "SIGKILL");
      while (isAlive(pid)) await delay(5);
    }
    this.count("server restarts");
  }

  /** What there is when nothing goes on, and whether the record is sound. */
  private async look(): Promise<void> {
    if ((await this.model.connections()) > AT_ONCE * 3) this.wrong.push("there are more connections than turns");
    this.model.rest();
    while ((await this.model.connections()) > 0) await nextTick();
    await this.settled();
    this.readings.push(
      read({
        turns: this.turns,
        path: this.path,
        took: this.took,
        served: isAlive(this.place.pids(MCP_SERVER).at(-1)),
      }),
    );
    this.took = [];
    const breaches = this.bot === undefined ? [] : this.breaches(this.bot);
    this.wrong.push(...breaches);
  }

  private breaches({ store }: Agent): string[] {
    return findBreaches(store).map(
      ({ invariant, kind, turnId = "", detail }) => `${invariant} ${kind} ${turnId}: ${detail.en}`,
    );
  }

  /** The server of tools is there, and nobody closes anything any more. */
  private async settled(): Promise<void> {
    await this.desk?.tools();
    for (let tries = 0; (tries < 20 && !this.hasServer) || this.serverIs("connecting"); tries++) {
      await this.clock.sleep(60_000, this.forever);
      await delay(10);
      await this.desk?.tools();
    }
    for (let tick = 0; tick < 20; tick++) await nextTick();
  }

  private get hasServer(): boolean {
    return this.serverIs("ready") && isAlive(this.place.pids(MCP_SERVER).at(-1));
  }

  private serverIs(state: ServerStatus["state"]): boolean {
    return this.desk?.status()[0]?.state === state;
  }

  private count(what: string): void {
    this.happened[what] = (this.happened[what] ?? 0) + 1;
  }
}

/** Whether a multiple of `step` lies behind `from`, up to `to`. */
const crosses = (from: number, to: number, step: number): boolean => Math.floor(to / step) > Math.floor(from / step);

function compactedIn(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true });
  const found = db.prepare("select count(*) as count from session where compaction is not null").get();
  db.close();
  return Number(found?.["count"]);
}

function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}
