import { randomBytes } from "node:crypto";
import { secretValuesIn } from "../../protocol/environment-names.ts";
import { SHORTEST } from "../../protocol/redact/forms.ts";
import { KnownValues } from "../../protocol/redact/known.ts";
import type { Kind } from "../../protocol/redact/mark.ts";
import { redact } from "../../protocol/redact/redact.ts";

/** What no log needs, though it be a word: what stands behind such a name, as the first group says. */
const INTRODUCED: readonly (readonly [RegExp, Kind])[] = [
  [/(\b(?:bearer|basic)\s+)([\w.~+/=-]+)/giu, "header"],
  [/(:\/\/[^\s/:@]*:)([^\s/@‹]+)(?=@)/gu, "url"],
  [/(\b(?:api[_-]?key|access[_-]?token|secret|password)["']?\s*[=:]\s*["']?)([^\s"'&,;‹]+)/giu, "password"],
  [/(\bsk-)([\w-]{8,})/gu, "key"],
];

/** In logs, and in what is sent to whoever looks into a failure, words are masked as well: nobody goes on working with them. */
const strictly = (text: string, known: KnownValues): string =>
  INTRODUCED.reduce(
    (shown, [pattern, kind]) =>
      shown.replaceAll(pattern, (_all, before: string, value: string) =>
        kind === "key" ? known.mark(kind, before + value) : before + known.mark(kind, value),
      ),
    text,
  );

/**
 * Takes secrets out of a text: the values of the keys that are known here, and whatever is shaped or introduced like
 * one. A key that is known to be one is taken out however short it is.
 */
export function secretCleaner(env: NodeJS.ProcessEnv, keys: readonly (string | undefined)[]): (text: string) => string {
  const given = keys.filter((key) => key !== undefined && key !== "") as readonly string[];
  const random = randomBytes(8);
  const known = new KnownValues([...secretValuesIn(env), ...given], [random.readInt32LE(0), random.readInt32LE(4)]);
  const short = given.filter(({ length }) => length < SHORTEST).toSorted((a, b) => b.length - a.length);
  return (text) => short.reduce((open, key) => open.replaceAll(key, "***"), strictly(redact(text, known), known));
}
