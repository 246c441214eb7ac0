import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeLocalServer, ollamaRoutes, type Route } from "../support/fake-local-server.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { refuse, say, wholeJson } from "../support/wire-script.ts";
import { PATIENT, Place, resultOf } from "./program.ts";

const called: Route = {
  json: {
    choices: [{ message: { tool_calls: [{ id: "1" }] }, finish_reason: "tool_calls" }],
    usage: { prompt_tokens: 70, completion_tokens: 20, total_tokens: 90 },
  },
};
const refused: Route = { status: 401, json: { error: { message: "no such key" } } };
const list: Route = { json: { data: [{ id: "a" }, { id: "b" }] } };

test("[X2] model list, test and use: what there is, whether it works, and what is taken from now on", async () => {
  await using ollama = await fakeLocalServer({ ...ollamaRoutes({ q: {} }), "/v1/chat/completions": called });
  await using groq = await fakeLocalServer({ "/v1/models": list, "/v1/chat/completions": refused });
  const place = new Place();
  try {
    const env = {
      ...PATIENT,
      EVANDER_LOCAL_SERVERS: `ollama=127.0.0.1:${ollama.port}`,
      GROQ_API_KEY: "k-secret",
      GROQ_BASE_URL: `http://127.0.0.1:${groq.port}/v1`,
    };
    const run = async (
      ...args: readonly string[]
    ): Promise<{ readonly code: number | null; readonly json: unknown }> => {
      const { code, stdout } = await place.run(undefined, [...args, "--json"], { env });
      return { code, json: stdout === "" ? undefined : JSON.parse(stdout) };
    };
    const listed = await run("model", "list");
    expect(listed.json).toMatchObject([
      { provider: "groq", id: "a" },
      { provider: "groq", id: "b" },
      { provider: "ollama", id: "q", tools: true },
      { provider: "practice" },
    ]);
    expect(await run("model", "test", "a")).toMatchObject({
      code: 77,
      json: {
        error: {
          code: "request_rejected",
          message: expect.stringContaining("no such key"),
          next: [{ command: "export GROQ_API_KEY=YOUR_KEY" }],
        },
      },
    });
    expect(ollama.asked.filter((each) => each.startsWith("POST /v1"))).toEqual([]);
    expect(await run("model", "test", "--provider", "ollama")).toMatchObject({
      code: 0,
      json: { provider: "ollama", model: "q", tools: "called", streams: true, usage: { input: 70, output: 20 } },
    });

    expect((await run("model", "use", "q", "--dry-run")).code).toBe(0);
    expect((await run("model", "use", "q")).code).toBe(0);
    expect((await run("config", "set", "provider", "ollama")).code).toBe(0);
    expect(readFileSync(join(place.home, "config.yaml"), "utf8")).toContain("model: q");
    expect(await run("model", "test")).toMatchObject({
      code: 0,
      json: { provider: "ollama", model: "q", failure: null },
    });
    const text = await place.run(undefined, ["model", "test", "--lang", "zh"], { env });
    expect(text.stdout).toContain("按要求调用了工具");
  } finally {
    place.remove();
  }
});

test("[C15][C8] what the config says of a model holds: a window too small ends the turn before anything is sent", async () => {
  await using provider = await fakeProvider([say("Fine.")]);
  const place = new Place();
  try {
    const ask = ["-p", "go", "--output", "json", "--config"];
    const small = await place.run(provider.baseUrl, [...ask, "models.custom/m.contextWindow=4100"]);
    expect(resultOf(small).exit).toMatchObject({ reason: "ollama_runtime_context_too_small", code: 24 });
    expect(provider.requests).toEqual([]);
    const large = await place.run(provider.baseUrl, [...ask, "models.custom/m.contextWindow=9000"]);
    expect(resultOf(large)).toMatchObject({ answer: "Fine." });
  } finally {
    place.remove();
  }
});

