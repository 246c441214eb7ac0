import { expect, test } from "vitest";
import { agent } from "../../src/index.ts";
import { bedrockWire } from "./bedrock-wire.ts";
import { geminiWire } from "./gemini-wire.ts";
import { calls, replies, says, thinks } from "./script.ts";
import { fakeDialect } from "./wire.ts";

const ls = {
  name: "ls",
  description: "Lists a folder.",
  parameters: { type: "object", properties: { path: { type: "string" } } },
  effect: "pure",
  concurrency: "shared",
  run: (): string => `{"names":["b","a"]}`,
} as const;

test.each([
  ["gemini", geminiWire, "gemini-3-fake"],
  ["bedrock_converse", bedrockWire, "us.anthropic.claude-sonnet-4-5"],
] as const)(
  "[C2] [C3] turns with thoughts and calls are had in %s, for keys of either kind",
  async (api, wire, model) => {
    await using server = await fakeDialect(wire, [
      replies([thinks("Hm."), calls("ls", { path: "a" }), calls("ls", {}), calls("nowhere", {})]),
      says(["Hel", "lo"]),
      says("Again"),
    ]);
    const { baseUrl } = server;
    await using bot = agent({ baseUrl, model, api, apiKey: "AKIDFAKE:fake-secret", provider: "there", tools: [ls] });
    expect(await bot.run("hi")).toMatchObject({ answer: "Hello", exit: { reason: "text_response" } });
    expect(await bot.run("more")).toMatchObject({ answer: "Again", lastReasoning: null });
    expect(server.requests).toHaveLength(3);
  },
);
