import type { Stage } from "../stages.ts";
import { friday, monday, saturday, sunday, tuesday } from "./facts.ts";
import { bill, thursday, wednesday } from "./procedure.ts";
import type { Week } from "./world.ts";

/** In this order: each needs what those before it have left. */
export const DAYS: readonly Stage<Week>[] = [
  {
    name: "Monday",
    rows: "[F5] [X1]",
    goal: "3 notes of one conversation, none of them in its own prompt",
    play: monday,
  },
  {
    name: "Tuesday",
    rows: "[F5] [J6]",
    goal: `You drink tea. "why" names Monday's turn; one note corrected, 4 versions`,
    play: tuesday,
  },
  {
    name: "Wednesday",
    rows: "[F6] [J6]",
    goal: "a review proposes 1 skill, a yes makes it; $0.000405 of the turn's $0.001215 are the review's",
    play: wednesday,
  },
  {
    name: "Thursday",
    rows: "[F6] [E9]",
    goal: "1.3.0 is out: by skill_view, then by $release-the-site, which is improved",
    play: thursday,
  },
  {
    name: "Friday",
    rows: "[F5] [INJ-02]",
    goal: "0 notes by the letter's order; it waited for its user, who said no",
    play: friday,
  },
  {
    name: "Saturday",
    rows: "[G1] [E9]",
    goal: "周三下午。 Monday found by session_search in 2 languages, and first in 2 of 2 searches by hand",
    play: saturday,
  },
  {
    name: "Sunday",
    rows: "[F5] [X2]",
    goal: "a dream makes 1 note of 2 for $0.000135, its undo 2 of 1; doctor: All is well.",
    play: sunday,
  },
  { name: "the bill of the week", rows: "[J6] [X8]", goal: "0 requests missing or counted twice", play: bill },
];
