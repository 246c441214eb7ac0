import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Agent, Diagnostic } from "../../src/index.ts";
import type { Side } from "../dialects/client.ts";
import { type Act, calls, replies, thinks } from "../dialects/script.ts";
import { SUBJECTS } from "../dialects/subjects.ts";
import { blankStore } from "./blank-store.ts";
import { expectedFor, type Fault, type Victim, type Way } from "./fault.ts";
import { ruleServer } from "./rule-server.ts";
import { HELLO, refusesWith } from "./said.ts";
import { type Faulty, Scene, type TurnSeen } from "./scene.ts";

export interface Cell {
  readonly fault: Fault;
  readonly side: Side;
  readonly way: Way;
}

export interface Seen {
  /** The fault comes again and again. */
  readonly always: TurnSeen;
  /** It comes once; undefined where it cannot come and go in one turn. */
  readonly once: TurnSeen | undefined;
  /** The server wants to be left alone for long: a turn before that is over. */
  readonly spared: TurnSeen | undefined;
  /** It comes again and again, and there is another model, in another dialect; undefined where nothing else would come of that. */
  readonly backed: TurnSeen | undefined;
  /** It befalls one of two keys; undefined where keys make no difference. */
  readonly keyed: TurnSeen | undefined;
  /** All is well again. */
  readonly after: TurnSeen;
  /** What the servers found illegal. */
  readonly violations: readonly string[];
  /** Where the key stands. */
  readonly leaks: readonly string[];
  readonly key: string;
}

const keyFor = (cell: Cell): string => `k3y-${Buffer.from(cell.fault.name).toString("hex").slice(0, 24)}-nobodyMaySee`;

export const victimOf = (cell: Cell): Victim => ({
  side: cell.side,
  mode: cell.side.wire.mode,
  way: cell.way,
  key: keyFor(cell),
});

/** A fault on the whole product: the library on a real server, with a past, before, under and after the fault. */
export async function play(cell: Cell): Promise<Seen> {
  const { fault } = cell;
  await using scene = await Scene.open(victimOf(cell));
  await using world = new World(scene);
  await world.past("first");
  const always = await world.underFault(fault);
  if (fault.remembered) await world.past("another");
  const once = comesOnce(fault, scene.victim) ? await world.turn({ fault, times: "once" }) : undefined;
  scene.fake.rule = () => HELLO;
  const spared = fault.lastsMs === undefined ? undefined : await world.turn();
  if (fault.lastsMs !== undefined) await scene.clock.sleep(fault.lastsMs, new AbortController().signal);
  const after = await world.turn();
  const backed = hasBackup(cell, scene.victim) ? await playBacked(scene, fault) : undefined;
  const keyed = hasKeys(cell, scene.victim) ? await playKeyed(scene, fault) : undefined;
  await world.close();
  const leaks = world.leaks([backed, keyed].filter((turn) => turn !== undefined));
  const violations = scene.fake.violations();
  return { always, once, spared, backed, keyed, after, violations, leaks, key: scene.victim.key };
}

/** What is not asked again for it ends one way, once or always. */
function comesOnce(fault: Fault, victim: Victim): boolean {
  const { passes, does } = expectedFor(fault, victim);
  return passes && does.length > 0 && !fault.away && fault.elsewhere === undefined && !fault.once;
}

/** How the reply was asked for makes no difference to who is asked next. */
const hasBackup = ({ fault, way }: Cell, victim: Victim): boolean =>
  way === "stream" && expectedFor(fault, victim).code !== 0;

const hasKeys = ({ fault, way }: Cell, victim: Victim): boolean =>
  way === "stream" && expectedFor(fault, victim).keyed !== undefined;

/** A new session, with another key behind the one that fails. */
async function playKeyed(scene: Scene, fault: Fault): Promise<TurnSeen> {
  const { fake, victim } = scene;
  fake.rule = ({ headers }) => (victim.side.wire.keyOf(headers) === victim.key ? fault.act(victim) : HELLO);
  await using bot = scene.agent({ apiKeys: ["another-key"] });
  return await scene.turn(bot, "keyed");
}

