// Out of the package's list: what this program needs of each model, in its own words and units.

/**
 * @typedef {{ input: number, output: number, cacheRead: number, cacheWrite: number }} Cost
 * @typedef {{ id: string, api: string, baseUrl: string, reasoning: boolean, input: string[], contextWindow: number,
 *   maxTokens: number, cost: Cost & { tiers?: (Cost & { inputTokensAbove: number })[] },
 *   compat?: Record<string, unknown>, thinkingLevelMap?: Record<string, string | null> }} Source
 * @typedef {number[]} Rates input, output, cache read, write for 5 minutes, write for an hour; zero: not known
 * @typedef {null | "included" | (number | number[])[]} Price
 * @typedef {[number, number, 0 | 1, number, number, number, Price]} Model
 * @typedef {{ ways: [string, string][], models: Record<string, Model> }} Provider
 * @typedef {{ thinking: Record<string, string>[], quirks: string[][], providers: Record<string, Provider> }} Models
 */

/** Under which name this program knows a provider, where it is another one. */
const NAMES = new Map([
  ["amazon-bedrock", "bedrock"],
  ["cloudflare-workers-ai", "cloudflare"],
  ["google", "gemini"],
  ["google-vertex", "vertex"],
  ["moonshotai", "moonshot"],
  ["moonshotai-cn", "moonshot-cn"],
  ["vercel-ai-gateway", "vercel"],
]);

/** Spoken to in a way that is nobody else's, or a second list of the same models at the same address. */
const LEFT_OUT = new Set(["radius", "typesafe", "qwen-token-plan-individual", "qwen-token-plan-individual-cn"]);

/** Paid by the month: what the list says of prices is what the same tokens would cost elsewhere. */
const SUBSCRIPTIONS =
  /^(?:openai-codex|github-copilot|kimi-coding|opencode-go|zai-coding-cn|(?:qwen|xiaomi)-token-plan.*)$/u;

const DIALECTS = new Map([
  ["openai-completions", "chat_completions"],
  // Mistral's own API is one of chat completions, below /v1.
  ["mistral-conversations", "chat_completions"],
  ["openai-responses", "codex_responses"],
  ["azure-openai-responses", "codex_responses"],
  ["openai-codex-responses", "codex_responses"],
  ["anthropic-messages", "anthropic_messages"],
  ["bedrock-converse-stream", "bedrock_converse"],
  ["google-generative-ai", "gemini"],
  ["google-vertex", "gemini"],
]);

/** @type {[quirk: string, flag: string, value: unknown][]} */
const QUIRKS = [
  ["adaptive-thinking", "forceAdaptiveThinking", true],
  ["anthropic-cache-markers", "cacheControlFormat", "anthropic"],
  ["empty-signature", "allowEmptySignature", true],
  ["max-tokens-field", "maxTokensField", "max_tokens"],
  ["no-cache-on-tools", "supportsCacheControlOnTools", false],
  ["no-long-cache", "supportsLongCacheRetention", false],
  ["no-reasoning-effort", "supportsReasoningEffort", false],
  ["no-store", "supportsStore", false],
  ["no-strict-tools", "supportsStrictMode", false],
  ["no-temperature", "supportsTemperature", false],
  ["reasoning-content", "requiresReasoningContentOnAssistantMessages", true],
  ["strict-tools", "supportsStrictMode", true],
  ["strict-tools", "supportsStrictTools", true],
  ["tool-stream", "zaiToolStream", true],
];

const LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];
/** Offered only where the list says so. */
const RARE_LEVELS = new Set(["xhigh", "max"]);

/**
 * @param {Record<string, Record<string, Source>>} sources
 * @returns {Models}
 */
export function readModels(sources) {
  /** @type {Models} */
  const read = { thinking: [], quirks: [], providers: {} };
  for (const [provider, models] of Object.entries(sources)) {
    if (!LEFT_OUT.has(provider)) read.providers[NAMES.get(provider) ?? provider] = readProvider(provider, models, read);
  }
  return read;
}

