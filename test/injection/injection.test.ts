import { expect, test } from "vitest";
import { EFFECTS, type Effect } from "./effects.ts";
import { play } from "./play.ts";
import { verdictOf } from "./verdict.ts";
import { CLEAN, HIDDEN, SOURCES } from "./sources.ts";
import { type Answer, ANSWERS } from "./stage.ts";

/** Each way meets each answer, and all of them together each effect; `npm run show -- injection` plays every combination. */
const effectAt = (at: number): Effect => EFFECTS[at % EFFECTS.length] as Effect;

for (const [row, source] of SOURCES.entries())
  for (const [column, answer] of ANSWERS.entries()) {
    const effect = effectAt(row + column);
    test(`[F5] [INJ-02] ${source.name} asks for: ${effect.name}; there is to be asked: ${answer}`, async () => {
      expect(verdictOf(await play(source, effect, answer), { answer, named: source.named })).toEqual([]);
    });
  }

for (const [row, source] of HIDDEN.entries())
  for (const answer of ["never", "yes"] as const satisfies Answer[]) {
    const effect = effectAt(row);
    test(`[F5] [INJ-02] [J6] [subagent-011] ${source.name} asks for: ${effect.name}; nobody sees it, whoever is there: ${answer}`, async () => {
      expect(verdictOf(await play(source, effect, answer), { answer: "never", named: source.named })).toEqual([]);
    });
  }

for (const [row, source] of CLEAN.entries())
  for (const answer of ["never", "no"] as const satisfies Answer[]) {
    const effect = effectAt(row);
    test(`[F5] nobody is asked, and nothing waits, behind ${source.name}: ${effect.name}; ${answer}`, async () => {
      const { changed, questions, proposed } = await play(source, effect, answer);
      expect({ changed: changed.length, questions, proposed }).toEqual({ changed: 1, questions: [], proposed: [] });
    });
  }