/** A new session, with another model behind the one that fails. */
async function playBacked(scene: Scene, fault: Fault): Promise<TurnSeen> {
  const { side } = scene.victim;
  const other = SUBJECTS[(SUBJECTS.indexOf(side) + 1) % SUBJECTS.length] ?? side;
  const backup = await ruleServer(other.wire, scene.clock);
  backup.rule = () => HELLO;
  const { baseUrl } = backup.server;
  const fallback = [{ provider: "elsewhere", model: other.model, baseUrl, apiKey: "other-key", api: other.wire.mode }];
  try {
    const seen = await scene.under(fault, async (baseUrl) => {
      await using bot = scene.agent({ baseUrl, fallback });
      return await scene.turn(bot, "backed", { fault, times: fault.once ? "once" : "always" });
    });
    const [illegal] = backup.violations();
    if (illegal !== undefined) throw new Error(`The other model was asked illegally: ${illegal}`);
    return seen;
  } finally {
    await backup.close();
  }
}

/** A store on disk, and the agent that works on it now. */
class World implements AsyncDisposable {
  private readonly scene: Scene;
  private readonly folder: string = blankStore();
  private readonly diagnostics: Diagnostic[] = [];
  private readonly seen: TurnSeen[] = [];
  private session = "";
  private bot: Agent;

  constructor(scene: Scene) {
    this.scene = scene;
    this.bot = this.open(scene.fake.server.baseUrl);
  }

  /** A conversation with reasoning, a call and a long result; the server may refuse to stream in it. */
  async past(session: string): Promise<void> {
    this.session = session;
    const { fake, victim } = this.scene;
    const acts: Act[] = [replies([thinks("Hm."), calls("look", { at: "it" })]), HELLO];
    if (victim.way === "whole") acts.unshift(refusesWith(victim, 400, "Streaming is not supported for this model."));
    fake.rule = () => acts.shift() ?? HELLO;
    const { result } = await this.turn();
    if (result.answer !== "Hello") throw new Error(`The past failed: ${JSON.stringify(result)}`);
    await this.bot.importMessages(session, PAST);
  }

  /** Where the fault is the address, an agent that asks there works on the same store meanwhile. */
  underFault(fault: Fault): Promise<TurnSeen> {
    const here = this.scene.fake.server.baseUrl;
    return this.scene.under(fault, async (baseUrl) => {
      if (baseUrl !== here) await this.moveTo(baseUrl);
      const seen = await this.turn({ fault, times: fault.once ? "once" : "always" });
      if (baseUrl !== here) await this.moveTo(here);
      return seen;
    });
  }

  async turn(faulty?: Faulty): Promise<TurnSeen> {
    const seen = await this.scene.turn(this.bot, this.session, faulty);
    this.seen.push(seen);
    return seen;
  }

  /** Where the key can be read that nobody may see: in what callers are told, in what is logged, on disk. */
  leaks(others: readonly TurnSeen[]): string[] {
    const turns = [...this.seen, ...others];
    const places: readonly (readonly [string, string])[] = [
      ["a result", JSON.stringify(turns.map(({ result }) => result))],
      ["an event", JSON.stringify(turns.map(({ events }) => events))],
      ["a diagnostic", JSON.stringify(this.diagnostics)],
      ...filesIn(this.folder),
    ];
    return places.filter(([, text]) => text.includes(this.scene.victim.key)).map(([place]) => place);
  }

  async close(): Promise<void> {
    await this.bot.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async moveTo(baseUrl: string): Promise<void> {
    await this.bot.close();
    this.bot = this.open(baseUrl);
  }

  private open(baseUrl: string): Agent {
    const onDiagnostic = (diagnostic: Diagnostic): unknown => this.diagnostics.push(diagnostic);
    return this.scene.agent({ baseUrl, store: this.folder, onDiagnostic });
  }
}

const filesIn = (folder: string): (readonly [string, string])[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => [`the file ${entry.name}`, readFileSync(join(entry.parentPath, entry.name), "latin1")]);

/** Many short turns: less of them can be sent, three times. */
const PAST = Array.from({ length: 12 }, (_, at) => [
  { role: "user", content: `Question ${at}. ${"Tell me more about it. ".repeat(10)}` },
  { role: "assistant", content: `Answer ${at}. ${"So it is, and so it goes on. ".repeat(10)}` },
]).flat() as Parameters<Agent["importMessages"]>[1];
