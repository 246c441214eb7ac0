import type { ProviderAnswer, ProviderTrouble } from "../protocol/provider.ts";
import type { NextStep } from "../protocol/result.ts";

/** No model can be asked, and why. */
export type None = Extract<ProviderAnswer, { type: "none" }>;

export const none = (cause: ProviderTrouble, message: string, next: readonly NextStep[]): None => ({
  type: "none",
  cause,
  message,
  next,
});

export const step = (text: string, command: string | null): NextStep => ({ do: "configure", text, command });

export const PRACTICE_STEP: NextStep = {
  do: "practice",
  text: "Use the practice model: rule-based, on this machine, without a key",
  command: "evander --model practice",
};

const LOOK_STEP: NextStep = {
  do: "look",
  text: "See all that was looked for",
  command: "evander doctor providers",
};

/** Nothing was named and nothing was found. */
export const noProvider = (): None =>
  none("no_provider", "No model provider was found: no key in the environment, and no local server.", [
    PRACTICE_STEP,
    step("Use a hosted provider", "export OPENAI_API_KEY=YOUR_KEY"),
    step("Use a local server", "ollama serve"),
    LOOK_STEP,
  ]);

/** Whatever set it: a variable, or a config. */
export const ONLINE_STEP: NextStep = step("Go online this time", "evander --config offline=off");

export const offline = (name: string): None =>
  none("offline", `${name} is not on this machine, and this program is told to stay offline.`, [
    ONLINE_STEP,
    PRACTICE_STEP,
  ]);
