import { askedFor, modelAsked, type NamedModel } from "../../config/model-asked.ts";
import type { ModelTrial } from "../../protocol/model-trial.ts";
import { printable } from "../../session/plain-text.ts";
import { providerRefusal, type Refusal } from "../../session/result.ts";
import { trialFailure, trialLines, trialSteps } from "../../words/models.ts";
import type { Adapters } from "../adapters.ts";
import { lookHere } from "../config/look.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { RefusalError } from "../refusal.ts";

/** `evander model test`: what the model answers to; one that cannot be asked ends as a run would. */
export async function testModel(adapters: Adapters, named: NamedModel, { io, json, language }: Asked): Promise<void> {
  const found = await adapters.findModel(askedFor(modelAsked(await lookHere(io), io, io.cwd), named));
  if (found.type === "none") throw new RefusalError(providerRefusal(found));
  const trial = await adapters.tryModel(found);
  const keySource = found.type === "found" ? found.keySource : undefined;
  if (trial.failure !== null) throw new RefusalError(refusalOf(trial, trial.failure, keySource));
  if (json) return sayJson(io, trial);
  say(io.stdout, printable(`${trial.provider}/${trial.model}  ${trial.baseUrl}`));
  for (const text of trialLines(trial, language)) say(io.stdout, printable(`  ${text[language]}`));
}

const refusalOf = (
  { provider }: ModelTrial,
  failure: NonNullable<ModelTrial["failure"]>,
  keySource: string | undefined,
): Refusal => ({
  reason: failure.retryable ? "all_retries_exhausted_no_response" : "request_rejected",
  failure: failure.reason,
  message: trialFailure(failure, keySource),
  steps: trialSteps(failure, { provider, keySource }),
});
