import type { Effort } from "../../protocol/provider.ts";
import type { Reader } from "../dialect.ts";

/** Serve models of many makers, whose names they keep as they are. */
const AGGREGATORS: readonly string[] = ["openrouter.ai", "ai-gateway.vercel.sh"];

/** The name under which a model is asked: without its maker, and Claude's versions with dashes (hermes.md §22). */
export function wireModel({ model, host }: Pick<Reader, "model" | "host">): string {
  if (AGGREGATORS.includes(host)) return model;
  const bare = model.replace(/^anthropic\//i, "");
  return /^claude/i.test(bare) ? bare.replaceAll(".", "-") : bare;
}

/** Two names of one model: an edition may carry its date. */
export const isSameModel = (one: string, other: string): boolean => one === other || undated(one) === undated(other);

const undated = (model: string): string => wireModel({ model, host: "" }).replace(/-\d{8}$/, "");

/** The longest reply of a model, tokens, by a part of its name (hermes.md §22; platform.claude.com: models overview). */
const MAX_OUTPUT: Readonly<Record<string, number>> = {
  "claude-3-haiku": 4_096,
  "claude-3-sonnet": 4_096,
  "claude-3-opus": 4_096,
  "claude-3-5-haiku": 8_192,
  "claude-3-5-sonnet": 8_192,
  "claude-3-7-sonnet": 64_000,
  "claude-sonnet-4": 64_000,
  "claude-opus-4": 32_000,
  "claude-opus-4-5": 64_000,
  "claude-haiku-4-5": 64_000,
  "claude-opus-4-6": 128_000,
  "claude-opus-4-7": 128_000,
  "claude-opus-4-8": 128_000,
  minimax: 131_072,
};

const USUAL_MAX_OUTPUT = 128_000;

/** By the longest part that fits. */
export function maxOutputOf(model: string): number {
  const name = model.toLowerCase().replaceAll(".", "-");
  const parts = Object.keys(MAX_OUTPUT).filter((part) => name.includes(part));
  const longest = parts.toSorted((a, b) => b.length - a.length)[0];
  return (longest === undefined ? undefined : MAX_OUTPUT[longest]) ?? USUAL_MAX_OUTPUT;
}

/**
 * How a model is told to think: it cannot be told; by a number of tokens; or by how hard, where it decides when.
 * `xhigh`: it knows this level.
 */
export type Thinking = { readonly by: "nothing" | "budget" } | { readonly by: "effort"; readonly xhigh: boolean };

/** Versions of Claude below this one, from the oldest on (platform.claude.com: thinking support by model). */
const CLAUDES: readonly { readonly below: number; readonly thinking: Thinking }[] = [
  { below: 3.07, thinking: { by: "nothing" } },
  { below: 4.06, thinking: { by: "budget" } },
  { below: 4.07, thinking: { by: "effort", xhigh: false } },
];

const NEWEST: Thinking = { by: "effort", xhigh: true };

/** Others that speak this dialect and cannot be told. */
const UNTOLD = /kimi|moonshot/i;

export function thinkingOf(model: string): Thinking {
  if (!/claude/i.test(model)) return { by: UNTOLD.test(model) ? "nothing" : "budget" };
  const version = versionOf(model);
  return CLAUDES.find(({ below }) => version < below)?.thinking ?? NEWEST;
}

/** 4.06 for `claude-opus-4-6`; one without a version is newer than all. A date is no version. */
function versionOf(model: string): number {
  const [, major, minor = "0"] = /claude-(?:[a-z]+-)*(\d+)(?:[-.](\d{1,2})(?!\d))?/i.exec(model) ?? [];
  return major === undefined ? Infinity : Number(major) + Number(minor) / 100;
}

/** Tokens a model may think, where it is told so. */
export const BUDGETS: Readonly<Record<Effort, number>> = {
  minimal: 4_000,
  low: 4_000,
  medium: 8_000,
  high: 16_000,
  xhigh: 32_000,
  max: 32_000,
};

/** What the API calls a level. */
export function effortWord(effort: Effort, xhigh: boolean): Exclude<Effort, "minimal"> {
  if (effort === "minimal") return "low";
  return effort === "xhigh" && !xhigh ? "max" : effort;
}
