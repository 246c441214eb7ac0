import { expect, test } from "vitest";
import { racePaths } from "../../../test/properties/path-races.ts";
import { pathRounds } from "../../../test/properties/path-trees.ts";

test("[R19] in random folders with links, hard links and twins, what the system says leads out is never read or written", async () => {
  const { read, written, escapes, refusals } = await pathRounds(40, 1);
  expect({ escapes, refusals }).toEqual({ escapes: [], refusals: [] });
  expect(Math.min(read, written)).toBeGreaterThan(20);
});

test("[R19][path-083] while a second process swaps a folder and a file for links all the time, nothing outside is read or written", async () => {
  const { attempts, escapes } = await racePaths(300);
  expect({ attempts, escapes }).toEqual({ attempts: 300, escapes: 0 });
});
