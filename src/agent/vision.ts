import { seesPictures } from "../model/pictures.ts";
import type { ModelSource } from "./model-source.ts";
import { describePictures, type Eyes } from "../session/describe-pictures.ts";
import type { SessionsOptions } from "../session/sessions.ts";

/** Pictures are described where the agent's own model, of `source`, is known not to see. */
export const describeFor =
  (source: ModelSource, eyes: Omit<Eyes, "isBlind">): NonNullable<SessionsOptions["describe"]> =>
  (message) =>
    describePictures(message, { ...eyes, isBlind: () => isBlind(source) });

async function isBlind(source: ModelSource): Promise<boolean> {
  const model = await source.open();
  return "transport" in model && seesPictures(model.facts) === false;
}
