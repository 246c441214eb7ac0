import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ProviderRow } from "../../src/protocol/provider.ts";
import { fakeLocalServer, ollamaRoutes, type Route } from "../support/fake-local-server.ts";
import { type Ended, PATIENT, Place } from "./program.ts";

interface Found {
  readonly id: string;
  readonly state: "ok" | "warning" | "broken";
  readonly message: string;
  readonly command: string | null;
  readonly fixed: { readonly command: string; readonly undo: string; readonly dry: boolean } | null;
}

interface Report {
  readonly ok: boolean;
  readonly findings: readonly Found[];
}

const reportOf = ({ stdout }: Ended): Report => JSON.parse(stdout) as Report;
const stateOf = (ended: Ended, id: string): string | undefined =>
  reportOf(ended).findings.find((found) => found.id === id)?.state;
const rowsOf = ({ stdout }: Ended): ProviderRow[] => JSON.parse(stdout) as ProviderRow[];

async function inPlace(use: (place: Place) => Promise<void>): Promise<void> {
  const place = new Place();
  try {
    await use(place);
  } finally {
    place.remove();
  }
}

test("[X2] doctor in a fresh home: nothing is broken, no provider is a warning, every finding has an id of its own", async () => {
  await inPlace(async (place) => {
    const ended = await place.run(undefined, ["doctor", "--json"]);
    expect(ended.code).toBe(0);
    const { ok, findings } = reportOf(ended);
    expect(ok).toBe(true);
    expect(findings.find(({ id }) => id === "providers")).toMatchObject({ state: "warning" });
    expect(new Set(findings.map(({ id }) => id)).size).toBe(findings.length);
    for (const { state, command } of findings) expect([state, command === null]).toEqual([state, state === "ok"]);
    expect((await place.run(undefined, ["doctor", "--lang", "zh"])).stdout).toContain("没有损坏");
  });
});

test("[X2] doctor finds what is broken, ends with 1, and touches nothing", async () => {
  await inPlace(async (place) => {
    place.damaged = true;
    mkdirSync(place.home, { mode: 0o700 });
    writeFileSync(join(place.home, "evander.db"), "no store at all, only some words that are long enough".repeat(99));
    writeFileSync(join(place.home, "config.yaml"), "maxIterations: many\n");
    const before = readFileSync(join(place.home, "evander.db"));
    const ended = await place.run(undefined, ["doctor", "--fix", "--json"]);
    expect(ended.code).toBe(1);
    expect([stateOf(ended, "journal"), stateOf(ended, "config.maxIterations")]).toEqual(["broken", "broken"]);
    expect(readFileSync(join(place.home, "evander.db"))).toEqual(before);
  });
});

test("[X2] doctor --fix closes a folder that others can read, says how to take it back; --dry-run only says it", async () => {
  await inPlace(async (place) => {
    mkdirSync(place.home);
    chmodSync(place.home, 0o755);
    const mode = (): number => statSync(place.home).mode & 0o777;
    const dry = reportOf(await place.run(undefined, ["doctor", "--fix", "--dry-run", "--json"]));
    expect(mode()).toBe(0o755);
    const fixed = reportOf(await place.run(undefined, ["doctor", "--fix", "--json"]));
    expect(mode()).toBe(0o700);
    for (const [report, isDry] of [
      [dry, true],
      [fixed, false],
    ] as const)
      expect(report.findings.find(({ id }) => id === "paths.config")?.fixed).toEqual({
        command: `chmod 700 ${place.home}`,
        undo: `chmod 755 ${place.home}`,
        dry: isDry,
      });
    expect(stateOf(await place.run(undefined, ["doctor", "--json"]), "paths.config")).toBe("ok");
  });
});

test("[X2] doctor after a turn: the sessions are counted, and nothing of the store changes", async () => {
  await inPlace(async (place) => {
    await place.run(undefined, ["-p", "how many files are here?", "--model", "practice"]);
    const before = readFileSync(join(place.home, "evander.db"));
    const journal = reportOf(await place.run(undefined, ["doctor", "--json"])).findings.find(
      ({ id }) => id === "journal",
    );
    expect(journal).toMatchObject({ state: "ok", message: expect.stringContaining("1 session") as string });
    expect(readFileSync(join(place.home, "evander.db"))).toEqual(before);
  });
});

test("[X2] [D9] doctor tells who of the fallback chain would be passed over, and why", async () => {
  await inPlace(async (place) => {
    const chain = async (names: string): Promise<Found[]> => {
      const env = { OPENAI_API_KEY: "sk-test-aaaaaaaaaaaa1", EVANDER_FALLBACK: names };
      const ended = await place.run(undefined, ["doctor", "--json"], { env });
      return reportOf(ended).findings.filter(({ id }) => id.startsWith("fallback"));
    };
    expect(await chain("nowhere/m,openai/gpt-5.1,groq/llama")).toMatchObject([
      {
        id: "fallback.1",
        state: "warning",
        message: expect.stringMatching(/^nowhere\/m would be passed over: .*nowhere/u),
      },
      { id: "fallback.3", state: "warning", command: "export GROQ_API_KEY=YOUR_KEY" },
    ]);
    expect(await chain("openai/gpt-5.1,practice")).toMatchObject([{ id: "fallback", state: "ok" }]);
    expect(await chain("")).toEqual([]);
  });
});

