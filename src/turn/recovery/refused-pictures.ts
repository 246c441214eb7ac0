import type { View } from "../state.ts";
import type { Rung } from "./rung.ts";

/** A model that takes no pictures is asked again with words in their place, once: the session remembers (row C5). */
export const tellPictures: Rung = (failure, state) =>
  failure.refusesPictures === true && state.pictures && showsAny(state)
    ? { do: "adjust-request", adjustment: { pictures: false } }
    : undefined;

const showsAny = ({ history }: View): boolean =>
  history.some((message) => message?.parts.some(({ type }) => type === "image") === true);
