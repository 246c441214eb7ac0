import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Agent,
  agent,
  type Diagnostic,
  type ModelFacts,
  type RunResult,
  type TurnEvent,
  openStore,
} from "../../src/index.ts";
import type { Fact } from "../../src/protocol/fact.ts";
import type { Tool } from "../../src/protocol/tool.ts";
import { VirtualClock } from "../../src/testing/index.ts";
import type { Side } from "../dialects/client.ts";
import { type Act, calls, replies, thinks } from "../dialects/script.ts";
import { expectedFor, type Fault, type Victim, type Way } from "./fault.ts";
import { type Rule, type RuleServer, ruleServer } from "./rule-server.ts";
import { HELLO, refusesWith } from "./said.ts";

export interface Cell {
  readonly fault: Fault;
  readonly side: Side;
  readonly way: Way;
}

/** One turn of a cell, as the caller and the journal have it. */
export interface TurnSeen {
  readonly result: RunResult;
  readonly events: readonly TurnEvent[];
  readonly facts: readonly Fact[];
  /** Requests that the server received. */
  readonly requests: number;
}

export interface Seen {
  /** The fault comes again and again. */
  readonly always: TurnSeen;
  /** It comes once; undefined where it cannot come and go in one turn. */
  readonly once: TurnSeen | undefined;
  /** The server wants to be left alone for long: a turn before that is over. */
  readonly spared: TurnSeen | undefined;
  /** All is well again. */
  readonly after: TurnSeen;
  /** What the server found illegal. */
  readonly violations: readonly string[];
  /** Where the key stands. */
  readonly leaks: readonly string[];
  readonly key: string;
}

/** Limits of a call that hold on this machine too. */
const LIMITS = { firstByteMs: 120_000, idleMs: 180_000, callMs: 1_800_000, nonStreamIdleMs: 90_000 };

const look: Tool = {
  name: "look",
  description: "Looks at a thing.",
  parameters: { type: "object", properties: { at: { type: "string", pattern: "^.*$" } } },
  effect: "pure",
  concurrency: "shared",
  run: ({ at }) => `${String(at)}: ${"All work and no play makes a long result. ".repeat(30)}`,
};

const keyFor = (cell: Cell): string => `k3y-${Buffer.from(cell.fault.name).toString("hex").slice(0, 24)}-nobodyMaySee`;

export const victimOf = (cell: Cell): Victim => ({
  side: cell.side,
  mode: cell.side.wire.mode,
  way: cell.way,
  key: keyFor(cell),
});

/** A fault on the whole product: the library on a real server, with a past, before, under and after the fault. */
export async function play(cell: Cell): Promise<Seen> {
  const clock = new VirtualClock();
  const fake = await ruleServer(cell.side.wire, clock);
  const world = new World(cell, fake, clock);
  try {
    await world.past("first");
    const always = await world.underFault();
    if (cell.fault.remembered) await world.past("another");
    const once = comesOnce(cell, world.victim) ? await world.turn("And once more?", true) : undefined;
    fake.rule = () => HELLO;
    const { lastsMs } = cell.fault;
    const spared = lastsMs === undefined ? undefined : await world.turn("Already?");
    if (lastsMs !== undefined) await clock.sleep(lastsMs, new AbortController().signal);
    const after = await world.turn("Is all well?");
    await world.close();
    return { always, once, spared, after, violations: fake.violations(), leaks: world.leaks(), key: world.victim.key };
  } finally {
    await world.close();
    await fake.close();
    rmSync(world.folder, { recursive: true, force: true });
  }
}

/** What is not asked again for it ends one way, once or always. */
function comesOnce({ fault }: Cell, victim: Victim): boolean {
  const { passes, does } = expectedFor(fault, victim);
  return passes && does.length > 0 && !fault.away && fault.elsewhere === undefined && !fault.once;
}

class World {
  readonly folder: string = mkdtempSync(join(tmpdir(), "evander-matrix-"));
  readonly victim: Victim;
  private readonly cell: Cell;
  private readonly fake: RuleServer;
  private readonly clock: VirtualClock;
  private readonly diagnostics: Diagnostic[] = [];
  private readonly seen: TurnSeen[] = [];
  private session = "";
  private bot: Agent;

  constructor(cell: Cell, fake: RuleServer, clock: VirtualClock) {
    this.cell = cell;
    this.fake = fake;
    this.clock = clock;
    this.victim = victimOf(cell);
    writeFileSync(join(this.folder, FILE), blankStore());
    this.bot = this.open(fake.server.baseUrl);
  }

