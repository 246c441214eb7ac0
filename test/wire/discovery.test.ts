import diagnostics from "node:diagnostics_channel";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { ProviderQuery } from "../../src/model/keyed-servers.ts";
import { resolveProvider } from "../../src/model/provider.ts";
import type { ProviderAnswer } from "../../src/protocol/provider.ts";
import { fakeLocalServer, ollamaRoutes, type Route } from "../support/fake-local-server.ts";

/** Looks for these programs at these ports, and nowhere else. */
const at = (ports: Readonly<Record<string, number>>): Record<string, string> => ({
  EVANDER_LOCAL_SERVERS:
    Object.entries(ports)
      .map(([name, port]) => `${name}=127.0.0.1:${port}`)
      .join(",") || "off",
});

/** What a server says is under test here, not how fast a busy machine lets it; ms. */
const CALM = { lookMs: 30_000 };
/** The limit is under test. */
const REAL = { lookMs: undefined };

const look = (ports: Readonly<Record<string, number>>, query: Partial<ProviderQuery> = {}): Promise<ProviderAnswer> =>
  resolveProvider({ ...CALM, ...query, env: { ...at(ports), ...query.env } });

const called: Route = {
  json: {
    choices: [{ message: { tool_calls: [{ id: "1" }] }, finish_reason: "tool_calls" }],
    usage: { prompt_tokens: 70, completion_tokens: 20, total_tokens: 90 },
  },
};
const listOf = (...ids: readonly string[]): Route => ({ json: { object: "list", data: ids.map((id) => ({ id })) } });

test("[X2] Ollama on loopback is found: its model, its loaded window, whether it takes tools, and where it was", async () => {
  await using ollama = await fakeLocalServer(
    ollamaRoutes({
      "qwen3:8b": { loaded: 32_768, longest: 262_144 },
      "nomic-embed-text": { capabilities: ["embedding"] },
    }),
  );
  expect(await look({ ollama: ollama.port })).toEqual({
    type: "found",
    provider: "ollama",
    model: "qwen3:8b",
    baseUrl: `http://127.0.0.1:${ollama.port}/v1`,
    apiKey: undefined,
    source: `found on :${ollama.port}`,
    contextWindow: 32_768,
    takesTools: true,
  });
});

test("[X2] OLLAMA_HOST is where Ollama is looked for, in every way it is written; off this machine it is never asked", async () => {
  await using ollama = await fakeLocalServer(ollamaRoutes({ m: {} }));
  for (const host of [`:${ollama.port}`, `localhost:${ollama.port}`, `http://0.0.0.0:${ollama.port}/`])
    expect(await resolveProvider({ ...CALM, provider: "ollama", env: { OLLAMA_HOST: host } })).toMatchObject({
      model: "m",
    });
  const away = await resolveProvider({ provider: "ollama", model: "m", env: { OLLAMA_HOST: "192.168.1.7:11434" } });
  expect(away).toMatchObject({ type: "none", cause: "bad_base_url" });
});

test("[X2] LM Studio says of each model what is loaded, before and since 0.4; the others say what they can", async () => {
  const newer = {
    type: "llm",
    key: "qwen/qwen3-9b",
    loaded_instances: [{ id: "i", config: { context_length: 16_384 } }],
    capabilities: { trained_for_tool_use: true },
  };
  await using lmstudio = await fakeLocalServer({
    "/api/v1/models": { json: { models: [{ type: "embedding", key: "e" }, newer] } },
  });
  const qwen = { provider: "lmstudio", model: "qwen/qwen3-9b", contextWindow: 16_384, takesTools: true };
  expect(await look({ lmstudio: lmstudio.port })).toMatchObject(qwen);
  const old = { id: "llama", type: "llm", state: "loaded", loaded_context_length: 4_096, capabilities: ["tool_use"] };
  await using older = await fakeLocalServer({ "/api/v0/models": { json: { data: [old] } } });
  expect(await look({ lmstudio: older.port })).toMatchObject({
    model: "llama",
    contextWindow: 4_096,
    takesTools: true,
  });
  await using vllm = await fakeLocalServer({
    "/v1/models": { json: { data: [{ id: "v", max_model_len: 40_960 }] } },
    "/v1/chat/completions": {
      status: 400,
      json: { message: '"auto" tool choice requires --enable-auto-tool-choice' },
    },
  });
  expect(await look({ vllm: vllm.port })).toMatchObject({
    provider: "vllm",
    contextWindow: 40_960,
    takesTools: false,
  });
});

