import { randomBytes } from "node:crypto";
import { secretValuesIn } from "../../protocol/environment-names.ts";
import { SHORTEST } from "../../protocol/redact/forms.ts";
import { KnownValues } from "../../protocol/redact/known.ts";
import { redact } from "../../protocol/redact/redact.ts";

/**
 * Takes secrets out of a text: the values of the keys that are known here, and whatever is shaped or introduced like
 * one. A key that is known to be one is taken out however short it is.
 */
export function secretCleaner(env: NodeJS.ProcessEnv, keys: readonly (string | undefined)[]): (text: string) => string {
  const given = keys.filter((key) => key !== undefined && key !== "") as readonly string[];
  const random = randomBytes(8);
  const known = new KnownValues([...secretValuesIn(env), ...given], [random.readInt32LE(0), random.readInt32LE(4)]);
  const short = given.filter(({ length }) => length < SHORTEST).toSorted((a, b) => b.length - a.length);
  return (text) => short.reduce((open, key) => open.replaceAll(key, "***"), redact(text, known));
}
