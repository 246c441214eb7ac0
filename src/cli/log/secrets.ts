import { maskSecrets } from "../../config/values.ts";

/** Variables that hold secrets, by how they are called. */
const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/iu;
/** Shorter ones are words that stand for nothing, such as "none". */
const SHORTEST = 8;
const WRITTEN: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[\w.~+/=-]+/giu, "$1 ***"],
  [/(:\/\/[^\s/:@]*:)[^\s/@]+@/gu, "$1***@"],
  [/\b((?:api[_-]?key|access[_-]?token|secret|password)["']?\s*[=:]\s*["']?)[^\s"'&,;]+/giu, "$1***"],
];

/**
 * Takes secrets out of a text: the values of the keys that are known here, and whatever is shaped or introduced like
 * one.
 */
export function secretCleaner(env: NodeJS.ProcessEnv, keys: readonly (string | undefined)[]): (text: string) => string {
  const named = Object.entries(env).map(([name, value]) => (SECRET_NAME.test(name) ? value : undefined));
  const values = [...named.filter((value) => (value ?? "").length >= SHORTEST), ...keys].filter(
    (value) => value !== undefined && value !== "",
  );
  // A value may be the beginning of another one.
  const known = [...new Set(values)].toSorted((a = "", b = "") => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const value of known) clean = clean.replaceAll(value ?? "", "***");
    for (const [pattern, instead] of WRITTEN) clean = clean.replace(pattern, instead);
    return maskSecrets(clean);
  };
}
