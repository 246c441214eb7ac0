import fc from "fast-check";
import { expect, test } from "vitest";
import { describeIn, describeModel } from "./facts.ts";
import { plainId } from "./model-id.ts";
import { idIn, loadSnapshot, type Snapshot } from "./snapshot.ts";

const CHAT = "chat_completions" as const;

/** A snapshot of a few models, so that no test depends on the prices of a day. */
const SNAPSHOT: Snapshot = {
  asOf: "2026-01-02",
  source: "a list",
  thinking: [{}, { off: "none", high: "high" }],
  quirks: [[], ["no-temperature"]],
  providers: {
    anthropic: {
      ways: [["anthropic_messages", "https://api.anthropic.com"]],
      models: [
        `claude-opus-4-5 [200000, 64000, 1, 0, 1, 1, [5, 25, 0.5, 6.25, 10, [100000, 10, 37.5, 1, 12.5, 20]]]`,
        `claude-opus-4-5-20251101 [200000, 64000, 1, 0, 1, 1, [5, 25, 0.5, 6.25, 10]]`,
      ],
    },
    bedrock: {
      ways: [["bedrock_converse", "https://bedrock-runtime.us-east-1.amazonaws.com"]],
      models: [
        `anthropic.claude-opus-4-5-20251101-v1:0 [200000, 32000, 1, 0, 1, 0, [5.5, 27.5]]`,
        `us.anthropic.claude-opus-4-5-20251101-v1:0 [200000, 32000, 1, 0, 1, 0, [5, 25]]`,
      ],
    },
    openrouter: {
      ways: [[CHAT, "https://openrouter.ai/api/v1"]],
      models: [
        `anthropic/claude-opus-4.5 [190000, 64000, 0, 0, 1, 0, [5, 25]]`,
        `openrouter/auto [2000000, 30000, 0, 0, 0, 0, null]`,
        `maker/gift:free [8000, 4000, 0, 0, 0, 0, "included"]`,
      ],
    },
    fireworks: {
      ways: [[CHAT, "https://api.fireworks.ai/inference/v1"]],
      models: [`accounts/fireworks/models/glm-5p3 [100000, 10000, 0, 0, 0, 0, [1, 2]]`],
    },
    plan: { ways: [[CHAT, "https://plan.test/go/v1"]], models: [`m [1000, 100, 0, 0, 0, 0, "included"]`] },
    payg: { ways: [[CHAT, "https://plan.test/v1"]], models: [`m [1000, 100, 0, 0, 0, 0, [1, 1]]`] },
  },
};

const of = (provider: string, model: string, baseUrl?: string): ReturnType<typeof describeIn> =>
  describeIn(SNAPSHOT, { provider, model, baseUrl });

test("[C16, X4] a provider's own id tells all that the snapshot knows, with tiers, day and source", () => {
  expect(of("anthropic", "claude-opus-4-5")).toEqual({
    provider: "anthropic",
    model: "claude-opus-4-5",
    contextWindow: 200_000,
    maxOutput: 64_000,
    input: ["text", "image"],
    takesTools: true,
    dialect: "anthropic_messages",
    baseUrl: "https://api.anthropic.com",
    thinking: { off: "none", high: "high" },
    quirks: ["no-temperature"],
    prices: {
      input: 5,
      output: 25,
      cacheRead: 0.5,
      cacheWrite5m: 6.25,
      cacheWrite1h: 10,
      tiers: [
        { aboveInputTokens: 100_000, input: 10, output: 37.5, cacheRead: 1, cacheWrite5m: 12.5, cacheWrite1h: 20 },
      ],
      asOf: "2026-01-02",
      source: "a list",
    },
    entry: {
      provider: "anthropic",
      id: "claude-opus-4-5",
      match: "exact",
      asOf: "2026-01-02",
      source: "a list",
    },
  });
});

test.each([
  ["anthropic", "claude-opus-4.5", "claude-opus-4-5"],
  ["anthropic", "anthropic/claude-opus-4-5", "claude-opus-4-5"],
  ["anthropic", "claude-opus-4-5-latest", "claude-opus-4-5"],
  ["anthropic", "claude-opus-4-5-20250101", "claude-opus-4-5"],
  ["anthropic", "claude-opus-4-5@20251101", "claude-opus-4-5"],
  ["openrouter", "anthropic/claude-opus-4-5", "anthropic/claude-opus-4.5"],
  ["fireworks", "glm-5.3", "accounts/fireworks/models/glm-5p3"],
  ["bedrock", "us.anthropic.claude-opus-4-5", "us.anthropic.claude-opus-4-5-20251101-v1:0"],
])("[C16] %s serves %s as %s: prices of the same edition hold", (provider, model, id) => {
  expect(of(provider, model)).toMatchObject({
    entry: { provider, id, match: "edition" },
    prices: { input: expect.any(Number) },
  });
});

test("[C16, X4] in another part of the world the limits hold, the price is unknown", () => {
  const facts = of("bedrock", "eu.anthropic.claude-opus-4-5-20251101-v1:0");
  expect(facts).toMatchObject({ contextWindow: 200_000, dialect: "bedrock_converse", entry: { match: "edition" } });
  expect(facts.prices).toBeUndefined();
});

