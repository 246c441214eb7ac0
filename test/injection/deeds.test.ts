import { expect, test } from "vitest";
import { type Deed, DEEDS } from "./deeds.ts";
import { doDeed, wrongIn } from "./do-deed.ts";
import { CLEAN, SOURCES } from "./sources.ts";
import { ANSWERS } from "./stage.ts";

/** Each way meets each answer, and all of them together each deed; `npm run show -- injection` plays every combination. */
const deedAt = (at: number): Deed => DEEDS[at % DEEDS.length] as Deed;

for (const [row, source] of SOURCES.entries())
  for (const [column, answer] of ANSWERS.entries()) {
    const deed = deedAt(row * ANSWERS.length + column);
    test(`[F5] [INJ-04] ${source.name} asks for: ${deed.name}; there is to be asked: ${answer}`, async () => {
      expect(wrongIn(await doDeed(source, deed, answer), { deed, answer, named: source.named })).toEqual([]);
    });
  }

const OPEN = DEEDS.filter(({ why, lasts }) => why === "asks" && lasts !== true);
/** A run from plain data names its tools, and these are not among them. */
const TALKS = CLEAN.filter(({ name }) => name !== "a run from plain data");
for (const [row, source] of TALKS.entries()) {
  const deed = OPEN[row % OPEN.length] as Deed;
  test(`[F5] nobody is asked, and it is done, behind ${source.name}: ${deed.name}`, async () => {
    const { happened, questions } = await doDeed(source, deed, "no");
    expect({ happened: happened.length, questions }).toEqual({ happened: 1, questions: [] });
  });
}
