import { expect, test } from "vitest";
import { keysInOrder } from "./keyed-servers.ts";
import { providerNamed, withNamedProvider } from "./match-provider.ts";

const KEYS = { OPENROUTER_API_KEY: "k", ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" };

test.each([
  ["openrouter/anthropic/claude", "openrouter", "anthropic/claude"],
  ["OpenRouter/openai/gpt-5.2", "openrouter", "openai/gpt-5.2"],
  ["openrouter/auto", "openrouter", "openrouter/auto"],
  ["anthropic/claude-x", "anthropic", "claude-x"],
  ["ollama/qwen3:8b", "ollama", "qwen3:8b"],
  ["github_copilot/gpt-5-codex", "github-copilot", "gpt-5-codex"],
])("[X2] %s is asked of %s as %s", async (model, provider, asked) => {
  expect(await withNamedProvider({ model, env: KEYS })).toMatchObject({
    provider,
    model: asked,
    namedBy: `model ${model}`,
  });
});

test("[X2] a slash is the model's own where nobody is reached under the name before it", async () => {
  for (const query of [
    { model: "groq/compound", env: KEYS },
    { model: "maker/model", env: KEYS },
    { model: "anthropic/claude", provider: "openrouter", env: KEYS },
    { model: "openai/gpt-oss-120b", env: { ...KEYS, OPENAI_BASE_URL: "http://127.0.0.1:1/v1" } },
    { model: "anthropic/claude", env: KEYS, configured: [{ name: "work", place: "config.yaml:1:1" }] },
    { model: "/claude", env: KEYS },
    { model: "anthropic/", env: KEYS },
    { env: KEYS },
  ])
    expect(await withNamedProvider(query)).toBe(query);
  const configured = [{ name: "work", place: "config.yaml:1:1" }];
  expect(providerNamed({ model: "Work/big-1.5", env: KEYS, configured })).toBe("work");
});

test.each([
  ["anthropic", "anthropic/claude-x", "anthropic", "claude-x"],
  ["openrouter", "openrouter/auto", "openrouter", "openrouter/auto"],
  ["Work", "work/big", "work", "big"],
  ["openai", "anthropic/claude-x", "anthropic", "claude-x"],
  ["openai", "work/big", "work", "big"],
])("[X2] where %s is pinned, and may yield, %s is asked of %s as %s", async (provider, model, named, asked) => {
  const configured = model.startsWith("work") ? [{ name: "work", place: "config.yaml:1:1" }] : [];
  const query = { provider, model, env: KEYS, configured, providerYields: true };
  expect(await withNamedProvider(query)).toMatchObject({ provider: named, model: asked });
});

test("[X2] a provider that is pinned keeps what it may serve itself, and what was pinned with the model", async () => {
  for (const query of [
    { provider: "openai", model: "anthropic/claude", env: KEYS },
    { provider: "openrouter", model: "anthropic/claude-next", env: KEYS, providerYields: true },
    { provider: "lmstudio", model: "openai/gpt-oss-20b", env: KEYS, providerYields: true },
    { provider: "openai", model: "openai/m", env: { ...KEYS, OPENAI_BASE_URL: "http://127.0.0.1:1/v1" } },
  ])
    expect(await withNamedProvider(query)).toBe(query);
});

test("[X2] a server at OPENAI_BASE_URL is meant by its own name", async () => {
  const env = { ...KEYS, OPENAI_BASE_URL: "http://127.0.0.1:1/v1" };
  expect(await withNamedProvider({ model: "custom/m", env })).toEqual({ model: "m", env });
});

test("[X2] without a provider's name: its own family, its maker, a gateway for a maker's name, then the fixed order", () => {
  const order = (model: string, ...keys: readonly string[]): string[] =>
    keysInOrder({ model, env: Object.fromEntries(keys.map((key) => [`${key}_API_KEY`, "k"])) }).map(
      ({ entry }) => entry.id,
    );
  expect(order("claude-next", "OPENAI", "ANTHROPIC")).toEqual(["anthropic", "openai"]);
  expect(order("glm-9-flash", "OPENAI", "ZAI", "GROQ")).toEqual(["zai", "openai", "groq"]);
  expect(order("o9-mini", "ANTHROPIC", "OPENAI")).toEqual(["openai", "anthropic"]);
  expect(order("maker/model", "OPENAI", "OPENROUTER")).toEqual(["openrouter", "openai"]);
  expect(order("openai/gpt-oss-120b", "GROQ", "CEREBRAS")).toEqual(["groq", "cerebras"]);
  expect(order("mystery", "DEEPSEEK", "OPENAI")).toEqual(["openai", "deepseek"]);
});
