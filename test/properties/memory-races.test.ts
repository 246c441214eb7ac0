import { expect, test } from "vitest";
import { killWriters, raceForNotes } from "./memory-races.ts";

test("[F5] two processes change the notes of one file at once, and none of either is lost", async () => {
  expect(await raceForNotes(50)).toEqual({ made: 100, lost: 0, odd: 0 });
}, 60_000);

test("[F5] whoever writes is killed, whatever it does at that moment: the file is whole, and what was told as written is", async () => {
  expect(await killWriters(3)).toEqual({ kills: 3, lost: 0, torn: 0 });
}, 60_000);
