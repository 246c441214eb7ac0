import { type Config, lookAtConfig } from "../../config/config.ts";
import { findKey, type Key } from "../../config/keys.ts";
import { nearestKey } from "../../config/read-entry.ts";
import { CONFIG_STEPS, CONFIG_WORDS } from "../../words/config-commands.ts";
import type { Io } from "../io.ts";
import { usageRefusal } from "../refusal.ts";
import { profileRefusal } from "./trouble.ts";

/** The config as it is, with all that is wrong in it. */
export async function lookHere(io: Io): Promise<Config> {
  const reading = await lookAtConfig({ around: io, cwd: io.cwd, attended: false });
  if (reading.type === "config") return reading.config;
  throw profileRefusal(reading.problem);
}

/** The row of the table; a key that does not exist is refused with the one that was meant. */
export function existingKey(name: string, verb: string, rest = ""): Key {
  const key = findKey(name);
  if (key !== undefined) return key;
  const meant = nearestKey(name);
  const step =
    meant === undefined ? CONFIG_STEPS.showAll : CONFIG_WORDS.meant(`evander config ${verb} ${meant}${rest}`);
  const message = CONFIG_WORDS.noSetting(JSON.stringify(name));
  throw usageRefusal(message, { steps: [step] });
}
