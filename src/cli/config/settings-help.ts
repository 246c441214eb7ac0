import { KEYS } from "../../config/keys.ts";
import { takesWords } from "../../words/config.ts";

/** Every setting, for the help of the program. */
export function settingsHelp(): string {
  const keys = KEYS.filter(({ systemOnly }) => systemOnly !== true);
  const lines = keys.map(({ name, takes, meaning }) => `  ${name.padEnd(36)} ${takesWords(takes).en}: ${meaning}`);
  return ["", "Settings for --config, as key=value:", ...lines].join("\n");
}
