import { RecentMap } from "./recent-map.ts";

/** What the tokens of a family of models are, by the parts of a text (`PARTS`, in their order): a weight for each. */
export type Family = readonly number[];

/** Of OpenAI since GPT-4o, and of whoever is not known. */
export const O200K: Family = [1, 0, 0, 0, 0, 0, 0, 0, 0];

/*
 * Fitted to the tuned texts of the corpus, counted by the tokenizers that the families have published (docs/decisions/0035):
 * Gemma 3 (Gemini's), DeepSeek V3, Llama 3.1, Qwen 3, and the last one of Claude.
 */
const GEMINI: Family = [1.03, 1.02, 0.44, -0.14, -0.31, -0.1, -0.04, -0.24, 0.98];
const DEEPSEEK: Family = [1.04, 0, 0.19, -0.27, -0.16, 0.16, 0.19, 0.76, -0.25];
const LLAMA: Family = [1, 0.02, -0.41, 0.05, -0.06, 0.03, 0.18, 1.46, -0.42];
const QWEN: Family = [1, 1.01, -0.39, -0.17, -0.13, 0.21, 0.41, 1.36, -0.43];
const CLAUDE: Family = [1.07, -0.08, -0.35, 0.34, 0.33, 0.85, 1.02, 1.97, 0.37];

/** Since Opus 4.7 the same text is 1.0 to 1.35 times the tokens (Anthropic, "What's new in Claude Opus 4.7"). */
const NEWER_CLAUDE: Family = CLAUDE.map((weight) => weight * 1.17);

/** By what stands in the name of a model, wherever it is served. First match wins. */
const FAMILIES: readonly (readonly [RegExp, Family])[] = [
  // Distilled from another family: they kept its tokenizer.
  [/deepseek-r1-distill-llama/u, LLAMA],
  [/deepseek-r1-distill-qwen/u, QWEN],
  [/claude-(?:(?:opus|sonnet|haiku|fable)-(?:4[-.][7-9]\b|[5-9])|fable)/u, NEWER_CLAUDE],
  [/claude/u, CLAUDE],
  [/gemini|gemma/u, GEMINI],
  [/deepseek/u, DEEPSEEK],
  [/llama-?[34]/u, LLAMA],
  [/qwen-?[23]|qwq/u, QWEN],
];

/** By the name of the model. */
const known = new RecentMap<string, Family>(256);

/** The family of a model, by its name; o200k where it is not known. */
export function familyOf(model: string): Family {
  const before = known.get(model);
  if (before !== undefined) return before;
  const name = model.toLowerCase();
  const family = FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? O200K;
  known.set(model, family);
  return family;
}
