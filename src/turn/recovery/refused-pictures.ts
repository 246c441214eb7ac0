import type { ShownPictures } from "../../protocol/fact.ts";
import type { View } from "../state.ts";
import type { Rung } from "./rung.ts";

/**
 * A model that takes no pictures is asked again with words in their place, once: the session remembers (row C5). Where
 * some of them are refused, nobody knows which: those so far are told in words, and what comes later is shown.
 */
export const tellPictures: Rung = ({ refusesPictures, refusesThesePictures }, { history, pictures }) => {
  if (refusesPictures !== true && refusesThesePictures !== true) return undefined;
  if (!shows(history, pictures)) return undefined;
  const left: ShownPictures = refusesPictures === true ? false : { from: history.length };
  return { do: "adjust-request", adjustment: { pictures: left } };
};

const shows = (history: View["history"], pictures: ShownPictures): boolean =>
  pictures !== false &&
  history
    .slice(pictures === true ? 0 : pictures.from)
    .some((message) => message?.parts.some(({ type }) => type === "image") === true);
