import { type Config, lookAtConfig } from "../../config/config.ts";
import { findKey, type Key } from "../../config/keys.ts";
import { nearestKey } from "../../config/read-entry.ts";
import type { Io } from "../io.ts";
import { RefusalError } from "../refusal.ts";

/** The config as it is, with all that is wrong in it. */
export async function lookHere(io: Io): Promise<Config> {
  const reading = await lookAtConfig({ around: io, cwd: io.cwd, attended: false });
  if (reading.type === "config") return reading.config;
  throw new RefusalError(reading);
}

/** The row of the table; a key that does not exist is refused with the one that was meant. */
export function existingKey(name: string, verb: string): Key {
  const key = findKey(name);
  if (key !== undefined) return key;
  const meant = nearestKey(name);
  const next =
    meant === undefined
      ? { do: "list", text: "See every setting", command: "evander config show" }
      : { do: "correct", text: "Perhaps this was meant", command: `evander config ${verb} ${meant}` };
  throw new RefusalError({
    reason: "usage_error",
    message: `There is no setting ${JSON.stringify(name)}.`,
    next: [next],
  });
}
