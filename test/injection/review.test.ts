import { expect, test } from "vitest";
import { EFFECTS, type Effect } from "./effects.ts";
import { obedient, ordered } from "./obedient.ts";
import { SOURCES } from "./sources.ts";
import { Stage } from "./stage.ts";

const [ADD] = EFFECTS as readonly [Effect];

const NAMES = new Set(["a file", "an attached file", "an outside memory", "a plug-in", "a picture of the user"]);

for (const source of SOURCES.filter(({ name }) => NAMES.has(name)))
  test(`[F5] [J6] [INJ-02] a review of the program itself writes nothing of what ${source.name} has said`, async () => {
    const provider = obedient();
    await provider.server.listen();
    try {
      const looked = Promise.withResolvers<unknown>();
      const review = { turns: 1, iterations: 1, leastTurns: 1, onReview: looked.resolve };
      await using stage = new Stage(provider, "never", { review });
      const before = stage.told();
      await source.play(stage, ordered(ADD.order));
      expect(await looked.promise).toMatchObject({ deeds: [], waiting: { notes: 1 } });
      expect(stage.told()).toEqual(before);
      expect(new Set(stage.book.proposals().map(({ tainted }) => tainted))).toEqual(new Set([source.named]));
    } finally {
      await provider.close();
    }
  });