test("[X2] llama.cpp and LocalAI share a port and are told apart; a template without tools takes none", async () => {
  const props = (supports_tools: boolean): Route => ({
    json: { default_generation_settings: { n_ctx: 8_192 }, chat_template_caps: { supports_tools } },
  });
  await using llama = await fakeLocalServer({ "/v1/models": listOf("gguf"), "/props": props(false) });
  const found = { provider: "llama-cpp", model: "gguf", contextWindow: 8_192, takesTools: false };
  expect(await look({ "llama-cpp": llama.port })).toMatchObject(found);
  await using localai = await fakeLocalServer({ "/v1/models": listOf("gpt-4"), "/v1/chat/completions": called });
  expect(await look({ "llama-cpp": localai.port })).toMatchObject({ provider: "localai", takesTools: true });
});

test("[X2] several: one that takes tools comes first, then what runs here, has room, is loaded; then the fixed order", async () => {
  await using ollama = await fakeLocalServer(
    ollamaRoutes({
      plain: { capabilities: ["completion"] },
      small: { loaded: 4_096 },
      cold: {},
      warm: { loaded: 32_768 },
    }),
  );
  await using jan = await fakeLocalServer({ "/v1/models": listOf("j"), "/v1/chat/completions": called });
  const ports = { jan: jan.port, ollama: ollama.port };
  expect(await look(ports)).toMatchObject({ provider: "ollama", model: "warm", others: ["jan"] });
  expect(await look(ports, { model: "j" })).toMatchObject({ provider: "jan", others: ["ollama"] });
  expect(await look(ports, { provider: "ollama" })).toMatchObject({ model: "warm", source: "--provider ollama" });
  expect(await look(ports, { model: "nowhere" })).toMatchObject({ type: "none", cause: "no_provider" });
});

