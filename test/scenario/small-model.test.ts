import { expect, test } from "vitest";
import { ANSWER, INSTRUCTION, OPEN, playSmallModel, SMALL, tokensOf, WAYS } from "./small-model.ts";

test.for(WAYS.flatMap((way) => [true, false].map((summary) => [way, summary] as const)))(
  "[A10] [F3] a session of 200,000 tokens goes on with a model of 32,768, by %s: the last instruction and the open items are there; with a summary: %s",
  async ([way, summary]) => {
    const { result, facts, asked, refused, illegal, summaries, sessionTokens } = await playSmallModel(way, summary);
    expect(sessionTokens).toBeGreaterThan(200_000);
    expect(result).toMatchObject({ ok: true, answer: ANSWER, model: "small-1" });
    expect({ refused, illegal }).toEqual({ refused: 0, illegal: [] });
    expect(asked).toHaveLength(1);
    const [request] = asked;
    if (request === undefined) return;
    expect(tokensOf(request) + 4_096).toBeLessThanOrEqual(SMALL);
    expect(request.text).toContain(JSON.stringify(INSTRUCTION).slice(1, -1));
    for (const item of OPEN) expect(request.text).toContain(item);
    const compacted = facts.filter((fact) => fact.type === "history-compacted");
    expect(compacted.length).toBeGreaterThan(0);
    expect(compacted.map(({ because }) => because)).toEqual(compacted.map(() => "pressure"));
    expect(summaries).toBe(Number(summary));
    expect(request.text.includes("The audit of the login.")).toBe(summary);
    const { before = 0, after = 0 } = compacted.at(-1)?.tokens ?? {};
    expect(after).toBeLessThan(before / 2);
    expect(facts).toContainEqual({ type: "compaction-judged", tokens: tokensOf(request), strikes: 0 });
  },
);
