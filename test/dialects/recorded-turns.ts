import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Agent, agent, type AgentOptions, type TurnHandle } from "../../src/index.ts";
import { tool } from "../support/agent-in-folder.ts";
import { guarded } from "../support/tools.ts";
import type { Side } from "./client.ts";
import { type Act, calls, refuses, replies, says, type ScriptPart, thinks } from "./script.ts";
import { PNG } from "./talks.ts";
import { type DialectServer, fakeDialect, scripted } from "./wire.ts";

const PICTURE = { type: "image", url: `data:image/png;base64,${PNG}` } as const;

const text = (words: string): ScriptPart => ({ type: "text", text: words });

const SUMMARY: Act = says("A summary of what was seen.", { newHead: true });

/** One way in which a turn goes, in sessions of its own; each brings the turns it says. */
type Shape = (recording: Recording, round: number) => Promise<void>;

export type ShapeName = "text" | "tools" | "retries" | "steer" | "approval" | "stop" | "compaction" | "resumed";

export const SHAPES: Readonly<Record<ShapeName, Shape>> = {
  text: async (recording, round) => {
    await recording.turn("text", [says(["Hel", `lo ${round}`])]);
    await recording.turn("text", [replies([thinks(["H", "m."]), text("你好 😀")])]);
  },
  tools: async (recording, round) => {
    await recording.turn("tools", [
      replies([thinks("I look."), text("Let me see."), calls("ls", { path: `${round}` }), calls("look", {})]),
      replies([calls("fails", {}), calls("nowhere", {}), calls("ls", "{broken")]),
      says("Seen."),
    ]);
  },
  retries: async (recording) => {
    await recording.turn("retries", [
      refuses("rate_limit"),
      says(["It ", "began ", "well"], { broken: { after: 2, by: "reset" } }),
      says(" and goes on.", { newHead: true }),
    ]);
    await recording.turn("retries", [refuses("server_error"), refuses("overloaded"), says("At last.")]);
  },
  steer: async (recording) => {
    await recording.turn("steer", [replies([calls("told", {}), calls("ls", {})]), says("As you wish.")]);
  },
  approval: async (recording, round) => {
    await recording.parks("approval", [replies([calls("guarded", { round }), calls("ls", {})])]);
    await recording.goOn("approval", round % 2 === 0, [says("Asked.")]);
  },
  stop: async (recording) => {
    await recording.turn("stop", [replies([thinks("I wait."), calls("stopped", {})])]);
    await recording.turn("stop", [says("What was that?")]);
  },
  compaction: async (recording, round) => {
    const looks = replies([text(`Round ${round}.`), calls("long", {})]);
    await recording.turn("compaction", [looks, looks, looks, looks, says("Much.")]);
    await recording.turn("compaction", [looks, refuses("context_too_long"), SUMMARY, says("Less.", { newHead: true })]);
    await recording.turn("compaction", [says("Still here.", { newHead: true })]);
  },
  resumed: async (recording, round) => {
    await recording.dies("resumed", [replies([text("On it."), calls("hangs", {}), calls("ls", { round })])]);
    await recording.goOn("resumed", true, [says("I am back.")]);
  },
};

/** Turns that are had in one dialect with a fake of its servers, on a store in a folder. */
export class Recording implements AsyncDisposable {
  readonly #side: Side;
  readonly #server: DialectServer;
  readonly #folder = mkdtempSync(join(tmpdir(), "evander-recording-"));
  #bot: Agent;
  #turn: TurnHandle | undefined;
  #hanging = Promise.withResolvers<void>();
  #round = 0;

  private constructor(side: Side, server: DialectServer) {
    this.#side = side;
    this.#server = server;
    this.#bot = this.#open();
  }

  static async begin(side: Side): Promise<Recording> {
    return new Recording(side, await fakeDialect(side.wire, []));
  }

  get store(): Agent["store"] {
    return this.#bot.store;
  }

  /** Every turn that was had. */
  get turnIds(): string[] {
    return [...this.store.turns({})].map(({ turnId }) => turnId);
  }

  /** Each shape once more. */
  async round(shapes: readonly ShapeName[] = Object.keys(SHAPES) as ShapeName[]): Promise<void> {
    this.#round++;
    for (const name of shapes) await SHAPES[name](this, this.#round);
  }

  /** A turn to its end; a shape has one session in each round. */
  async turn(shape: ShapeName, acts: readonly Act[]): Promise<void> {
    const { exit } = await this.#start(shape, acts);
    const wanted = shape === "stop" ? ["text_response", "interrupted_by_user"] : ["text_response"];
    if (!wanted.includes(exit.reason)) throw new Error(`${shape} ended as ${exit.reason}: ${exit.explain}`);
  }

  /** A turn up to where it waits for a person. */
  async parks(shape: ShapeName, acts: readonly Act[]): Promise<void> {
    const { exit } = await this.#start(shape, acts);
    if (exit.reason !== "parked_for_approval") throw new Error(`${shape} ended as ${exit.reason}: ${exit.explain}`);
    await this.#bot.close();
    this.#bot = this.#open();
  }

  /** A turn up to where its process dies: from there on it writes nothing. */
  async dies(shape: ShapeName, acts: readonly Act[]): Promise<void> {
    this.#hanging = Promise.withResolvers();
    const turn = this.#start(shape, acts);
    await this.#hanging.promise;
    this.store.close();
    const dead = this.#bot.close();
    await Promise.allSettled([turn, dead]);
    this.#bot = this.#open();
  }

  /** Another process takes up the turn that stands still. */
  async goOn(shape: ShapeName, allow: boolean, acts: readonly Act[]): Promise<void> {
    const [open] = this.store.openTurns();
    const turn = open && (await this.#bot.open(open.turnId));
    if (turn === undefined) throw new Error(`${shape}: no turn stands still`);
    for (const { callId } of turn.pending) await turn.decide(callId, allow);
    this.#script(acts);
    const { exit } = await turn.resume();
    if (exit.reason !== "text_response") throw new Error(`${shape} ended as ${exit.reason}: ${exit.explain}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#bot.close();
    await this.#server[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #start(shape: ShapeName, acts: readonly Act[]): TurnHandle {
    this.#script(acts);
    const attachments = shape === "tools" ? { attachments: [PICTURE] } : {};
    this.#turn = this.#bot.start(`${shape}, please`, { sessionId: `${shape}-${this.#round}`, ...attachments });
    return this.#turn;
  }

  #script(acts: readonly Act[]): void {
    this.#server.script(...acts.map((act) => scripted(this.#side.wire, act)));
  }

  #open(): Agent {
    const { wire, model } = this.#side;
    const options: AgentOptions = {
      model,
      api: wire.mode,
      provider: wire.mode,
      baseUrl: `${this.#server.origin}${wire.base}`,
      apiKey: "AKIDFAKE:fake-secret",
      store: this.#folder,
      system: "You help, in a test.",
      approvals: "park",
      clock: "fake",
      consolidate: false,
    };
    const words = "Many words, line after line.\n".repeat(100);
    const tools = [
      tool("ls", () => `{"names":["b","a"]}`),
      tool("look", () => [{ type: "text", text: "the screen:" }, PICTURE]),
      tool("fails", () => Promise.reject(new Error("no such thing"))),
      tool("told", async () => String(await this.#turn?.steer("rather the other one"))),
      tool("stopped", async () => String(await this.#turn?.interrupt())),
      tool("long", () => words),
      tool("hangs", () => (this.#hanging.resolve(), new Promise<string>(() => {})), { effect: "effect" }),
      guarded(),
    ];
    return agent({ ...options, tools });
  }
}
