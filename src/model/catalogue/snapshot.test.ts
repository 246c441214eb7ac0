import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { idIn, loadSnapshot, rowIn } from "./snapshot.ts";

const tokens = z.int().positive().max(20_000_000);
/** US dollars for a million tokens: the dearest model costs a few hundred. */
const price = z.number().min(0).max(2_000);
const rates = z.tuple([price.positive(), price.positive()]).rest(price);
const mode = z.enum(["chat_completions", "anthropic_messages", "bedrock_converse", "codex_responses", "gemini"]);
const level = z.enum(["off", "minimal", "low", "medium", "high", "xhigh", "max"]);
const place = z.int().min(0);
const priceRow = z.array(z.union([price, z.tuple([tokens]).rest(price)]));

const model = z.tuple([
  tokens,
  tokens,
  z.union([z.literal(0), z.literal(1)]),
  place,
  place,
  place,
  z.union([priceRow, z.literal("included"), z.null()]),
]);

const shape = z.strictObject({
  asOf: z.iso.date(),
  source: z.string().regex(/^@earendil-works\/pi-ai \d+\.\d+\.\d+$/u),
  thinking: z.array(z.partialRecord(level, z.string().min(1))),
  quirks: z.array(z.array(z.string().regex(/^[a-z-]+$/u))),
  providers: z.record(
    z.string().regex(/^[a-z0-9-]+$/u),
    z.strictObject({
      ways: z.array(z.tuple([mode, z.union([z.url(), z.literal(""), z.string().includes("{")])])).nonempty(),
      models: z.array(z.string().regex(/^\S+ \[.*\]$/u)).nonempty(),
    }),
  ),
});

test("[C16] the shipped snapshot of models is well-formed: types, counts, no price at or below zero where one is told", async () => {
  const { thinking, quirks, providers, source, asOf } = shape.parse(await loadSnapshot());
  expect(readFileSync("NOTICE", "utf8")).toContain(source);
  expect(readFileSync("NOTICE", "utf8")).toContain(asOf);
  const all = Object.values(providers).flatMap(({ ways, models }) =>
    models.map((line) => ({ ways, row: model.parse(rowIn(line)) })),
  );
  expect(Object.keys(providers).length).toBeGreaterThanOrEqual(35);
  expect(all.length).toBeGreaterThanOrEqual(1_500);
  expect(all.filter(({ row }) => Array.isArray(row[6])).length).toBeGreaterThan(all.length * 0.8);
  for (const { models } of Object.values(providers)) expect(new Set(models.map(idIn)).size).toBe(models.length);
  for (const { ways, row } of all) {
    const [contextWindow, maxOutput, , way, levels, set, cost] = row;
    expect(maxOutput).toBeLessThanOrEqual(contextWindow);
    expect([ways[way], thinking[levels], quirks[set]]).not.toContain(undefined);
    if (!Array.isArray(cost)) continue;
    const tiers = cost.filter((cell) => typeof cell !== "number");
    rates.parse(cost.filter((cell) => typeof cell === "number"));
    for (const [, ...tier] of tiers) rates.parse(tier);
    const bounds = tiers.map(([above]) => above);
    expect(bounds).toEqual([...new Set(bounds)].toSorted((a, b) => a - b));
  }
});

test("[C16] every hosted provider that is dear to many is in the snapshot", async () => {
  const { providers } = await loadSnapshot();
  for (const name of [
    "anthropic",
    "openai",
    "gemini",
    "bedrock",
    "azure",
    "openrouter",
    "vertex",
    "mistral",
    "deepseek",
  ])
    expect((providers[name]?.models ?? []).length, name).toBeGreaterThan(0);
});