test("[X2][C16][X4] model list and show: what a provider has, with window, images and prices of the snapshot, day and source", async () => {
  await using groq = await fakeLocalServer({
    "/v1/models": { json: { data: [{ id: "openai/gpt-oss-120b" }, { id: "new-thing" }] } },
  });
  const place = new Place();
  try {
    const env = { GROQ_API_KEY: "k-secret", GROQ_BASE_URL: `http://127.0.0.1:${groq.port}/v1` };
    const run = async (...args: readonly string[]): Promise<Record<string, unknown>[]> =>
      [
        JSON.parse((await place.run(undefined, ["model", ...args, "--json"], { env })).stdout) as unknown,
      ].flat() as never;
    const price = { input: expect.any(Number), asOf: expect.any(String), source: expect.stringContaining("pi-ai") };
    expect(await run("list", "--provider", "groq")).toMatchObject([
      { id: "openai/gpt-oss-120b", contextWindow: 131_072, images: false, tools: true, prices: price },
      { id: "new-thing", contextWindow: null, maxOutput: null, images: null, tools: null, prices: null },
    ]);
    expect(await run("list", "NEW-", "--provider", "groq")).toHaveLength(1);
    const known = await run("list", "claude", "--known", "--provider", "anthropic");
    expect(known.length).toBeGreaterThan(5);
    expect(known).toEqual(known.map((row) => ({ ...row, provider: "anthropic", images: true, tools: true })));

    expect(await run("show", "openai/gpt-oss-120b")).toMatchObject([
      { provider: "groq", prices: price, entry: { provider: "groq", match: "exact" } },
    ]);
    const own = ["config", "set", "models.groq/new-thing.prices.input", "0.5"];
    for (const args of [own, own.with(2, "models.groq/new-thing.prices.output").with(3, "2")])
      expect(await place.run(undefined, args, { env })).toMatchObject({ code: 0 });
    expect(await run("show", "new-thing")).toMatchObject([
      {
        provider: "groq",

        prices: { input: 0.5, output: 2, source: expect.stringContaining("config.yaml:") },
      },
    ]);
    const { stdout } = await place.run(undefined, ["model", "show", "new-thing"], { env });
    expect(stdout).toContain("$0.5 in, $2 out for a million tokens");
    expect(stdout).toContain("evander config set models.groq/new-thing.contextWindow TOKENS");
    expect(groq.asked.filter((each) => !each.startsWith("GET /v1/models"))).toEqual([]);
  } finally {
    place.remove();
  }
});

test("[X2] model show without any provider: who serves it, or that nobody does; without prices none is told as zero", async () => {
  const place = new Place();
  try {
    const show = (...args: readonly string[]): ReturnType<Place["run"]> =>
      place.run(undefined, ["model", "show", ...args]);
    expect((await show("openai/gpt-4o")).stdout).toMatch(/^openai\/gpt-4o\n  window {9}128000 tokens\n/u);
    const several = await show("gpt-4o");
    expect(several.stdout).toMatch(
      /\n  azure\/gpt-4o  \(\$[\d.]+ in, \$[\d.]+ out a million\)\n[^]*\n  openai\/gpt-4o /u,
    );
    const nobody = await show("no-such-model");
    expect(nobody).toMatchObject({ code: 78, stderr: expect.stringContaining("evander model list --known") });
    const unknown = await show("no-such-model", "--provider", "mistral");
    expect(unknown.stdout).toContain("price          unknown");
  } finally {
    place.remove();
  }
});

test("[X2][C6] model test: how fast, streaming, tools and tokens; a server that refuses streaming or tools is asked without", async () => {
  const noStream = refuse(400, { error: { message: "streaming is not supported by this model" } });
  const ready = { choices: [{ message: { role: "assistant", content: "Ready." }, finish_reason: "stop" }] };
  const noModel = refuse(404, { error: { message: "The model nope does not exist", code: "model_not_found" } });
  const noTools = refuse(400, { error: { message: "this model does not support tools" } });
  await using provider = await fakeProvider([noStream, noTools, wholeJson(ready), noModel]);
  const place = new Place();
  try {
    const { code, stdout } = await place.run(provider.baseUrl, ["model", "test", "--json"]);
    expect({ code, trial: JSON.parse(stdout) as unknown }).toMatchObject({
      code: 0,
      trial: { provider: "custom", model: "m", streams: false, tools: "refused", totalMs: expect.any(Number) },
    });
    expect(provider.requests.map(({ body }) => [body["stream"] === true, "tools" in body])).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ]);
    const none = await place.run(provider.baseUrl, ["model", "test", "nope"]);
    expect(none).toMatchObject({ code: 78, stderr: expect.stringContaining("The model nope does not exist") });
    expect(none.stderr).toContain("evander model list --provider custom");
  } finally {
    place.remove();
  }
});

