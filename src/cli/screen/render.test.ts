import { expect, test } from "vitest";
import type { Fact } from "../../protocol/fact.ts";
import { Renderer } from "./render.ts";

const compaction = { through: 4, from: 2, instruction: 3, cutBefore: 0 };
const tokens = { before: 70_000, after: 30_000 };
const shown = (fact: Fact): string[] => new Renderer(true, "en").render(fact).map(({ text }) => text);

test.for<readonly [string, Fact, RegExp]>([
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
  [
    "two compactions in vain",
    { type: "compaction-judged", tokens: 69_000, strikes: 2 },
    /^! .*any more in this session/u,
  ],
  [
    "what a server has not read",
    { type: "request-truncated", estimated: 9_000, told: 2_051 },
    /^! .*2051 of about 9000/u,
  ],
])("[A10] [COMP-10] a screen tells %s", ([, fact, line]) => {
  expect(shown(fact)).toEqual([expect.stringMatching(line)]);
});

test("[A10] a screen does not tell again what a person asked for, nor of one compaction in vain", () => {
  expect(shown({ type: "history-compacted", compaction, because: "asked", tokens })).toEqual([]);
  expect(shown({ type: "compaction-judged", tokens: 69_000, strikes: 1 })).toEqual([]);
});
