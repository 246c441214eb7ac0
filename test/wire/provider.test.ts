import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { isLocalHost } from "../../src/model/endpoint.ts";
import type { ProviderQuery } from "../../src/model/keyed-servers.ts";
import { resolveProvider } from "../../src/model/provider.ts";
import type { ProviderAnswer } from "../../src/protocol/provider.ts";
import { fakeProvider } from "../support/fake-provider.ts";

const ask = (query: Partial<ProviderQuery>): Promise<ProviderAnswer> =>
  resolveProvider({ ...query, env: { EVANDER_LOCAL_SERVERS: "off", ...query.env } });

/** In both languages. */
const saying = (words: string): object => {
  const said = expect.stringContaining(words) as string;
  return { message: { en: said, zh: said } };
};

test("[C1] practice is asked for as a provider or as a model", async () => {
  expect(await ask({ provider: "practice" })).toEqual({ type: "practice" });
  expect(await ask({ model: "practice", env: { OPENAI_API_KEY: "k" } })).toEqual({ type: "practice" });
});

test("[C1] without anything there is no provider, and the next steps say what to do", async () => {
  const answer = await ask({ env: { OPENAI_BASE_URL: " ", OPENAI_API_KEY: "" } });
  expect(answer).toMatchObject({ type: "none", cause: "no_provider" });
  expect(answer.type === "none" && answer.next.map((step) => step.command)).toContain("evander --model practice");
});

test("[C1] only a key: OpenAI; --model wins over OPENAI_MODEL", async () => {
  const env = { OPENAI_API_KEY: "sk-1", OPENAI_MODEL: "from-env" };
  const found = {
    type: "found",
    provider: "openai",
    baseUrl: "https://api.openai.com/v1",
    apiKey: "sk-1",
    keySource: "OPENAI_API_KEY",
  };
  expect(await ask({ env })).toEqual({ ...found, model: "from-env", source: "OPENAI_API_KEY" });
  expect(await ask({ env, model: "flag" })).toMatchObject({ model: "flag" });
});

test("[C1] presets know address and key variable", async () => {
  const openrouter = await ask({
    provider: "openrouter",
    model: "m",
    env: { OPENROUTER_API_KEY: "k", OPENAI_API_KEY: "o" },
  });
  expect(openrouter).toMatchObject({
    baseUrl: "https://openrouter.ai/api/v1",
    apiKey: "k",
    source: "--provider openrouter",
  });
  const ollama = await ask({
    provider: "Ollama",
    model: "m",
    env: { OPENAI_API_KEY: "o", OPENAI_BASE_URL: "http://x.example" },
  });
  expect(ollama).toMatchObject({ provider: "ollama", baseUrl: "http://127.0.0.1:11434/v1", apiKey: undefined });
  for (const provider of ["lmstudio", "llama-cpp", "vllm"])
    expect(await ask({ provider, model: "m" })).toMatchObject({ type: "found" });
  const own = { OPENAI_BASE_URL: "http://127.0.0.1:1/v1", OPENAI_MODEL: "large" };
  const custom = await ask({ provider: "custom", model: "small", env: own });
  expect(custom).toMatchObject({ provider: "custom", model: "small", baseUrl: own.OPENAI_BASE_URL });
  expect(await ask({ provider: "custom" })).toMatchObject({ type: "none", cause: "unknown_provider" });
  expect(await ask({ provider: "nope" })).toMatchObject({ type: "none", cause: "unknown_provider" });
  expect(await ask({ provider: "vertex" })).toMatchObject({ type: "none", cause: "unsupported_provider" });
});

test("[C1] a key is needed only off loopback", async () => {
  const off = { OPENAI_BASE_URL: "https://models.example/v1" };
  expect(await ask({ env: off, model: "m" })).toMatchObject({ type: "none", cause: "missing_key" });
  expect(await ask({ env: { ...off, OPENAI_API_KEY: "k" }, model: "m" })).toMatchObject({
    type: "found",
    apiKey: "k",
    provider: "custom",
  });
  for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
    expect(await ask({ env: { OPENAI_BASE_URL: `http://${host}:9/v1` }, model: "m" })).toMatchObject({ type: "found" });
  }
  expect(await ask({ provider: "openai", model: "m" })).toMatchObject({ type: "none", cause: "missing_key" });
});

