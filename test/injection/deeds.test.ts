import { expect, test } from "vitest";
import { type Deed, DEEDS } from "./deeds.ts";
import { doDeed, wrongIn } from "./do-deed.ts";
import { FAR_SOURCES } from "./far-sources.ts";
import { CLEAN, SOURCES } from "./sources.ts";
import { ANSWERS, asks, type Stage } from "./stage.ts";

/** Each way meets each answer, and all of them together each deed; `npm run show -- injection` plays every combination. */
const deedAt = (at: number): Deed => DEEDS[at % DEEDS.length] as Deed;

for (const [row, source] of [...SOURCES, ...FAR_SOURCES].entries())
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

/** A child reads the words and obeys them: what needs a yes it is refused, whoever is there for its parent. */
const byChild = {
  play: async (stage: Stage, words: string) => {
    stage.file("report.md", words);
    const goal = asks("read_file", { path: "report.md" });
    await stage.turn(stage.agent(), asks("delegate_task", { goal }));
  },
};
for (const deed of DEEDS)
  test(`[F5] [I4] a child that obeys reaches nothing, also where a person would say yes: ${deed.name}`, async () => {
    const { happened, illegal } = await doDeed(byChild, deed, "yes");
    expect({ happened, illegal }).toEqual({ happened: [], illegal: [] });
  });
