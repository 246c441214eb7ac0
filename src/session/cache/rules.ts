/** What is known of how a provider caches. */
export interface CacheRules {
  /** Shorter beginnings are not cached, tokens. */
  readonly minimum: number;
  /** Reads are told in steps of so many tokens, or come that close. */
  readonly block: number;
  /** What is not asked for again within this time is dropped, ms. */
  readonly lifetimeMs: number;
}

const MINUTE_MS = 60_000;

/** As their guides to prompt caching have it: docs.claude.com, ai.google.dev, platform.openai.com. The first that holds. */
const RULES: readonly (Pick<CacheRules, "minimum" | "block"> & { readonly model: RegExp })[] = [
  { model: /claude.*(?:opus-4[-.](?:[5-9]|\d\d)|haiku-4[-.]5)/iu, minimum: 4_096, block: 128 },
  { model: /claude.*haiku/iu, minimum: 2_048, block: 128 },
  { model: /gemini.*(?:2\.5-pro|[-.]3)/iu, minimum: 4_096, block: 1_024 },
  { model: /gemini/iu, minimum: 1_024, block: 1_024 },
  { model: /^/u, minimum: 1_024, block: 128 },
];

/**
 * `marks`: how long a request asks for it to be kept. Where nobody asks, providers name five to ten minutes; what is read
 * later nevertheless is no miss.
 */
export function cacheRules(model: string, marks: "5m" | "1h" | undefined): CacheRules {
  const { minimum, block } = RULES.find((rule) => rule.model.test(model)) ?? { minimum: 1_024, block: 128 };
  return { minimum, block, lifetimeMs: (marks === "1h" ? 60 : 5) * MINUTE_MS };
}

/** Claude caches what is marked, and nothing else. */
export const needsMarks = (model: string): boolean => /claude/iu.test(model);

/** Behind a mark, what was cached is looked for so many blocks back (docs.claude.com: prompt caching). */
export const LOOK_BACK = 20;

/** Estimates come that close: a smaller difference is no miss. */
const CLOSE = 0.05;

/** How many tokens fewer than predicted are no miss. */
export const toleranceOf = ({ block }: CacheRules, predicted: number): number =>
  Math.max(block, Math.ceil(CLOSE * predicted));
