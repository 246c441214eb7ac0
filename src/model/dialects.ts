import type { ApiMode } from "../protocol/provider.ts";
import type { Dialect } from "./dialect.ts";

/** Every dialect; nothing of one is loaded until a model is asked in it. */
const DIALECTS: Readonly<Partial<Record<ApiMode, () => Promise<Dialect>>>> = {
  chat_completions: async () => (await import("./chat_completions/index.ts")).chatCompletions,
  codex_responses: async () => (await import("./codex_responses/index.ts")).codexResponses,
  anthropic_messages: async () => (await import("./anthropic_messages/index.ts")).anthropicMessages,
  gemini: async () => (await import("./gemini/index.ts")).gemini,
  bedrock_converse: async () => (await import("./bedrock_converse/index.ts")).bedrockConverse,
};

export async function loadDialect(mode: ApiMode): Promise<Dialect> {
  const load = DIALECTS[mode];
  if (load === undefined) throw new TypeError(`The dialect ${mode} is not spoken yet.`);
  return load();
}
