import type { Trouble } from "../../config/entry.ts";
import type { ProfileProblem } from "../../protocol/setting.ts";
import { printable } from "../../session/plain-text.ts";
import { fixStep, problemSentence } from "../../words/config.ts";
import { CONFIG_WORDS, profileSentence, profileSteps } from "../../words/config-commands.ts";
import type { Text } from "../../words/language.ts";
import type { Step } from "../../words/steps.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";

/** What is wrong, fit for a terminal. */
export function troubleText({ problem, place }: Trouble): Text {
  const { en, zh } = problemSentence(problem, place);
  return { en: printable(en), zh: printable(zh) };
}

export const troubleSteps = ({ fix }: Trouble): readonly Step[] => (fix === undefined ? [] : [fixStep(fix)]);

/** How a run ends whose config cannot be used. */
export function configRefusal([first, ...more]: readonly [Trouble, ...Trouble[]]): RefusalError {
  const { en, zh } = troubleText(first);
  const others = CONFIG_WORDS.others(more.length);
  const steps = troubleSteps(first);
  const message = { en: `${en}${others.en}`, zh: `${zh}${others.zh}` };
  return new RefusalError({ reason: "config_invalid", message, ...(steps.length > 0 && { steps }) });
}

export const profileRefusal = (problem: ProfileProblem): RefusalError =>
  usageRefusal(profileSentence(problem), { steps: profileSteps(problem) });
