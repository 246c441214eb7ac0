import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ProviderRow } from "../../src/protocol/provider.ts";
import { anthropicWire } from "../dialects/anthropic-wire.ts";
import { calls, replies, says, thinks } from "../dialects/script.ts";
import { fakeDialect } from "../dialects/wire.ts";
import { Place, resultOf } from "./program.ts";

test("[C2] [X2] a key for Anthropic leads to its own API: its list, a tiny request, and a turn with a call", async () => {
  const models = ["claude-opus-4-7", "claude-sonnet-4-6"];
  await using server = await fakeDialect(
    anthropicWire,
    [
      replies([calls("ready", {})], { usage: { input: 70, output: 20 } }),
      replies([thinks("Where?"), { type: "text", text: "I look." }, calls("read_file", { path: "note.txt" })]),
      says("It says hello."),
    ],
    { models, apiKey: "sk-ant-api03-secret" },
  );
  const place = new Place();
  try {
    const env = { ANTHROPIC_API_KEY: "sk-ant-api03-secret", ANTHROPIC_BASE_URL: server.baseUrl };
    writeFileSync(join(place.work, "note.txt"), "hello");
    const listed = await place.run(undefined, ["model", "list", "--json"], { env });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ provider: "anthropic", id: models[0] }, { id: models[1] }, {}]);
    const asked = await place.run(undefined, ["doctor", "providers", "--ask", "--json"], { env });
    const rows = JSON.parse(asked.stdout) as ProviderRow[];
    expect(rows[0]).toMatchObject({ provider: "anthropic", state: "ready", tokens: 90, models: [{ tools: true }] });
    const args = ["-p", "What does note.txt say?", "--output", "json", "--effort", "low"];
    const ended = await place.run(undefined, args, { env });
    expect(resultOf(ended)).toMatchObject({ answer: "It says hello.", exit: { reason: "text_response" } });
    expect(`${listed.stdout}${asked.stdout}${ended.stdout}${ended.stderr}`).not.toContain("secret");
    const [, , last] = server.requests;
    expect(last?.body).toMatchObject({
      model: "claude-sonnet-4-6",
      thinking: { type: "adaptive" },
      output_config: { effort: "low" },
      messages: [
        { role: "user" },
        { role: "assistant", content: [{ type: "thinking" }, { type: "text" }, { type: "tool_use" }] },
        { role: "user", content: [{ type: "tool_result", content: expect.stringContaining("hello") as string }] },
      ],
    });
  } finally {
    place.remove();
  }
});
