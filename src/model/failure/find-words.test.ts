import fc from "fast-check";
import { expect, test } from "vitest";
import { wordFinder } from "./find-words.ts";

test("[D1] one pass finds the same words as a search for each", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "限", " "), minLength: 1, maxLength: 7 });
  const groups = fc.array(fc.array(word, { minLength: 1, maxLength: 4 }), { maxLength: 8 });
  const text = fc.string({ unit: fc.constantFrom("a", "b", "限", " "), maxLength: 40 });
  fc.assert(
    fc.property(groups, text, (all, said) => {
      const found = wordFinder(all)(said);
      expect([...found].length).toBeLessThanOrEqual(all.length);
      for (const words of all) expect(found.has(words)).toBe(words.some((each) => said.includes(each)));
    }),
  );
});
