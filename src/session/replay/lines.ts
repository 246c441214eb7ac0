import type { Difference, Replay, RequestPlace } from "../../protocol/replay.ts";
import { messagePlace, toolPlace } from "../../words/cache.ts";
import type { Language, Text } from "../../words/language.ts";
import { factDiffers, replaySame, REPLAY_WORDS, requestDiffers, UNCHECKED_WORDS } from "../../words/replay.ts";
import { printable } from "../plain-text.ts";

/** So much of a fact is shown. */
const LONGEST = 600;

/** What came of a replay, for people. */
export function replayLines(replay: Replay, language: Language): string[] {
  const { difference, facts, requests, unchecked } = replay;
  const open = unchecked.map((what) => UNCHECKED_WORDS[what][language]);
  if (difference !== null) return [...differenceLines(difference, language), ...open];
  return unchecked.includes("no-kit") ? open : [replaySame(facts, requests)[language], ...open];
}

function differenceLines(difference: Difference, language: Language): string[] {
  const where =
    difference.type === "fact"
      ? factDiffers(difference.index)
      : requestDiffers(difference.attempt, difference.at, placeWords(difference.place));
  const [expected, got] =
    difference.type === "fact"
      ? [shown(difference.expected), difference.instead ?? shown(difference.got)]
      : [difference.expected, difference.got];
  const side = (name: "recorded" | "now", text: string): string =>
    `  ${REPLAY_WORDS[name][language]}  ${printable(text || REPLAY_WORDS.nothing[language])}`;
  return [where[language], side("recorded", expected), side("now", got), REPLAY_WORDS.next[language]];
}

function placeWords(place: RequestPlace | null): Text | undefined {
  switch (place?.type) {
    case undefined:
      return undefined;
    case "tool":
      return toolPlace(place.index, printable(place.name));
    case "system":
      return SYSTEM_PLACE;
    case "message":
      return messagePlace(place.index, printable(place.role));
  }
}

const SYSTEM_PLACE: Text = { en: "the system prompt", zh: "系统提示" };

const shown = (fact: object | null): string => (fact === null ? "" : JSON.stringify(fact).slice(0, LONGEST));
