import { expect, test } from "vitest";
import type { Fact } from "../../protocol/fact.ts";
import { Renderer } from "./render.ts";

const compaction = { through: 4, from: 2, instruction: 3, cutBefore: 0 };
const tokens = { before: 70_000, after: 30_000 };

test.for<readonly [string, Fact, RegExp | undefined]>([
  [
    "what is left out for pressure",
    { type: "history-compacted", compaction, because: "pressure", tokens },
    /filling up.*70000/u,
  ],
  [
    "what is left out for a refusal",
    { type: "history-compacted", compaction, because: "too-large", tokens },
    /too large/u,
  ],
  ["what a person asked for", { type: "history-compacted", compaction, because: "asked", tokens }, undefined],
  ["one compaction in vain", { type: "compaction-judged", tokens: 69_000, strikes: 1 }, undefined],
  ["two of them", { type: "compaction-judged", tokens: 69_000, strikes: 2 }, /^! .*any more in this session/u],
  [
    "what a server has not read",
    { type: "request-truncated", estimated: 9_000, told: 2_051 },
    /^! .*2051 of about 9000/u,
  ],
])("[A10] [COMP-10] a screen tells %s, if that is news", ([, fact, line]) => {
  const shown = new Renderer(true, "en").render(fact).map(({ text }) => text);
  expect(shown).toEqual(line === undefined ? [] : [expect.stringMatching(line)]);
});
