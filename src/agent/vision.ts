import { seesPictures } from "../model/pictures.ts";
import type { ModelSource } from "./model-source.ts";
import type { AskVision } from "./options.ts";
import type { RunAt } from "./summaries.ts";
import { describePictures, type Eyes } from "../session/describe-pictures.ts";
import type { SessionsOptions } from "../session/sessions.ts";

/** Pictures are described where the agent's own model, of `source`, is known not to see. */
export const describeFor =
  (source: ModelSource, eyes: Omit<Eyes, "isBlind">): NonNullable<SessionsOptions["describe"]> =>
  (message) =>
    describePictures(message, { ...eyes, isBlind: () => isBlind(source) });

/** Asks a model about pictures; one that is known not to see is not asked. */
export const askEyes =
  (source: ModelSource, run: RunAt): AskVision =>
  async (spec, signal) => {
    if (await isBlind(source)) throw new Error(BLIND);
    return run(source, spec, signal);
  };

const BLIND = "The model does not see pictures, and vision.model names none that does.";

async function isBlind(source: ModelSource): Promise<boolean> {
  const model = await source.open();
  return "transport" in model && seesPictures(model.facts) === false;
}