/**
 * @param {string} provider
 * @param {Record<string, Source>} sources
 * @param {Models} tables
 * @returns {Provider}
 */
function readProvider(provider, sources, { thinking, quirks }) {
  /** @type {Provider} */
  const read = { ways: [], models: {} };
  for (const source of Object.values(sources)) {
    const dialect = DIALECTS.get(source.api);
    if (dialect === undefined) throw new Error(`${provider} ${source.id}: ${source.api} is not a dialect we know of.`);
    read.models[idOf(provider, source)] = [
      source.contextWindow,
      source.maxTokens,
      source.input.includes("image") ? 1 : 0,
      indexIn(read.ways, [dialect, baseUrlOf(source)]),
      indexIn(thinking, levelsOf(source)),
      indexIn(quirks, quirksOf(source)),
      SUBSCRIPTIONS.test(provider) || isFree(source) ? "included" : priceOf(source),
    ];
  }
  return read;
}

/**
 * OpenRouter's own models have its name before them, and the list leaves it out.
 * @param {string} provider
 * @param {Source} source
 */
const idOf = (provider, { id }) => (provider === "openrouter" && !id.includes("/") ? `openrouter/${id}` : id);

/**
 * Up to what the path of a dialect is put behind.
 * @param {Source} source
 */
const baseUrlOf = ({ api, baseUrl }) => (api === "mistral-conversations" ? `${baseUrl}/v1` : baseUrl);

/**
 * @template T
 * @param {T[]} table
 * @param {T} value
 * @returns {number}
 */
function indexIn(table, value) {
  const text = JSON.stringify(value);
  const at = table.findIndex((each) => JSON.stringify(each) === text);
  return at < 0 ? table.push(value) - 1 : at;
}

/**
 * The levels a model can think at, each with the word for it; none for one that does not think.
 * @param {Source} source
 * @returns {Record<string, string>}
 */
function levelsOf({ reasoning, thinkingLevelMap: words = {} }) {
  if (!reasoning) return {};
  const offered = LEVELS.filter((level) => words[level] !== null && (!RARE_LEVELS.has(level) || level in words));
  return Object.fromEntries(offered.map((level) => [level, words[level] ?? level]));
}

/**
 * @param {Source} source
 * @returns {string[]}
 */
function quirksOf({ compat = {} }) {
  const found = QUIRKS.filter(([, flag, value]) => compat[flag] === value).map(([quirk]) => quirk);
  const format = compat["thinkingFormat"];
  const thinking = typeof format === "string" ? [`thinking-${format}`] : [];
  return [...new Set([...found, ...thinking])].sort();
}

/**
 * The name says that nobody pays.
 * @param {Source} source
 */
const isFree = ({ id, cost }) => cost.input === 0 && cost.output === 0 && /[:-]free$/u.test(id);

/**
 * The list writes zero where it does not know; a price of zero would be a promise.
 * @param {Source} source
 * @returns {Price}
 */
function priceOf({ id, cost: { tiers = [], ...cost } }) {
  if (cost.input === 0 || cost.output === 0) return null;
  const own = tiers.toSorted((a, b) => a.inputTokensAbove - b.inputTokensAbove);
  return [...ratesOf(id, cost), ...own.map((tier) => [tier.inputTokensAbove, ...ratesOf(id, tier)])];
}

/**
 * Anthropic's models are written for an hour at twice the input price, wherever they are served
 * (platform.claude.com: prompt caching, pricing); the list has the price for five minutes alone.
 * @param {string} id
 * @param {Cost} cost
 * @returns {Rates}
 */
function ratesOf(id, { input, output, cacheRead, cacheWrite }) {
  const rates = [input, output, cacheRead, cacheWrite, cacheWrite > 0 && /claude/u.test(id) ? input * 2 : 0];
  while (rates.at(-1) === 0) rates.pop();
  return rates.map((rate) => Number(rate.toFixed(6)));
}