test("[X2] whether tools work is tried once and kept; without the folder it is tried again, with the same result", async () => {
  const folder = mkdtempSync(join(tmpdir(), "evander-notes-"));
  try {
    await using server = await fakeLocalServer({ "/v1/models": listOf("m"), "/v1/chat/completions": called });
    const tries = (): number => server.asked.filter((each) => each.startsWith("POST")).length;
    const first = await look({ vllm: server.port }, { cacheFolder: folder });
    expect(first).toMatchObject({ takesTools: true });
    expect(await look({ vllm: server.port }, { cacheFolder: folder })).toEqual(first);
    expect(tries()).toBe(1);
    expect(readdirSync(folder)).toEqual(["models.json"]);
    rmSync(folder, { recursive: true });
    expect(await look({ vllm: server.port }, { cacheFolder: folder })).toEqual(first);
    expect(tries()).toBe(2);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("[X2] servers that hang, talk nonsense, send elsewhere or do not end delay nobody and mislead nobody", async () => {
  const names = ["lmstudio", "llama-cpp", "vllm", "jan", "localai"] as const;
  const long: Route = { text: JSON.stringify({ data: [{ id: "x".repeat(5_000_000) }] }) };
  const hostile: readonly Route[] = [
    "hang",
    { text: "<html>hello" },
    { json: {}, status: 302, headers: { location: "http://192.0.2.1/v1/models" } },
    long,
    { json: { data: "none" } },
  ];
  const servers = await Promise.all(
    hostile.map((route) => fakeLocalServer({ "/v1/models": route, "/api/v1/models": route, "/props": route })),
  );
  await using ollama = await fakeLocalServer(ollamaRoutes({ good: {} }));
  const ports = Object.fromEntries(names.map((name, index) => [name, servers[index]?.port ?? 0]));
  try {
    // The one that hangs takes all the time there is, in which the good one has to answer on a busy machine, too.
    const enough = { lookMs: 3_000 };
    expect(await look({ ...ports, ollama: ollama.port }, enough)).toMatchObject({ provider: "ollama", model: "good" });
    const limits = vi.spyOn(AbortSignal, "timeout");
    expect(await look(ports, REAL)).toMatchObject({ type: "none", cause: "no_provider" });
    // Within the 300 ms of product.md 2.3, with what it takes to say so.
    expect(limits.mock.calls).toEqual([[250]]);
  } finally {
    vi.restoreAllMocks();
    for (const server of servers) await server[Symbol.asyncDispose]();
  }
});

test("[X2] only this machine is ever connected to while looking, whatever variables and servers say", async () => {
  const seen: string[] = [];
  const note = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    socket.on("connectionAttempt", (address: string) => seen.push(address));
  };
  diagnostics.subscribe("net.client.socket", note);
  try {
    await using away = await fakeLocalServer({
      "/v1/models": { json: {}, status: 307, headers: { location: "http://192.0.2.1/v1/models" } },
    });
    await look({ vllm: away.port });
    await resolveProvider({ env: { OLLAMA_HOST: "models.example:11434" } });
    await resolveProvider({ env: { EVANDER_LOCAL_SERVERS: "ollama=192.0.2.7:11434,vllm=http://models.example" } });
  } finally {
    diagnostics.unsubscribe("net.client.socket", note);
  }
  expect(seen.length).toBeGreaterThan(3);
  expect(seen.filter((address) => address !== "127.0.0.1")).toEqual([]);
});

test("[X2] what is named or has its key in the environment is never delayed: nothing is looked for", async () => {
  await using server = await fakeLocalServer({ "/v1/models": "hang" });
  const ports = { ollama: server.port, vllm: server.port };
  const model = "m";
  for (const env of [{ OPENAI_API_KEY: "k" }, { DEEPSEEK_API_KEY: "k" }, { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" }])
    expect(await look(ports, { env, model })).toMatchObject({ type: "found", model });
  expect(await look(ports, { provider: "vllm", model })).toMatchObject({ type: "found", provider: "vllm" });
  expect(server.asked).toEqual([]);
});

test("[X2] keys in the environment: the order of the catalogue, the family of a named model, and what else is there", async () => {
  const env = { GROQ_API_KEY: "g", ANTHROPIC_API_KEY: "a", GITHUB_TOKEN: "t" };
  expect(await look({}, { env, model: "some-model" })).toMatchObject({
    provider: "anthropic",
    baseUrl: "https://api.anthropic.com",
    api: "anthropic_messages",
    apiKey: "a",
    source: "ANTHROPIC_API_KEY",
    keySource: "ANTHROPIC_API_KEY",
    others: ["groq"],
  });
  expect(await look({}, { env, model: "openai/gpt-oss-120b" })).toMatchObject({
    provider: "groq",
    others: ["anthropic"],
  });
  expect(await look({}, { env, model: "m", provider: "github-models" })).toMatchObject({ apiKey: "t" });
  expect(await look({}, { env: { GITHUB_TOKEN: "t" }, model: "m" })).toMatchObject({ cause: "no_provider" });
});

test("[X2] an address beside a key moves it; one that is built from variables says which is missing", async () => {
  const groq = { GROQ_API_KEY: "g", GROQ_BASE_URL: "https://proxy.example/v1/" };
  expect(await look({}, { env: groq, model: "m" })).toMatchObject({ baseUrl: "https://proxy.example/v1" });
  const anthropic = { ANTHROPIC_API_KEY: "a", ANTHROPIC_BASE_URL: "https://proxy.example" };
  expect(await look({}, { env: anthropic, model: "m" })).toMatchObject({ baseUrl: "https://proxy.example" });
  const bedrock = { AWS_BEARER_TOKEN_BEDROCK: "b" };
  expect(await look({}, { env: bedrock, model: "m", provider: "bedrock" })).toMatchObject({
    cause: "bad_base_url",
    message: {
      en: expect.stringContaining("AWS_REGION") as string,
      zh: expect.stringContaining("AWS_REGION") as string,
    },
  });
  expect(await look({}, { env: { ...bedrock, AWS_REGION: "eu-west-1" }, model: "m" })).toMatchObject({
    baseUrl: "https://bedrock-runtime.eu-west-1.amazonaws.com",
    api: "bedrock_converse",
  });
});

test("[C2] [C3] Gemini and Bedrock are spoken to natively, Gemini's compatible address in chat completions", async () => {
  const key = { GOOGLE_API_KEY: "g" };
  expect(await look({}, { env: key, model: "gemini-3-pro" })).toMatchObject({
    baseUrl: "https://generativelanguage.googleapis.com",
    api: "gemini",
  });
  const old = { GEMINI_API_KEY: "g", GEMINI_BASE_URL: "https://generativelanguage.googleapis.com/v1beta/openai/" };
  expect(await look({}, { env: old, model: "m" })).not.toHaveProperty("api");
});

test("[C2] keys of AWS sign requests to Bedrock, where Bedrock is named: as a rule they are there for other work", async () => {
  const keys = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "secret", AWS_REGION: "eu-west-1" };
  expect(await look({}, { env: keys, model: "m" })).toMatchObject({ cause: "no_provider" });
  const named = { model: "m", provider: "bedrock-sigv4" };
  expect(await look({}, { env: keys, ...named })).toMatchObject({ apiKey: "AKID:secret", api: "bedrock_converse" });
  expect(await look({}, { env: { ...keys, AWS_SESSION_TOKEN: "token" }, ...named })).toMatchObject({
    apiKey: "AKID:secret:token",
  });
  expect(await look({}, { env: { AWS_ACCESS_KEY_ID: "AKID" }, ...named })).toMatchObject({ cause: "missing_key" });
});

test("[X2] a project's .env counts when it is handed over, after the environment, and says so", async () => {
  const dotEnv = { GROQ_API_KEY: "from-file", OPENAI_BASE_URL: "https://evil.example/v1" };
  expect(await look({}, { dotEnv, model: "m" })).toMatchObject({
    apiKey: "from-file",
    keySource: "GROQ_API_KEY in .env",
  });
  expect(await look({}, { dotEnv, model: "m", env: { GROQ_API_KEY: "own" } })).toMatchObject({ apiKey: "own" });
  expect(await look({}, { dotEnv, model: "m", env: { OPENAI_API_KEY: "own" } })).toMatchObject({
    baseUrl: "https://api.openai.com/v1",
    others: ["groq"],
  });
});

test("[X2] offline: keys lead nowhere, this machine still counts, and the answer says why", async () => {
  const env = { EVANDER_OFFLINE: "1", OPENAI_API_KEY: "k" };
  expect(await look({}, { env, model: "m" })).toMatchObject({ type: "none", cause: "offline" });
  expect(await look({}, { env, model: "m", provider: "groq" })).toMatchObject({ cause: "missing_key" });
  expect(await look({}, { env, model: "m", provider: "openai" })).toMatchObject({ cause: "offline" });
  const tags = { json: { models: [{ name: "far", remote_host: "https://ollama.example" }, { name: "m" }] } };
  await using ollama = await fakeLocalServer({ ...ollamaRoutes({ m: {} }), "/api/tags": tags });
  expect(await look({ ollama: ollama.port }, { env })).toMatchObject({ provider: "ollama", model: "m" });
  expect(await look({ ollama: ollama.port }, { env, model: "far" })).toMatchObject({ cause: "offline" });
});
