import { type Reader, takes } from "./dialect.ts";
import type { ApiMode } from "../protocol/provider.ts";

/** How cache markers stand in a request: `native` on blocks of the messages API, `envelope` on text parts of chat completions. */
export type CacheLayout = "native" | "envelope";

interface Rule {
  readonly layout: CacheLayout;
  readonly mode?: ApiMode;
  readonly providers?: readonly string[];
  readonly hosts?: readonly string[];
  /** A part of the model's name, in lower case. */
  readonly model?: string;
}

/**
 * Who caches what is marked, and nothing else; the first rule whose conditions all hold (hermes.md §26.1; for Converse,
 * docs.aws.amazon.com: the models of Claude that take cache points).
 */
const RULES: readonly Rule[] = [
  { layout: "native", mode: "anthropic_messages", providers: ["anthropic"] },
  { layout: "native", mode: "anthropic_messages", hosts: ["api.anthropic.com"] },
  { layout: "envelope", mode: "chat_completions", hosts: ["openrouter.ai", "nousresearch.com"], model: "claude" },
  { layout: "envelope", mode: "chat_completions", hosts: ["nousresearch.com"], model: "qwen" },
  { layout: "native", mode: "anthropic_messages", model: "claude" },
  { layout: "native", mode: "anthropic_messages", providers: ["minimax", "minimax-cn"] },
  { layout: "native", mode: "anthropic_messages", hosts: ["api.minimax.io", "api.minimaxi.com"] },
  {
    layout: "envelope",
    mode: "chat_completions",
    providers: ["opencode", "opencode-zen", "opencode-go", "alibaba"],
    model: "qwen",
  },
  ...["claude-3-7-sonnet", "claude-sonnet-", "claude-opus-", "claude-haiku-"].map((model): Rule => ({
    layout: "native",
    mode: "bedrock_converse",
    model,
  })),
];

/** How what is sent to a model is marked for its cache; undefined: it is not. */
export function cacheLayout(
  mode: ApiMode,
  to: Pick<Reader, "provider" | "host" | "model" | "without">,
): CacheLayout | undefined {
  if (!takes(to, mode === "bedrock_converse" ? "cachePoint" : "cache_control")) return undefined;
  return RULES.find((rule) => holds(rule, mode, to))?.layout;
}

/** A mark as a field of what it stands on. Routes to Qwen keep nothing for an hour. */
export function cacheMark({ cacheTtl, model }: Pick<Reader, "cacheTtl" | "model">): string {
  const ttl = cacheTtl === "1h" && !/qwen/i.test(model) ? `,"ttl":"1h"` : "";
  return `,"cache_control":{"type":"ephemeral"${ttl}}`;
}

function holds(
  { mode, providers, hosts, model = "" }: Rule,
  asked: ApiMode,
  to: Pick<Reader, "provider" | "host" | "model">,
): boolean {
  const isThere = hosts?.some((host) => to.host === host || to.host.endsWith(`.${host}`)) ?? true;
  const isTheirs = providers?.includes(to.provider.toLowerCase()) ?? true;
  return (mode === undefined || mode === asked) && isThere && isTheirs && to.model.toLowerCase().includes(model);
}
