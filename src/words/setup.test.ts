import { expect, test } from "vitest";
import { LANGUAGES } from "./language.ts";
import { SETUP_CHOICES } from "./setup.ts";

test("[X2] without a model there are four choices, each with a key of its own, on one line of 80 columns", () => {
  expect(SETUP_CHOICES.map(({ key }) => key)).toEqual(["1", "2", "3", "d"]);
  for (const language of LANGUAGES) {
    const line = SETUP_CHOICES.map(({ key, text }) => `${key} ${text[language]}`).join(" · ");
    expect(line.length).toBeLessThanOrEqual(80);
  }
});
