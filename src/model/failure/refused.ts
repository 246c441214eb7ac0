import type { Failure } from "../../protocol/failure.ts";
import { refusedPictures } from "./refused-pictures.ts";
import { REFUSED_FORM } from "./rules.ts";

type Refused = "refusesStreaming" | "refusesToolChoice" | "refusesPictures" | "refusesThesePictures" | "refusesHistory";

/**
 * What the request asked and this server cannot do: without it, it may well answer. `text`: codes and sentences;
 * `rule`: what decided.
 */
export const refusedOf = (text: string, rule: string): Pick<Failure, Refused> => ({
  ...(rule === REFUSED_FORM && { refusesHistory: true as const }),
  ...(refusesStreaming(text) && { refusesStreaming: true as const }),
  ...(refusesToolChoice(text) && { refusesToolChoice: true as const }),
  ...refusedPictures(text),
});

/** A server that does not know the parameter that forbids calls. */
const refusesToolChoice = (text: string): boolean =>
  /\btool_?choice\b/i.test(text) &&
  /not (?:currently )?(?:supported|permitted|allowed)|unsupported|not support\b|un(?:known|expected|recogni[sz]ed)|extra|invalid/i.test(
    text,
  );

/** A server that says it cannot stream (hermes.md §6.3). */
const refusesStreaming = (text: string): boolean =>
  /\bstream(?:ing|ed)?\b/i.test(text) &&
  /not (?:currently )?supported|unsupported|not support\b|cannot stream|must be verified to stream/i.test(text);