const called: Route = {
  json: {
    choices: [{ message: { tool_calls: [{ id: "1" }] }, finish_reason: "tool_calls" }],
    usage: { prompt_tokens: 70, completion_tokens: 20, total_tokens: 90 },
  },
};

test("[X2] doctor providers: one table with state, source, models, problem and next step; never a key", async () => {
  const models = { "qwen3:8b": { longest: 40_960 }, plain: { capabilities: ["completion"], loaded: 8_192 } };
  await using ollama = await fakeLocalServer({ ...ollamaRoutes(models), "/v1/chat/completions": called });
  const wrong: Route = { status: 401, json: { error: { message: "Invalid API Key: gsk_secret" } } };
  await using groq = await fakeLocalServer({ "/v1/models": wrong, "/v1/chat/completions": wrong });
  await inPlace(async (place) => {
    mkdirSync(join(place.folder, ".codex"));
    writeFileSync(join(place.folder, ".codex", "auth.json"), "never read");
    const env = {
      ...PATIENT,
      EVANDER_LOCAL_SERVERS: `ollama=127.0.0.1:${ollama.port},vllm=10.1.1.1`,
      GROQ_API_KEY: "gsk_secret",
      GROQ_BASE_URL: `http://127.0.0.1:${groq.port}/v1`,
      AWS_PROFILE: "work",
      GITHUB_TOKEN: "ghp_secret",
    };
    const rows = rowsOf(await place.run(undefined, ["doctor", "providers", "--json"], { env }));
    expect(rows.map(({ provider, state, source, chosen }) => [provider, state, source, chosen])).toEqual([
      ["groq", "ready", "GROQ_API_KEY", true],
      ["github-models", "by-name", "GITHUB_TOKEN", false],
      ["bedrock-profile", "unsupported", "AWS_PROFILE", false],
      ["codex", "offered", join(place.folder, ".codex", "auth.json"), false],
      ["ollama", "ready", `found on :${ollama.port}`, false],
      ["custom", "unusable", "EVANDER_LOCAL_SERVERS", false],
      ["practice", "ready", "built in", false],
    ]);
    expect(rows.find(({ provider }) => provider === "ollama")?.models).toEqual([
      { id: "qwen3:8b", contextWindow: null, longestContext: 40_960, tools: true },
      { id: "plain", contextWindow: 8_192, longestContext: null, tools: false },
    ]);
    expect([...ollama.asked, ...groq.asked].filter((each) => each.includes("completions"))).toEqual([]);

    const asked = await place.run(undefined, ["doctor", "providers", "--ask", "--json"], { env });
    const [refused] = rowsOf(asked);
    expect(refused).toMatchObject({ state: "unusable", next: [{ command: "export GROQ_API_KEY=YOUR_KEY" }, {}] });
    expect(refused?.problem).toContain("Invalid API Key");
    expect(rowsOf(asked).find(({ provider }) => provider === "ollama")?.tokens).toBe(90);
    const text = await place.run(undefined, ["doctor", "providers", "--ask"], { env });
    expect(`${asked.stdout}${text.stdout}${text.stderr}`).not.toContain("secret");
    expect(text.stdout).toContain("90 tokens");
    expect((await place.run(undefined, ["doctor", "--ask"], { env })).code).toBe(1);
  });
});

test("[X2] doctor providers with nothing found: what was looked for, and what helps, as it can be run here", async () => {
  await inPlace(async (place) => {
    const env = { npm_lifecycle_event: "start" };
    const { code, stdout } = await place.run(undefined, ["doctor", "providers"], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/No model was found beyond the practice model\.\nLooked for: .*keys.* Ollama/u);
    expect(stdout).toContain("  next: Paste a key, and keep it: npm start -- auth login openai\n");
    expect(stdout).toContain("  next: Use a local server: ollama serve\n");
    expect((await place.run(undefined, ["docs"], { env })).stderr).toBe(
      "npm start -- docs TOPIC prints one of them.\n",
    );
    const wrong = { EVANDER_LOCAL_SERVERS: "http://127.0.0.1:9" };
    const table = await place.run(undefined, ["doctor", "providers"], { env: wrong });
    expect(table.stdout).toContain("export EVANDER_LOCAL_SERVERS=ollama=127.0.0.1:11434");
  });
});

test("[X2] with no setting at all only this machine is connected to, at the known ports", async () => {
  await inPlace(async (place) => {
    const file = join(place.folder, "connections");
    writeFileSync(file, "");
    const record = join(import.meta.dirname, "record-connections.mjs");
    const env = { EVANDER_LOCAL_SERVERS: undefined, CONNECTIONS: file, NODE_OPTIONS: `--import ${record}` };
    await place.run(undefined, ["-p", "hi"], { env });
    await place.run(undefined, ["doctor"], { env });
    const tried = new Set(readFileSync(file, "utf8").trim().split("\n"));
    const ports = [1_234, 1_337, 8_000, 8_080, 11_434];
    expect([...tried].toSorted()).toEqual(ports.map((port) => `127.0.0.1 ${port}`).toSorted());
  });
});
