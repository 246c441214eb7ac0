import type { FakeProvider } from "../support/fake-provider.ts";

/** What is played in it, and the model that all of it asks. */
export interface Scene {
  readonly model: FakeProvider;
}

export interface Stage<World extends Scene> {
  readonly name: string;
  readonly rows: string;
  /** What is to be seen of it, word for word. */
  readonly goal: string;
  /** Returns what was seen; throws where something else was wrong. */
  readonly play: (world: World) => Promise<string>;
}

/** Stages one after the other; behind one that failed none is played. Also what the model was asked wrongly is trouble. */
export class Stages<World extends Scene> {
  private readonly world: World;
  private failed = "";

  constructor(world: World) {
    this.world = world;
  }

  async play({ name, play }: Stage<World>): Promise<string> {
    if (this.failed !== "") throw new Error(`${this.failed} has failed before it.`);
    this.failed = name;
    const { world } = this;
    const seen = await play(world).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${troubleOf(world)}`, { cause: error });
    });
    world.model.verify();
    this.failed = "";
    return seen;
  }

  /** What was seen of each of them, or how it failed. */
  async figures(
    all: readonly Stage<World>[],
  ): Promise<{ figure: string; value: string; goal: string; pass: boolean }[]> {
    const figures = [];
    for (const stage of all) {
      const value = await this.play(stage).catch(
        (error: unknown) => `failed: ${error instanceof Error ? error.message : String(error)}`,
      );
      figures.push({ figure: stage.name, value, goal: "this very line", pass: value === stage.goal });
    }
    return figures;
  }
}

/** What the model saw: a request that was refused says more than what came of it. */
function troubleOf({ model }: Scene): string {
  try {
    model.verify();
    return "";
  } catch (error) {
    return String(error);
  }
}
