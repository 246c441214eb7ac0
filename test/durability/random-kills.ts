import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { Fact } from "../../src/protocol/fact.ts";
import { textOf } from "../../src/protocol/message.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { dice } from "../support/dice.ts";
import { EndlessProvider } from "../support/endless-provider.ts";
import { assertSound } from "../support/sound.ts";
import { modelInShapes, SHAPES } from "./random-shapes.ts";

const LIFE = fileURLToPath(new URL("life.mjs", import.meta.url));

/** How often the processes of one store are killed before it is looked at as a whole. */
const KILLS_OF_A_STORE = 50;
/** Each shape comes as often in the turns that are played before anything is killed. */
const TURNS_BEFORE = SHAPES.length;
/** A life that has not come to its end by then hangs. */
const PATIENCE_MS = 60_000;

export interface Kills {
  readonly kills: number;
  readonly seed: number;
  readonly onKill?: () => void;
}

export interface Tally {
  kills: number;
  /** Of them: while a turn was taken up that an earlier kill had left. */
  double: number;
  /** Turns that were taken up or closed, and ended. */
  recovered: number;
  /** How often it died in this shape of turn with this as the newest fact. */
  readonly at: Record<string, number>;
  /** From the start of a process to its first word about the turn it takes up, the slowest. */
  slowestMs: number;
}

export const newTally = (): Tally => ({ kills: 0, double: 0, recovered: 0, at: {}, slowestMs: 0 });

/** Kills processes at random times; throws, with the seed, for what was lost or done twice. Adds to `tally`. */
export async function randomKills({ kills, seed, onKill }: Kills, tally: Tally): Promise<void> {
  const random = dice(seed);
  let left = kills;
  const pace = { turnMs: 0 };
  while (left > 0) {
    const some = Math.min(left, KILLS_OF_A_STORE);
    const store = new KilledStore(random, tally, pace);
    try {
      await store.killTimes(some, onKill);
    } catch (error) {
      throw new Error(`seed ${seed}, kill ${tally.kills}: ${(error as Error).message}`, { cause: error });
    } finally {
      await store.remove();
    }
    left -= some;
  }
}

/** What a process told before it died. */
interface Told {
  readonly ready?: true;
  readonly taken?: number;
  readonly steered?: string;
  readonly ended?: string;
  readonly error?: string;
}

/** One store, and the processes that work in it one after the other. */
class KilledStore {
  private readonly folder = mkdtempSync(join(tmpdir(), "evander-kills-"));
  private readonly provider = new EndlessProvider(modelInShapes());
  private readonly random: () => number;
  private readonly tally: Tally;
  private readonly pace: { turnMs: number };
  /** What processes have told their owner: it must be kept. */
  private readonly taken = new Set<number>();
  private readonly steered = new Set<string>();
  private openBefore: string | undefined;

  constructor(random: () => number, tally: Tally, pace: { turnMs: number }) {
    this.random = random;
    this.tally = tally;
    this.pace = pace;
  }

  async killTimes(count: number, onKill?: () => void): Promise<void> {
    await this.provider.server.listen();
    await this.live(TURNS_BEFORE);
    for (let n = 0; n < count; n++) {
      await this.liveAndDie();
      onKill?.();
    }
    // What stands open ends.
    await this.live(0);
    this.check();
  }

  async remove(): Promise<void> {
    await this.provider.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async liveAndDie(): Promise<void> {
    const fromTheStart = this.random() < 0.2;
    const units = -Math.log(1 - this.random());
    const takeUp = this.random() < 0.25 ? "follow" : "resume";
    const child = this.start(takeUp, Infinity);
    const ended = once(child, "exit");
    if (!fromTheStart) await Promise.race([toldReady(child), ended]);
    // Of a process that has just begun, the larger part is the start of the program itself.
    const delayMs = units * (fromTheStart ? 100 : this.pace.turnMs / 2);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    child.kill("SIGKILL");
    const [code, signal] = (await ended) as [number | null, string | null];
    assert.deepEqual([code, signal], [null, "SIGKILL"], "it ended by itself");
    this.tally.kills++;
    this.look();
  }

  /** A process that is left alone. */
  private async live(turns: number): Promise<void> {
    const child = this.start("resume", turns);
    const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
    const [code] = (await once(child, "exit")) as [number | null];
    clearTimeout(timer);
    assert.equal(code, 0, "it did not come to its end");
  }

  private start(takeUp: string, turns: number): ChildProcess {
    const { baseUrl } = this.provider.server;
    const child = fork(LIFE, [baseUrl, this.folder, takeUp, String(turns)], {
      execArgv: [],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const startedMs = performance.now();
    let begunMs: number | undefined;
    child.on("message", (told: Told) => {
      const now = performance.now();
      if (told.taken === 0) this.tally.slowestMs = Math.max(this.tally.slowestMs, now - startedMs);
      if (told.taken !== undefined) begunMs = now;
      if (told.taken) this.taken.add(told.taken);
      if (told.steered !== undefined) this.steered.add(told.steered);
      if (told.ended === undefined || begunMs === undefined) return;
      this.tally.recovered++;
      const tookMs = now - begunMs;
      this.pace.turnMs = this.pace.turnMs === 0 ? tookMs : 0.9 * this.pace.turnMs + 0.1 * tookMs;
    });
    return child;
  }

  /** Where it died. Nothing is written: the next process meets what the dead one left. */
  private look(): void {
    const path = join(this.folder, "evander.db");
    if (!existsSync(path)) return this.note("no store yet");
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      const begun = db.prepare("select 1 from sqlite_schema where name = 'journal'").get() !== undefined;
      if (!begun) return this.note("no store yet");
      const row = db.prepare("select facts from journal order by id desc limit 1").get();
      this.note(row === undefined ? "nothing said yet" : (lastOf(String(row["facts"]))?.type ?? ""));
      const open = db.prepare("select name from turn where last is null order by id limit 1").get()?.["name"];
      if (open !== undefined && open === this.openBefore) this.tally.double++;
      this.openBefore = open === undefined ? undefined : String(open);
    } finally {
      db.close();
    }
    assertSound(path);
  }

  private note(where: string): void {
    const place = `${SHAPES[Math.max(0, ...this.taken) % SHAPES.length]}: ${where}`;
    this.tally.at[place] = (this.tally.at[place] ?? 0) + 1;
  }

  private check(): void {
    assert.deepEqual(this.provider.violations(), []);
    const path = join(this.folder, "evander.db");
    const messages = [...this.taken].map((number) => `go ${number}`);
    const acknowledged = [...messages, ...this.steered];
    // A lease of somebody who was killed stays until the session is opened again: that of a child whose turn had ended, for ever.
    assertSound(path, { acknowledged, ran: this.effects(), ended: true });
    const store = openSqliteStore({ path });
    const said = (store.history("s") ?? []).flatMap((message) => (message?.role === "user" ? [textOf(message)] : []));
    store.close();
    const numbers = said.flatMap((text) => [...text.matchAll(/go (\d+)/gu)].map(([, number]) => Number(number)));
    const inOrder = Array.from(numbers, (_, at) => at + 1);
    assert.deepEqual(numbers, inOrder, "each message once, in order");
  }

  /** The ids of the calls whose effect happened, as often as it did. */
  private effects(): readonly string[] {
    const path = join(this.folder, "effects.log");
    return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
  }
}

const toldReady = async (child: ChildProcess): Promise<void> => void (await once(child, "message"));

const lastOf = (facts: string): Fact | undefined => (JSON.parse(facts) as Fact[]).at(-1);