  /** A conversation with reasoning, a call and a long result; the server may refuse to stream in it. */
  async past(session: string): Promise<void> {
    this.session = session;
    const { mode, way } = this.victim;
    const acts: Act[] = [replies([thinks("Hm."), calls("look", { at: "it" })]), HELLO];
    if (way === "whole") acts.unshift(refusesWith({ mode }, 400, "Streaming is not supported for this model."));
    this.fake.rule = () => acts.shift() ?? HELLO;
    const { result } = await this.turn("Look around, please.");
    if (result.answer !== "Hello") throw new Error(`The past failed: ${JSON.stringify(result)}`);
    await this.bot.importMessages(session, PAST);
  }

  async underFault(): Promise<TurnSeen> {
    const { fault } = this.cell;
    const { server } = this.fake;
    if (fault.away) {
      await server.leave();
      const seen = await this.turn("What now?");
      await server.listen();
      return seen;
    }
    if (fault.elsewhere === undefined) return this.turn("What now?", fault.once ?? "always");
    await using place = await fault.elsewhere(server.port);
    await this.bot.close();
    this.bot = this.open(place.baseUrl);
    const seen = await this.turn("What now?");
    await this.bot.close();
    this.bot = this.open(server.baseUrl);
    return seen;
  }

  /** `faulty`: the fault befalls the first request, or every one. */
  async turn(prompt: string, faulty?: true | "always"): Promise<TurnSeen> {
    const { server } = this.fake;
    const first = server.requests.length;
    if (faulty !== undefined) this.fake.rule = this.ruleOf(first, faulty);
    const turn = this.bot.start(prompt, { sessionId: this.session });
    const events: TurnEvent[] = [];
    for await (const event of turn) events.push(event);
    const result = await turn;
    const facts = (this.bot.store.turn("last")?.facts ?? []).map(({ fact }) => fact);
    const seen = { result, events, facts, requests: server.requests.length - first };
    this.seen.push(seen);
    return seen;
  }

  private ruleOf(first: number, faulty: true | "always"): Rule {
    const { fault } = this.cell;
    return ({ index }) => (faulty === "always" || index === first ? fault.act(this.victim) : HELLO);
  }

  /** Where the key can be read that nobody may see: in what callers are told, in what is logged, on disk. */
  leaks(): string[] {
    const files = readdirSync(this.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const places: readonly (readonly [string, string])[] = [
      ["a result", JSON.stringify(this.seen.map(({ result }) => result))],
      ["an event", JSON.stringify(this.seen.map(({ events }) => events))],
      ["a diagnostic", JSON.stringify(this.diagnostics)],
      ...files.map((path) => [`the file ${path.slice(this.folder.length + 1)}`, readFileSync(path, "latin1")] as const),
    ];
    return places.filter(([, text]) => text.includes(this.victim.key)).map(([place]) => place);
  }

  async close(): Promise<void> {
    await this.bot.close();
  }

  private open(baseUrl: string): Agent {
    const { model } = this.cell.side;
    const { mode, key } = this.victim;
    return agent({
      baseUrl,
      model,
      api: mode,
      apiKey: key,
      provider: "there",
      keySource: "THERE_KEY",
      facts: FACTS,
      tools: [look],
      store: this.folder,
      stream: LIMITS,
      clock: this.clock,
      onDiagnostic: (diagnostic) => this.diagnostics.push(diagnostic),
    });
  }
}

const FILE = "evander.db";

let blank: Buffer | undefined;

/** A store that nobody has used, set up once for all cells. */
function blankStore(): Buffer {
  if (blank !== undefined) return blank;
  const folder = mkdtempSync(join(tmpdir(), "evander-matrix-"));
  openStore(folder).close();
  blank = readFileSync(join(folder, FILE));
  rmSync(folder, { recursive: true, force: true });
  return blank;
}

const FACTS: ModelFacts = { provider: "there", model: "fake", input: ["text", "image"], quirks: [] };

/** Many short turns: less of them can be sent, three times. */
const PAST = Array.from({ length: 12 }, (_, at) => [
  { role: "user", content: `Question ${at}. ${"Tell me more about it. ".repeat(10)}` },
  { role: "assistant", content: `Answer ${at}. ${"So it is, and so it goes on. ".repeat(10)}` },
]).flat() as Parameters<Agent["importMessages"]>[1];
