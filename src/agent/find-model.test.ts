import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ModelAsked } from "../config/model-asked.ts";
import { openKeyChest } from "../credentials/chest.ts";
import { findModel } from "./find-model.ts";
import type { ProviderAnswer } from "../protocol/provider.ts";

const HOME = join(tmpdir(), "nobody-lives-here");

async function found(
  provider: string,
  model: string,
  env: NodeJS.ProcessEnv,
  more: Partial<ModelAsked> = {},
): Promise<ProviderAnswer> {
  const asked = {
    provider,
    model,
    offline: false,
    providers: [],
    models: [],
    cwd: HOME,
    namedBy: undefined,
    providerYields: false,
    secrets: [],
    keyFolder: "/nowhere",
    ...more,
  };
  return findModel(asked, { env, home: HOME, platform: "linux", systemFolder: HOME });
}

async function apiOf(provider: string, model: string, env: NodeJS.ProcessEnv): Promise<unknown> {
  const answer = await found(provider, model, env);
  return answer.type === "found" ? answer.api : answer.type;
}

test("[C2] a model that thinks is asked in the dialect that brings its thoughts back, where its provider has that one", async () => {
  const openai = { OPENAI_API_KEY: "k" };
  expect(await apiOf("openai", "gpt-5.4", openai)).toBe("codex_responses");
  expect(await apiOf("openai", "gpt-4.1", openai)).toBeUndefined();
  expect(await apiOf("openai", "gpt-5.4", { ...openai, OPENAI_BASE_URL: "http://127.0.0.1:9/v1" })).toBeUndefined();
  expect(await apiOf("xai", "grok-4.5", { XAI_API_KEY: "k" })).toBe("codex_responses");
  expect(await apiOf("openrouter", "openai/gpt-5.4", { OPENROUTER_API_KEY: "k" })).toBeUndefined();
});

test("[D7] the other variables of a provider hold keys for its server, and for no other", async () => {
  const env = { GEMINI_API_KEY: "key-one", GOOGLE_API_KEY: "key-two" };
  const keysOf = async (own: NodeJS.ProcessEnv): Promise<unknown> => {
    const answer = await found("gemini", "gemini-3-flash", own);
    return answer.type === "found" ? answer.keys?.more : answer.type;
  };
  expect(await keysOf(env)).toEqual([{ secret: "key-two", source: "GOOGLE_API_KEY" }]);
  expect(await keysOf({ ...env, GOOGLE_API_KEY: "key-one" })).toBeUndefined();
  expect(await keysOf({ ...env, GEMINI_BASE_URL: "http://127.0.0.1:9/v1" })).toBeUndefined();
  expect(await keysOf({ GEMINI_API_KEY: "key-one" })).toBeUndefined();
});

test("[D7] a provider can be asked with a key that was added alone; a file of keys that cannot be used is told", async () => {
  const keyFolder = mkdtempSync(join(tmpdir(), "evander-find-"));
  try {
    await openKeyChest(keyFolder, Date.now).add({ provider: "openrouter", key: "key-added" });
    const answer = await found("openrouter", "some/model", {}, { keyFolder });
    expect(answer).toMatchObject({ type: "found", apiKey: "key-added", keys: { folder: keyFolder } });
    writeFileSync(join(keyFolder, "credentials.json"), "[]");
    const refused = await found("openrouter", "some/model", {}, { keyFolder });
    expect(refused).toMatchObject({ type: "none", message: expect.stringContaining("is no JSON object of keys") });
  } finally {
    rmSync(keyFolder, { recursive: true });
  }
});
