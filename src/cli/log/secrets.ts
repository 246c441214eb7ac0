import { randomBytes } from "node:crypto";
import { isSecretName } from "../../protocol/environment-names.ts";
import { KnownValues } from "../../protocol/redact/known.ts";
import { redact } from "../../protocol/redact/redact.ts";

/** Shorter ones are words that stand for nothing, such as "none". */
const SHORTEST = 8;

/** Values of variables that hold secrets, by how they are called. */
const secretsIn = (env: NodeJS.ProcessEnv): readonly string[] =>
  Object.entries(env).flatMap(([name, value = ""]) =>
    isSecretName(name) && value.trim().length >= SHORTEST ? [value.trim()] : [],
  );

/**
 * Takes secrets out of a text: the values of the keys that are known here, and whatever is shaped or introduced like
 * one. A key that is known to be one is taken out however short it is.
 */
export function secretCleaner(env: NodeJS.ProcessEnv, keys: readonly (string | undefined)[]): (text: string) => string {
  const given = keys.filter((key) => key !== undefined && key !== "") as readonly string[];
  const random = randomBytes(8);
  const known = new KnownValues([...secretsIn(env), ...given], [random.readInt32LE(0), random.readInt32LE(4)]);
  const short = given.filter(({ length }) => length < SHORTEST).toSorted((a, b) => b.length - a.length);
  return (text) => short.reduce((open, key) => open.replaceAll(key, "***"), redact(text, known));
}