test("[X4] the snapshot is read where a model is looked up in it: not by version, for a model of this machine, or by practice", async () => {
  await using provider = await fakeProvider([say("One."), say("Two.")]);
  const place = new Place();
  try {
    const file = join(place.folder, "modules");
    const record = join(import.meta.dirname, "record-modules.mjs");
    const readsSnapshot = async (...args: readonly string[]): Promise<boolean> => {
      writeFileSync(file, "");
      const key = { OPENAI_API_KEY: "k", MODULES: file, NODE_OPTIONS: `--import ${record}` };
      const { code, stderr } = await place.run(provider.baseUrl, args, { env: key });
      expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
      return /\/snapshot-[^/]*\.js$/mu.test(readFileSync(file, "utf8"));
    };
    expect(await readsSnapshot("version")).toBe(false);
    expect(await readsSnapshot("-p", "go", "--model", "practice")).toBe(false);
    expect(await readsSnapshot("-p", "go")).toBe(false);
    expect(await readsSnapshot("-p", "go", "--provider", "openai", "--model", "gpt-4o")).toBe(true);
  } finally {
    place.remove();
  }
});

test("[X2] PROVIDER/MODEL names a provider that is there, also where another one is pinned, and show says what holds there", async () => {
  await using mine = await fakeProvider(
    [1, 2].flatMap(() => [say("One.", { newHead: true }), say("Two.", { newHead: true })]),
    { models: [] },
  );
  await using other = await fakeProvider(
    [1, 2].map(() => say("Three.", { newHead: true })),
    { models: [] },
  );
  const place = new Place();
  try {
    mkdirSync(place.home);
    const providers = `  mine: { baseUrl: "${mine.baseUrl}" }\n  other: { baseUrl: "${other.baseUrl}" }\n`;
    const models = "  mine/m1: { contextWindow: 9000, prices: { input: 1, output: 2 } }\n";
    const config = `provider: mine\nmodel: m0\nproviders:\n${providers}models:\n${models}`;
    writeFileSync(join(place.home, "config.yaml"), config);
    const show = async (...args: readonly string[]): Promise<unknown> =>
      JSON.parse((await place.run(undefined, ["model", "show", ...args, "--json"])).stdout);
    const m1 = { provider: "mine", model: "m1", contextWindow: 9_000, prices: { input: 1 }, baseUrl: mine.baseUrl };
    for (const args of [["m1"], ["mine/m1"], ["Mine/m1", "--provider", "mine"]])
      expect(await show(...args)).toMatchObject({ ...m1, dialect: "chat_completions" });
    expect(await show("other/m1")).toMatchObject({ provider: "other", model: "m1", baseUrl: other.baseUrl });
    expect(await show("maker/m1")).toMatchObject({ provider: "mine", model: "maker/m1" });
    expect(await show("other/m1", "--provider", "mine")).toMatchObject({ provider: "mine", model: "other/m1" });

    const lines = ["one", "/model mine/m1", "two", "/model other/m1", "three"];
    for (const args of [[], ["--provider", "mine"]]) {
      const { stdout, stderr } = await place.run(undefined, args, { input: `${lines.join("\n")}\n` });
      expect([stdout, stderr.includes("internal_error")]).toEqual(["One.\nTwo.\nThree.\n", false]);
    }
    const asked = [mine, other].map(({ requests }) => requests.map(({ body }) => body.model));
    expect(asked).toEqual([
      ["m0", "m1", "m0", "m1"],
      ["m1", "m1"],
    ]);
  } finally {
    place.remove();
  }
});
