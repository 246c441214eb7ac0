import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findModel } from "./find-model.ts";

const HOME = join(tmpdir(), "nobody-lives-here");

async function apiOf(provider: string, model: string, env: NodeJS.ProcessEnv): Promise<unknown> {
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
  };
  const answer = await findModel(asked, { env, home: HOME, platform: "linux", systemFolder: HOME });
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
