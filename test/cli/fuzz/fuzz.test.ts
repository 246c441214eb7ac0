import { expect, test } from "vitest";
import { campaign, replayLine } from "./campaign.ts";

const SEED = 20_261_130;

test("[X8] 40 command lines of chance that fail keep the form, the code of the table, cause and next step", async () => {
  const broken: string[] = [];
  for await (const failing of campaign({ seed: SEED, count: 40, processEvery: 8 }))
    if (failing.breaches.length > 0)
      broken.push(
        `${JSON.stringify(failing.invocation.argv)}: ${failing.breaches.join("; ")}\n${replayLine(SEED, failing)}`,
      );
  expect(broken).toEqual([]);
});
