import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { surveyProviders } from "../../src/model/survey.ts";
import type { ProviderRow } from "../../src/protocol/provider.ts";
import { fakeLocalServer, ollamaRoutes } from "../support/fake-local-server.ts";

const homes: string[] = [];

afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true });
});

function newHome(...files: readonly string[]): string {
  const home = mkdtempSync(join(tmpdir(), "evander-survey-"));
  homes.push(home);
  for (const file of files) {
    mkdirSync(join(home, file, ".."), { recursive: true });
    writeFileSync(join(home, file), "secret");
  }
  return home;
}

async function survey(env: Readonly<Record<string, string>>, home: string = newHome()): Promise<ProviderRow[]> {
  const rows = await surveyProviders({ env: { EVANDER_LOCAL_SERVERS: "off", ...env }, home, lookMs: 30_000 });
  return rows.map(({ row }) => row).filter(({ provider }) => provider !== "practice");
}

test("[X2] a server that wants a key, one that is no model server and one without a model say what is in the way", async () => {
  await using jan = await fakeLocalServer({ "/v1/models": { status: 401, json: { error: "key" } } });
  await using web = await fakeLocalServer({ "/v1/models": { text: "<html>" } });
  await using empty = await fakeLocalServer(ollamaRoutes({}));
  const places = `jan=:${jan.port},vllm=:${web.port},ollama=:${empty.port}`;
  const rows = await survey({ EVANDER_LOCAL_SERVERS: places });
  expect(rows).toMatchObject([
    { provider: "jan", problem: { en: "It wants a key." }, trouble: "no_model", chosen: false },
    { provider: "vllm", problem: { en: "Something answers there, but its answer is not JSON." } },
    { provider: "ollama", problem: { en: "It has no model." } },
  ]);
  expect(rows.map(({ state }) => state)).toEqual(["unusable", "unusable", "unusable"]);
  expect(rows[0]?.next[0]?.command).toContain(`OPENAI_BASE_URL=http://127.0.0.1:${jan.port}/v1`);
});

test("[X2] keys: a missing part of the address, being offline and a key that lies elsewhere are told, the key never", async () => {
  const env = { AWS_BEARER_TOKEN_BEDROCK: "b-secret", GROQ_API_KEY: "g-secret", CLOUDFLARE_API_TOKEN: "c-secret" };
  const rows = await survey({ ...env, EVANDER_OFFLINE: "yes" });
  expect(rows.map(({ provider, state, trouble }) => [provider, state, trouble])).toEqual([
    ["groq", "unusable", "offline"],
    ["bedrock", "unusable", "bad_base_url"],
    ["cloudflare", "unusable", "bad_base_url"],
  ]);
  expect(rows.some(({ chosen }) => chosen)).toBe(false);
  expect(JSON.stringify(rows)).not.toContain("secret");
  const named = await surveyProviders({
    env: { EVANDER_LOCAL_SERVERS: "off", GITHUB_TOKEN: "t" },
    provider: "github-models",
    home: newHome(),
  });
  expect(named[0]?.row).toMatchObject({ provider: "github-models", state: "ready", chosen: true });
  const [one, other] = [await survey({ GROQ_API_KEY: "k" }), await survey({ NEBIUS_API_KEY: "k" })];
  expect(one[0]?.keyFingerprint).toBe(other[0]?.keyFingerprint);
});

test("[X2] credentials of other tools are offered by their path, wherever it was moved to; no command holds a strange path", async () => {
  const home = newHome(".codex/auth.json", ".openclaw/agents/main/agent/auth-profiles.json", "it's/.env");
  const rows = await survey({ HERMES_HOME: join(home, "it's") }, home);
  expect(rows.map(({ provider, state, source }) => [provider, state, source])).toEqual([
    ["codex", "offered", join(home, ".codex/auth.json")],
    ["hermes", "offered", join(home, "it's", ".env")],
    ["openclaw", "offered", join(home, ".openclaw/agents/main/agent/auth-profiles.json")],
  ]);
  expect(rows[0]?.next[0]?.command).toContain(join(home, ".codex/auth.json"));
  expect(rows[1]?.next[0]?.command).toBeNull();
  expect(JSON.stringify(rows)).not.toContain('"secret"');
});

test("[X2] the row that is marked is the one that a run would ask", async () => {
  await using ollama = await fakeLocalServer(ollamaRoutes({ m: {} }));
  const here = { EVANDER_LOCAL_SERVERS: `ollama=:${ollama.port}` };
  const chosen = async (env: Readonly<Record<string, string>>): Promise<string | undefined> =>
    (await survey({ ...here, ...env })).find((row) => row.chosen)?.source;
  expect(await chosen({})).toBe(`found on :${ollama.port}`);
  expect(await chosen({ NEBIUS_API_KEY: "n", GROQ_API_KEY: "g" })).toBe("GROQ_API_KEY");
  expect(await chosen({ GROQ_API_KEY: "g", OPENAI_BASE_URL: "http://127.0.0.1:9/v1" })).toBe("OPENAI_BASE_URL");
  expect(await chosen({ GROQ_API_KEY: "g", EVANDER_OFFLINE: "1" })).toBe(`found on :${ollama.port}`);
});
