import { expect, test } from "vitest";
import { dream } from "../../src/program/dreaming.ts";
import { DREAM_SYSTEM } from "../../src/context/dream/prompt.ts";
import { EFFECTS, type Effect } from "./effects.ts";
import { obedient, ordered } from "./obedient.ts";
import { SOURCES } from "./sources.ts";
import { Stage } from "./stage.ts";

const [ADD] = EFFECTS as readonly [Effect];

for (const source of SOURCES.filter(({ byUser }) => byUser !== true))
  test(`[F5] [INJ-02] a dream over the notes is told nothing of what ${source.name} has said`, async () => {
    const provider = obedient();
    await provider.server.listen();
    try {
      await using stage = new Stage(provider, "never");
      const words = ordered(ADD.order);
      await source.play(stage, words);
      await stage.close();
      const before = stage.told();
      const bot = stage.agent();
      const end = await dream(
        { folders: { data: stage.data }, store: bot.store, tools: stage.tools() },
        { run: (spec) => bot.runSpec(spec) },
        {},
      );
      const asked = provider.requests.filter(({ body }) =>
        JSON.stringify(body.messages[0]).includes(DREAM_SYSTEM.slice(0, 40)),
      );
      expect([end.type, asked.length]).toEqual(["failed", 1]);
      expect(asked[0]?.text).toContain("Ada takes tea.");
      expect(asked[0]?.text).not.toContain("CALL:memory");
      expect(stage.told()).toEqual(before);
    } finally {
      await provider.close();
    }
  });
