import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { problemSentence } from "../words/config.ts";
import { lookAtConfig } from "./config.ts";
import type { Settings } from "./settings.ts";

interface Looked {
  readonly settings: Settings;
  readonly told: string;
}

/** What a config of these lines says, with these `--config` pairs. */
async function look(lines: readonly string[], pairs: readonly string[] = []): Promise<Looked> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "evander-models-")));
  try {
    writeFileSync(join(folder, "config.yaml"), lines.join("\n"));
    const around = {
      env: { EVANDER_HOME: folder },
      home: folder,
      platform: "linux",
      systemFolder: "/nowhere",
    } as const;
    const reading = await lookAtConfig({ around, cwd: folder, attended: false, pairs });
    if (reading.type !== "config") throw new Error(reading.type);
    const { settings, troubles } = reading.config;
    return { settings, told: troubles.map(({ problem, place }) => problemSentence(problem, place).en).join("|") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("[C15][X4] models are described by provider and id, whatever dots, slashes and colons an id holds", async () => {
  const ids = ["openai/gpt-5.2", "openrouter/maker/m-1.5:free", "bedrock/us.maker.model-v1:0", "ollama/qwen3:8b"];
  const lines = ids.flatMap((id) => [
    `  ${id}:`,
    "    contextWindow: 9000",
    "    prices: { input: 0.5, cacheWrite5m: 0 }",
  ]);
  const { settings, told } = await look(["models:", ...lines]);
  expect(told).toBe("");
  expect(settings.models.map(({ place, ...model }) => [place.replace(/^.*yaml:/u, ""), model])).toEqual(
    ids.map((name, at) => [`${3 * at + 3}:5`, { name, contextWindow: 9_000, prices: { input: 0.5, cacheWrite5m: 0 } }]),
  );
  const pairs = ids.map((id) => `models.${id}.images=on`);
  expect((await look([], pairs)).settings.models.map(({ name, images }) => [name, images])).toEqual(
    ids.map((id) => [id, true]),
  );
});

test("[X1][X4] a price is a number of dollars, and what is wrong about a model is said with its name", async () => {
  for (const value of ["-1", "free", "1e400", "1e308", "1000001", ""])
    expect((await look([], [`models.a/b.prices.input=${value}`])).told).toContain(
      "models.a/b.prices.input must be US dollars for a million tokens, from 0 to 1000000",
    );
  for (const [text, input] of [
    ["2.5e-7", 2.5e-7],
    ["1E2", 100],
    ["1e6", 1e6],
    ["0", 0],
  ] as const)
    expect((await look([], [`models.a/b.prices.input=${text}`])).settings.models[0]?.prices).toEqual({ input });
  expect((await look([], ["models.openai/gpt-5.2.contextwindow=1"])).told).toContain(
    "models.openai/gpt-5.2.contextWindow was meant",
  );
  expect((await look(["models:", "  openai/gpt-5.2: 5"])).told).toContain("models.openai/gpt-5.2 is a group");
});
