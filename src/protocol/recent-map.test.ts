import { expect, test } from "vitest";
import { RecentMap } from "./recent-map.ts";

test("[X6] holds the newest entries; one that is set again is new", () => {
  const map = new RecentMap<string, number>(2);
  map.set("a", 1).set("b", 2).set("a", 3).set("c", 4);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});
