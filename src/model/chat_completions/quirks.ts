import type { Reader } from "../dialect.ts";

/** What a server or a model does otherwise than most that speak this dialect. */
export interface Quirks {
  /** What the output limit is called (hermes.md §26.2). */
  readonly limit: "max_tokens" | "max_completion_tokens";
  /** Who the system prompt is from (hermes.md §5.9). */
  readonly systemRole: "system" | "developer";
  /** Every assistant message brings back what was thought, or a space for it (hermes.md §5.3). */
  readonly echoesReasoning: boolean;
  /** What came beside a thought, signed or encrypted, is brought back with it. */
  readonly echoesDetails: boolean;
  /** An id of a call is nine letters and digits (nanobot.md §19.3). */
  readonly shortIds: boolean;
  /** What an id of a call may have, characters; others want back what they gave, however long. */
  readonly longestId: number;
  /** A user must not speak behind a receipt (row B10). */
  readonly noUserAfterTool: boolean;
  /** Calls cannot be forbidden while there are tools (row B4). */
  readonly noToolChoice: boolean;
  /** Where it is said how much is to be thought; undefined: nowhere. */
  readonly effort: "reasoning_effort" | "reasoning" | undefined;
  /** Ends in the middle of an answer behind receipts and calls that an end (hermes.md §7.2). */
  readonly endsEarly: boolean;
}

const USUAL: Quirks = {
  limit: "max_tokens",
  systemRole: "system",
  echoesReasoning: false,
  echoesDetails: false,
  shortIds: false,
  longestId: Infinity,
  noUserAfterTool: false,
  noToolChoice: false,
  effort: "reasoning_effort",
  endsEarly: false,
};

/** All that is named must fit. A host is named with all below it, a model by its name behind the last slash. */
interface Who {
  readonly provider?: string;
  readonly host?: string;
  readonly model?: RegExp;
}

interface Row {
  readonly who: readonly Who[];
  readonly quirks: Partial<Quirks>;
}

const OPENAI_HOSTS = ["api.openai.com", "openai.azure.com", "githubcopilot.com"];

/** What a later row says wins. */
const ROWS: readonly Row[] = [
  {
    who: [...OPENAI_HOSTS.map((host) => ({ host })), { model: /^(?:gpt-4o|gpt-4\.1|gpt-5|o1|o3|o4)/ }],
    quirks: { limit: "max_completion_tokens" },
  },
  {
    // "Expected a string with maximum length 40" (github.com/langgenius/dify/issues/28987)
    who: OPENAI_HOSTS.map((host) => ({ host })),
    quirks: { longestId: 40 },
  },
  {
    who: OPENAI_HOSTS.map((host) => ({ host, model: /gpt-5|codex/ })),
    quirks: { systemRole: "developer" },
  },
  {
    // api-docs.deepseek.com, platform.moonshot.ai, platform.xiaomimimo.com: thinking models in tool loops
    who: [
      { provider: "deepseek" },
      { host: "api.deepseek.com" },
      { model: /deepseek/ },
      { provider: "kimi-coding" },
      { provider: "kimi-coding-cn" },
      { host: "api.kimi.com" },
      { host: "moonshot.ai" },
      { host: "moonshot.cn" },
      { provider: "xiaomi" },
      { host: "xiaomimimo.com" },
      { model: /mimo/ },
    ],
    quirks: { echoesReasoning: true },
  },
  {
    // Also where others serve the models: their templates check the same.
    who: [
      { provider: "mistral" },
      { host: "api.mistral.ai" },
      { model: /^(?:mistral|magistral|ministral|devstral|codestral|pixtral)/ },
    ],
    quirks: { shortIds: true, noUserAfterTool: true },
  },
  {
    // docs.z.ai: tool_choice knows only "auto"
    who: [{ provider: "zai" }, { host: "api.z.ai" }, { host: "bigmodel.cn" }],
    quirks: { noToolChoice: true, effort: undefined },
  },
  {
    who: [
      { host: "moonshot.ai" },
      { host: "moonshot.cn" },
      { host: "api.kimi.com" },
      { host: "xiaomimimo.com" },
      { host: "aliyuncs.com" },
      { host: "integrate.api.nvidia.com" },
      { host: "api.together.xyz" },
      { host: "api.mistral.ai" },
    ],
    quirks: { effort: undefined },
  },
  { who: [{ host: "openrouter.ai" }], quirks: { effort: "reasoning", echoesDetails: true } },
  { who: [{ model: /glm/ }], quirks: { endsEarly: true } },
];

/** The same for the whole of a conversation. */
const known = new WeakMap<object, Quirks>();

/** Looked up once for a reader, whom many messages are written for. */
export function quirksOf(reader: Pick<Reader, "provider" | "host" | "model">): Quirks {
  const found = known.get(reader);
  if (found !== undefined) return found;
  const { provider, host } = reader;
  const model = reader.model.toLowerCase().split("/").at(-1) ?? "";
  const fits = (who: Who): boolean =>
    (who.provider === undefined || who.provider === provider) &&
    (who.host === undefined || host === who.host || host.endsWith(`.${who.host}`)) &&
    (who.model?.test(model) ?? true);
  const quirks = ROWS.filter(({ who }) => who.some(fits)).reduce<Quirks>(
    (all, row) => ({ ...all, ...row.quirks }),
    USUAL,
  );
  known.set(reader, quirks);
  return quirks;
}
