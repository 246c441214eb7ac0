import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Agent, agent, type AgentOptions, type Tool } from "../../src/index.ts";
import type { Fact } from "../../src/protocol/fact.ts";
import type { Given } from "../../src/protocol/oracle.ts";
import { FakeProvider, type Script } from "./fake-provider.ts";
import { assertFileReplays } from "./replays.ts";
import { assertSound } from "./sound.ts";

/** One provider, one store folder, and as many agents on them as a test opens one after the other. */
export class Bench implements AsyncDisposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), "evander-library-"));
  readonly provider: FakeProvider;
  /** What holds of its store at the end, whatever was done in it; undefined: the test has damaged it on purpose. */
  given: Given | undefined = { idle: true, recordedHere: true };
  /** False: the record of a turn is not as this program leaves it, or says less than the turn was sent with. */
  replays = true;
  readonly #open: Agent[] = [];

  constructor(steps: readonly Script[]) {
    this.provider = new FakeProvider(steps);
  }

  async listen(): Promise<this> {
    await this.provider.listen();
    return this;
  }

  /** An agent as a new process would have it: on the same store, with the same provider. */
  agent(options: Partial<AgentOptions> = {}): Agent {
    const fixed = { baseUrl: this.provider.baseUrl, model: "fake-1", store: this.folder };
    const bot = agent({ ...fixed, ...options });
    this.#open.push(bot);
    return bot;
  }

  /** The facts of the newest turn, as they are on disk. */
  facts(): readonly Fact[] {
    const turn = this.#open.at(-1)?.store.turn("last");
    return turn?.facts.map(({ fact }) => fact) ?? [];
  }

  /** Whatever was done here, the store is sound, and nobody holds anything in it any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const bot of this.#open) await bot.close();
    try {
      const path = join(this.folder, "evander.db");
      if (this.given === undefined) return;
      assertSound(path, this.given);
      if (this.replays) await assertFileReplays(path);
    } finally {
      rmSync(this.folder, { recursive: true, force: true });
      await this.provider.close();
    }
  }
}

export const bench = (...steps: readonly Script[]): Promise<Bench> => new Bench(steps).listen();

/** A tool without arguments of its own; anything else by `more`. */
export const tool = (name: string, run: Tool["run"], more: Partial<Tool> = {}): Tool => ({
  name,
  description: `The tool ${name}.`,
  parameters: { type: "object" },
  effect: "pure",
  concurrency: "shared",
  run,
  ...more,
});
