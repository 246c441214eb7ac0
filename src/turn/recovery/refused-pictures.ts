import type { Adjusted, Adjustment, Only } from "../../protocol/adjustment.ts";
import type { Message } from "../../protocol/message.ts";
import type { View } from "../state.ts";
import type { Rung } from "./rung.ts";

/** How large a picture may be that was too large (hermes.md §9.2, step 6): 4 MiB, and what a server says of its sides. */
const BASE64_BYTES = 4 * 1_024 * 1_024;
const LONGEST_SIDE = 8_000;

/** A picture that is too large is made smaller, once; where that does not help, the rung below tells it in words. */
export const shrinkPictures: Rung = ({ reason, imageMaxDimension: side = LONGEST_SIDE }, { history, adjusted }) => {
  if (reason !== "image_too_large" || adjusted.pictureLimit !== undefined) return undefined;
  return shown(history, adjusted) ? adjust({ pictureLimit: { base64: BASE64_BYTES, side } }) : undefined;
};

/** Pictures in receipts are told in words, once: the session remembers (hermes.md §9.2, step 7). */
export const tellToolPictures: Rung = ({ reason }, { history, adjusted }) => {
  if (reason !== "multimodal_tool_content_unsupported" || adjusted.toolPictures === false) return undefined;
  return shown(history, adjusted, "tool") ? adjust({ toolPictures: false }) : undefined;
};

/**
 * A model that takes no pictures is asked again with words in their place, once: the session remembers (row C5). Where
 * some of them are refused, nobody knows which: those so far are told in words, and what comes later is shown.
 */
export const tellPictures: Rung = ({ refusesPictures, refusesThesePictures }, { history, adjusted }) => {
  if (refusesPictures !== true && refusesThesePictures !== true) return undefined;
  if (!shown(history, adjusted)) return undefined;
  const left: Only = refusesPictures === true ? false : { from: history.length };
  return adjust({ pictures: left });
};

const adjust = (adjustment: Adjustment): ReturnType<Rung> => ({ do: "adjust-request", adjustment });

const shown = (history: View["history"], { pictures }: Adjusted, of?: Message["role"]): boolean =>
  pictures !== false &&
  history
    .slice(pictures?.from ?? 0)
    .some((message) => (of ?? message?.role) === message?.role && message?.parts.some(isImage) === true);

const isImage = ({ type }: Message["parts"][number]): boolean => type === "image";
