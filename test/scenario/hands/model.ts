import assert from "node:assert/strict";
import type { ReceivedRequest, Script } from "../../support/fake-provider.ts";
import { said } from "../../support/said.ts";
import type { Step } from "../../support/wire-script.ts";

/** What the model is told since it last spoke: the user's words, or the results of its calls. */
export function toldIn({ body }: ReceivedRequest): string {
  const spoke = body.messages.findLastIndex(({ role }) => role === "assistant");
  return body.messages
    .slice(spoke + 1)
    .map((message) => said(message))
    .join("\n");
}

/** A step that is taken when the model is told all of this; else the server refuses the request, and the step fails. */
export const told =
  (texts: readonly string[], step: Step | ((told: string) => Step)): Script =>
  (request) => {
    const heard = toldIn(request);
    for (const text of texts) assert.ok(heard.includes(text), `the model is not told ${text}, but ${heard}`);
    return typeof step === "function" ? step(heard) : step;
  };
