import { expect, test } from "vitest";
import { entriesIn, keptOf, nextCursor, objectsIn } from "./diary-lines.ts";

const AT = "2026-01-01 00:00";
const line = (cursor: unknown, more: object = {}): string =>
  JSON.stringify({ cursor, timestamp: AT, content: "x", ...more });
const file = (...lines: readonly string[]): string => lines.map((each) => `${each}\n`).join("");

test.each([
  ["nothing is there", "", undefined, 1],
  ["the last entry counts", file(line(1), line(2)), undefined, 3],
  ["a counter that is ahead, as after entries were dropped", file(line(10)), "100", 101],
  ["a counter that is behind", file(line(10)), "2\n", 11],
  ["a counter that is none", file(line(10)), "not_a_number", 11],
  ["a negative counter", "", "-5", 1],
  ["a tail that is torn", file(line(7)) + line(8).slice(0, 9), undefined, 8],
  ["a tail that is no object, and a counter", file(line(7), "[9]"), "3", 8],
  [
    "all counts where the tail has no cursor, whatever the order",
    file(line(100), line(5), line("bad")),
    undefined,
    101,
  ],
  ["the tail alone counts where it has one", file(line(100), line(5)), undefined, 6],
  ["a boolean", file(line(3), line(true)), undefined, 4],
  ["a negative one", file(line(-5)), undefined, 1],
  ["a fraction, null, a list", file(line(3), line(3.5), line(null), line([1, 2])), undefined, 4],
  ["no cursor at all", file(JSON.stringify({ timestamp: AT, content: "x" })), undefined, 1],
  ["content of another type", file(line(4), line(50, { content: 1 }), line("bad")), undefined, 5],
  ["only nonsense", file(line("a"), line("b")), undefined, 1],
  ["from zero", file(line(0)), undefined, 1],
  ["blank lines behind", `${file(line(6))}\n\n`, undefined, 7],
])("[F5] the next cursor: %s", (_, text, counter, next) => {
  expect(nextCursor(text, counter)).toBe(next);
});

test("[F5] what another program or a hand has written wrongly is passed over, the rest is read in its order", () => {
  const text = file(
    line("x"),
    line(2),
    line(null),
    line(4, { session: "s1" }),
    line(5, { session: 5 }),
    line(6, { timestamp: 6 }),
    "{",
    line(7, { tainted: "web_fetch" }),
  );
  expect(entriesIn(objectsIn(text))).toEqual([
    { cursor: 2, timestamp: AT, content: "x" },
    { cursor: 4, timestamp: AT, content: "x", session: "s1" },
    { cursor: 7, timestamp: AT, content: "x", tainted: "web_fetch" },
  ]);
});

const upTo = (count: number): { cursor: number }[] => Array.from({ length: count }, (_, at) => ({ cursor: at + 1 }));
const cursorsOf = (kept: ReturnType<typeof keptOf>): unknown[] => kept.map(({ cursor }) => cursor);

test.each([
  ["fewer than there may be", { most: 10, seen: 0 }, [1, 2, 3, 4, 5]],
  ["all were seen", { most: 2, seen: 5 }, [4, 5]],
  ["some were not", { most: 2, seen: 2 }, [3, 4, 5]],
  ["none was", { most: 2, seen: 0 }, [1, 2, 3, 4, 5]],
  ["no limit", { most: 0, seen: 5 }, [1, 2, 3, 4, 5]],
] as const)("[F5] what is kept of five where %s", (_, { most, seen }, kept) => {
  expect(cursorsOf(keptOf(upTo(5), most, seen))).toEqual(kept);
});
