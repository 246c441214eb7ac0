import { expect, test } from "vitest";
import { atMost } from "./at-most.ts";
import { KEYS, playHardTurn, STEPS } from "./hard-turn.ts";

test("[D6] [D7] [D11] [D14] [X4] one turn changes its key, waits, goes to another model, sends less, and answers; explain, cost and status tell it", async () => {
  await atMost(async () => {
    const { result, explained, cost, keys, sent, others, printed } = await playHardTurn();
    expect(result).toMatchObject({
      answer: "The sum of the figures is forty-two.",
      provider: "other",
      model: "gpt-fake-1",
      attempts: 7,
      retries: 3,
      exit: { reason: "text_response", code: 0 },
    });
    const [bad, good] = KEYS;
    expect(sent).toEqual([bad, good, good, good, good]);
    expect(others).toBe(2);
    const lines = explained.split("\n").slice(2);
    for (const [at, step] of STEPS.entries()) expect(lines[at]).toMatch(step);
    expect(lines.filter((line) => line !== "")).toHaveLength(STEPS.length);
    // What broke in its middle was paid for; what was refused was not.
    expect(cost.match(/\bfailed\b.*/g)?.map((row) => row.split("$").at(-1))).toEqual([
      "0 actual",
      "0 actual",
      "0.000075 estimated",
      "0.000075 estimated",
      "0 actual",
      "0 actual",
    ]);
    expect(result.cost).toMatchObject({ usd: 0.000_23, status: "estimated" });
    expect(result.usage).toMatchObject({ input: 60, output: 7 });
    expect(keys).toMatch(/used up \(auth\); returns in (?:4 min|5 min)/);
    expect(keys.match(/^first .* ok$/gm)).toHaveLength(2);
    for (const key of KEYS) expect(printed).not.toContain(key);
  });
});
