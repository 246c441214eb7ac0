import { expect, test } from "vitest";
import { agent, pictureOf, pictureSvg } from "../../src/index.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { echo } from "../support/tools.ts";
import { callTools, say } from "../support/wire-script.ts";
import { tagsOf } from "../support/xml.ts";

test("[X3] a program draws the picture of a turn out of the store of its agent", async () => {
  const calls = callTools([{ id: "a", name: "echo", arguments: { text: "x" } }]);
  await using provider = await fakeProvider([calls, say("Done.")]);
  await using bot = agent({ baseUrl: provider.baseUrl, model: "m", tools: [echo] });
  const { turnId } = await bot.run("say x");
  const turn = bot.store.turn(turnId ?? "");
  if (turn === undefined) throw new Error("the turn is not there");
  const picture = pictureOf(turn);
  expect(picture).toMatchObject({ exit: "text_response", asked: "say x", iterations: { used: 2 } });
  expect(tagsOf(pictureSvg(picture, "en"))[0]).toContain("<svg ");
});
