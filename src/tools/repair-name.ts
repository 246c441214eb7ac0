import { likeness } from "./likeness.ts";

/** What models put around a name: attributes of a tag, control tokens, the name of a list of tools. */
const POLLUTION = /(?<=.)["'<>].*$/su;
const NAMESPACE = /^(?:functions?|tools?|default_api)[.:]/iu;
const SUFFIX = /[_-]?tool$/iu;

/** hermes.md §23.1: a likeness below this is no guess at all. */
const LIKENESS = 0.7;
/** Design §5.6: the nearest must be nearer than the next by this much. */
const LEAD = 0.1;

/**
 * The tool that is surely meant: the same name but for case, separators, prefixes, suffixes and what a broken format
 * left around it. Undefined when there is none.
 */
export function matchName(written: string, isTool: (name: string) => boolean): string | undefined {
  if (isTool(written)) return written;
  const cleaned = written.trim().replace(POLLUTION, "").replace(NAMESPACE, "").trim();
  return candidates(cleaned).find(isTool);
}

function candidates(cleaned: string): string[] {
  const found = variants(cleaned);
  let stem = cleaned;
  for (let round = 0; round < 2; round++) {
    const stripped = stem.replace(SUFFIX, "").replace(/[_-]+$/u, "");
    if (stripped === "" || stripped === stem) break;
    stem = stripped;
    found.push(...variants(stem));
  }
  return found;
}

const variants = (name: string): string[] => [name, name.toLowerCase(), normalised(name), normalised(snake(name))];

const normalised = (name: string): string => name.toLowerCase().replace(/[-\s]+/gu, "_");

const snake = (name: string): string => name.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/gu, "_");

/** The one name that is clearly nearest to what was written, or undefined: a guess, not knowledge. */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  const wanted = written.trim().replace(POLLUTION, "").toLowerCase();
  const ranked = names
    .map((name) => ({ name, likeness: alike(wanted, name.toLowerCase()) }))
    .toSorted((a, b) => b.likeness - a.likeness);
  const [best, next] = ranked;
  if (best === undefined || best.likeness < LIKENESS) return undefined;
  return best.likeness - (next?.likeness ?? 0) >= LEAD ? best.name : undefined;
}

/** Names are short; what is not short is no slip of a name. */
const alike = (a: string, b: string): number => (a.length > 80 ? 0 : likeness(a, b));