test("[C15, X4] a model known elsewhere alone: the least that anybody promises, and no price, address or dialect", () => {
  const facts = of("custom", "vendor/claude-opus-4.5", "https://gateway.example/v1");
  expect(facts).toMatchObject({ contextWindow: 190_000, input: ["text"], takesTools: true });
  expect(facts.entry).toMatchObject({ match: "elsewhere", provider: "openrouter" });
  for (const key of ["maxOutput", "prices", "included", "dialect", "baseUrl", "thinking"])
    expect(facts).not.toHaveProperty(key);
});

test("[C16, X4] an unknown model: text alone, and nothing is guessed; a price is never zero", () => {
  const unknown = { provider: "custom", model: "mystery-9", quirks: [] };
  expect(of("custom", "mystery-9")).toEqual(unknown);
  expect(of("openrouter", "openrouter/auto").prices).toBeUndefined();
  expect(of("openrouter", "constructor")).toEqual({ ...unknown, provider: "openrouter", model: "constructor" });
  expect(of("toString", "__proto__")).toEqual({ ...unknown, provider: "toString", model: "__proto__" });
});

test("[X4] what is paid by the month or free is included; the longest common path tells two offers of one host apart", () => {
  expect(of("openrouter", "maker/gift:free")).toMatchObject({ included: true });
  expect(of("mine", "m", "https://plan.test/go/v1")).toMatchObject({ included: true, entry: { provider: "plan" } });
  expect(of("mine", "m", "https://plan.test/v1/")).toMatchObject({ prices: { input: 1 }, entry: { provider: "payg" } });
  expect(of("custom", "auto", "https://openrouter.ai/api/v1").entry).toMatchObject({ id: "openrouter/auto" });
});

test("[C15] a model on this machine is not looked up; a known provider behind a proxy here is", async () => {
  const here = "http://127.0.0.1:9/v1";
  const bare = { quirks: [] };
  const model = "claude-opus-4-5";
  expect(await describeModel({ provider: "custom", model, baseUrl: here })).toEqual({
    ...bare,
    provider: "custom",
    model,
  });
  expect(await describeModel({ provider: "ollama", model })).toEqual({
    ...bare,
    provider: "ollama",
    model,
    included: true,
  });
  expect(await describeModel({ provider: "anthropic", model, baseUrl: here })).toMatchObject({
    contextWindow: 200_000,
  });
});

test("[X4] the config wins: a price sets tiers aside, one of two is no price, a window bounds the reply", async () => {
  const query = { provider: "anthropic", model: "claude-opus-4-5" };
  const place = "config.yaml:3:1";
  const facts = await describeModel(query, {
    place,
    contextWindow: 9_000,
    images: false,
    api: CHAT,
    prices: { input: 1, cacheRead: 0 },
  });
  expect(facts).toMatchObject({ contextWindow: 9_000, maxOutput: 9_000, input: ["text"], dialect: CHAT });
  expect(facts.prices).toMatchObject({ input: 1, output: expect.any(Number), cacheRead: 0, source: place });
  expect(facts.prices).not.toHaveProperty("tiers");
  const own = { provider: "mine", model: "m" };
  expect(await describeModel(own, { place, prices: { input: 1 } })).not.toHaveProperty("prices");
  expect(await describeModel(own, { place, prices: { input: 1, output: 0 } })).toMatchObject({ prices: { output: 0 } });
  const local = { provider: "ollama", model: "m" };
  expect(await describeModel(local, { place, maxOutput: 10 })).toMatchObject({ included: true, maxOutput: 10 });
  expect(await describeModel(local, { place, prices: { input: 1, output: 1 } })).not.toHaveProperty("included");
});

test("[C16] every id of the shipped snapshot is found as itself, and in another case and spelling of its numbers", async () => {
  const snapshot = await loadSnapshot();
  for (const [provider, { models }] of Object.entries(snapshot.providers))
    for (const model of models.map(idIn)) {
      expect(describeIn(snapshot, { provider, model }).entry).toMatchObject({ id: model, match: "exact" });
      const other = model.toUpperCase().replace(/(?<=\d)\.(?=\d)/gu, "-");
      expect(describeIn(snapshot, { provider, model: other }).entry?.match, other).not.toBe("elsewhere");
    }
}, 60_000);

test("[C16] a plain id is plain: again it stays as it is, whatever was written", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const plain = plainId(`${text}/claude-opus-4.5`);
      expect(plain).toBe("claude-opus-4-5");
    }),
  );
});

test("[X4] property: whatever is asked for, facts come back, and no price of the snapshot is zero", async () => {
  const snapshot = await loadSnapshot();
  const ids = Object.values(snapshot.providers).flatMap(({ models }) => models.map(idIn));
  const names = fc.oneof(
    fc.constantFrom(...Object.keys(snapshot.providers)),
    fc.string(),
    fc.string({ unit: "binary" }),
  );
  const models = fc.oneof(fc.constantFrom(...ids), fc.string(), fc.string({ unit: "binary" }));
  const query = fc.record({ provider: names, model: models, baseUrl: fc.option(fc.webUrl(), { nil: undefined }) });
  fc.assert(
    fc.property(query, (asked) => {
      const { prices, provider, model, input, included } = describeIn(snapshot, asked);
      expect({ provider, model }).toEqual({ provider: asked.provider, model: asked.model });
      expect(input ?? ["text"]).toContain("text");
      expect(prices === undefined || included === undefined).toBe(true);
      const { asOf: _, source: __, tiers = [], ...rates } = prices ?? { asOf: "", source: "" };
      for (const row of [rates, ...tiers]) for (const rate of Object.values(row)) expect(rate).toBeGreaterThan(0);
    }),
    { numRuns: 500 },
  );
});
