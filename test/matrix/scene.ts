import {
  type Agent,
  agent,
  type AgentOptions,
  type ModelFacts,
  type RunResult,
  type TurnEvent,
} from "../../src/index.ts";
import type { Fact } from "../../src/protocol/fact.ts";
import type { Tool } from "../../src/protocol/tool.ts";
import { VirtualClock } from "../../src/testing.ts";
import type { Fault, Victim } from "./fault.ts";
import { type RuleServer, ruleServer } from "./rule-server.ts";
import { HELLO } from "./said.ts";

/** One turn, as the caller and the journal have it. */
export interface TurnSeen {
  readonly result: RunResult;
  readonly events: readonly TurnEvent[];
  readonly facts: readonly Fact[];
  /** Requests that the server received. */
  readonly requests: number;
}

/** A server of the victim's dialect, and agents that ask it, in a time of their own. */
export class Scene implements AsyncDisposable {
  readonly victim: Victim;
  readonly clock: VirtualClock;
  readonly fake: RuleServer;

  private constructor(victim: Victim, clock: VirtualClock, fake: RuleServer) {
    this.victim = victim;
    this.clock = clock;
    this.fake = fake;
  }

  static async open(victim: Victim): Promise<Scene> {
    const clock = new VirtualClock();
    return new Scene(victim, clock, await ruleServer(victim.side.wire, clock));
  }

  agent(more: Partial<AgentOptions> = {}): Agent {
    const { mode, key, side } = this.victim;
    return agent({
      baseUrl: this.fake.server.baseUrl,
      model: side.model,
      api: mode,
      apiKey: key,
      provider: "there",
      keySource: "THERE_KEY",
      facts: FACTS,
      tools: [look],
      stream: LIMITS,
      clock: this.clock,
      ...more,
    });
  }

  /** `faulty`: which requests the fault befalls; none when absent. */
  async turn(bot: Agent, session: string, faulty?: Faulty): Promise<TurnSeen> {
    const { server } = this.fake;
    const first = server.requests.length;
    if (faulty !== undefined) {
      const { fault, times } = faulty;
      this.fake.rule = ({ index }) => (times === "always" || index === first ? fault.act(this.victim) : HELLO);
    }
    const turn = bot.start("What now?", { sessionId: session });
    const events: TurnEvent[] = [];
    for await (const event of turn) events.push(event);
    const result = await turn;
    const facts = (bot.store.turn("last")?.facts ?? []).map(({ fact }) => fact);
    return { result, events, facts, requests: server.requests.length - first };
  }

  /** Acts while the fault is there, on the address that requests go to. */
  async under<T>({ away, elsewhere }: Fault, act: (baseUrl: string) => Promise<T>): Promise<T> {
    const { server } = this.fake;
    if (elsewhere !== undefined) {
      await using place = await elsewhere(server.port);
      return await act(place.baseUrl);
    }
    if (!away) return act(server.baseUrl);
    await server.leave();
    try {
      return await act(server.baseUrl);
    } finally {
      await server.listen();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fake.close();
  }
}

export interface Faulty {
  readonly fault: Fault;
  readonly times: "once" | "always";
}

/** Limits of a call that hold on this machine too. */
const LIMITS = { firstByteMs: 120_000, idleMs: 180_000, callMs: 1_800_000, nonStreamIdleMs: 90_000 };

const FACTS: ModelFacts = { provider: "there", model: "fake", input: ["text", "image"], quirks: [] };

const look: Tool = {
  name: "look",
  description: "Looks at a thing.",
  parameters: { type: "object", properties: { at: { type: "string", pattern: "^.*$" } } },
  effect: "pure",
  concurrency: "shared",
  run: ({ at }) => `${String(at)}: ${"All work and no play makes a long result. ".repeat(30)}`,
};