test("[C1] a base URL or key that cannot be used is refused in one sentence that never holds the key", async () => {
  const bad = async (env: Record<string, string>): Promise<ProviderAnswer> => ask({ env, model: "m" });
  expect(await bad({ OPENAI_BASE_URL: "localhost:8080" })).toMatchObject({ type: "none", cause: "bad_base_url" });
  const withSecret = await bad({ OPENAI_BASE_URL: "http://user:secret@127.0.0.1/v1" });
  expect(withSecret).toMatchObject({ type: "none", cause: "bad_base_url" });
  expect(JSON.stringify(withSecret)).not.toContain("secret");
  const key = await bad({ OPENAI_BASE_URL: "http://127.0.0.1:9", OPENAI_API_KEY: "my secret" });
  expect(key).toMatchObject({ type: "none", cause: "bad_key" });
  expect(JSON.stringify(key)).not.toContain("my secret");
});

test("[C1] the only model of a server is taken; of several one has to be named; none is said", async () => {
  const asked = async (models: readonly string[], apiKey?: string): Promise<ProviderAnswer> => {
    await using provider = await fakeProvider([], { models, ...(apiKey !== undefined && { apiKey }) });
    return await ask({ env: { OPENAI_BASE_URL: `${provider.baseUrl}/`, OPENAI_API_KEY: apiKey } });
  };
  expect(await asked(["only-one"], "sk-x")).toMatchObject({
    type: "found",
    model: "only-one",
    source: "OPENAI_BASE_URL",
  });
  const several = await asked(["a", "b"]);
  expect(several).toMatchObject({ type: "none", cause: "no_model", models: ["a", "b"] });
  expect(several).toMatchObject(saying("a, b"));
  expect(await asked([])).toMatchObject({ type: "none", cause: "no_model" });
});

test("[C1] a server that refuses the key, lists no models or does not answer is said", async () => {
  const provider = await fakeProvider([], { apiKey: "right" });
  const refused = await ask({ env: { OPENAI_BASE_URL: provider.baseUrl, OPENAI_API_KEY: "wrong" } });
  expect(refused).toMatchObject({ type: "none", ...saying("refused the key") });
  const elsewhere = await ask({
    env: { OPENAI_BASE_URL: provider.baseUrl.replace("/v1", "/v2"), OPENAI_API_KEY: "right" },
  });
  expect(elsewhere).toMatchObject({ type: "none", ...saying("HTTP 400") });
  await expect(provider.close()).rejects.toThrow("unexpected GET /v2/models");
});

test("[C1] a silent server is asked for one second, no longer", async () => {
  const server = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(server, "listening");
  const limits = vi.spyOn(AbortSignal, "timeout");
  onTestFinished(() => limits.mockRestore());
  const answer = await ask({
    env: { OPENAI_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` },
  });
  expect(limits.mock.calls).toEqual([[1_000]]);
  server.closeAllConnections();
  server.close();
  expect(answer).toMatchObject({ type: "none", ...saying("within a second") });
});

test("[C6] local means this machine and its private networks", () => {
  const local = [
    "127.0.0.1",
    "10.1.2.3",
    "192.168.0.9",
    "172.16.0.1",
    "172.31.9.9",
    "169.254.1.1",
    "100.64.0.1",
    "100.127.9.9",
  ];
  local.push("::1", "fe80::1", "fd00::1", "localhost", "ollama", "host.docker.internal", "box.local");
  for (const host of local) expect([host, isLocalHost(host)]).toEqual([host, true]);
  for (const host of ["api.openai.com", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2001:db8::1", "11.0.0.1"]) {
    expect([host, isLocalHost(host)]).toEqual([host, false]);
  }
});
