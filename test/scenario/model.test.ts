import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeLocalServer, ollamaRoutes, type Route } from "../support/fake-local-server.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { say } from "../support/wire-script.ts";
import { Place, resultOf } from "./program.ts";

/** Looking around ends after 300 ms, which a machine that runs other tests may not keep. */
const HASTE = { retry: 4 };

const called: Route = {
  json: {
    choices: [{ message: { tool_calls: [{ id: "1" }] }, finish_reason: "tool_calls" }],
    usage: { prompt_tokens: 70, completion_tokens: 20, total_tokens: 90 },
  },
};
const refused: Route = { status: 401, json: { error: { message: "no such key" } } };
const list: Route = { json: { data: [{ id: "a" }, { id: "b" }] } };

test(
  "[X2] model list, test and use: what there is, whether it works, and what is taken from now on",
  HASTE,
  async () => {
    await using ollama = await fakeLocalServer({ ...ollamaRoutes({ q: {} }), "/v1/chat/completions": called });
    await using groq = await fakeLocalServer({ "/v1/models": list, "/v1/chat/completions": refused });
    const place = new Place();
    try {
      const env = {
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
        json: { error: { code: "key_rejected", next: [{ command: "export GROQ_API_KEY=YOUR_KEY" }] } },
      });
      expect(ollama.asked.filter((each) => each.startsWith("POST /v1"))).toEqual([]);
      expect(await run("model", "test", "--provider", "ollama")).toMatchObject({ code: 0, json: { tokens: 90 } });
      expect(await run("model", "test", "nope", "--provider", "ollama")).toMatchObject({ code: 78 });

      expect((await run("model", "use", "q", "--dry-run")).code).toBe(0);
      expect((await run("model", "use", "q")).code).toBe(0);
      expect((await run("config", "set", "provider", "ollama")).code).toBe(0);
      expect(readFileSync(join(place.home, "config.yaml"), "utf8")).toContain("model: q");
      expect(await run("model", "test")).toMatchObject({ code: 0, json: { provider: "ollama", chosen: true } });
      const text = await place.run(undefined, ["model", "test", "--lang", "zh"], { env });
      expect(text.stdout).toContain("支持工具");
    } finally {
      place.remove();
    }
  },
);

test("[C15][C8] what the config says of a model holds: a window too small ends the turn before anything is sent", async () => {
  await using provider = await fakeProvider([say("Fine.")]);
  const place = new Place();
  try {
    const ask = ["-p", "go", "--output", "json", "--config"];
    const small = await place.run(provider.baseUrl, [...ask, "models.custom/m.contextWindow=4200"]);
    expect(resultOf(small).exit).toMatchObject({ reason: "ollama_runtime_context_too_small", code: 24 });
    expect(provider.requests).toEqual([]);
    const large = await place.run(provider.baseUrl, [...ask, "models.custom/m.contextWindow=9000"]);
    expect(resultOf(large)).toMatchObject({ answer: "Fine." });
  } finally {
    place.remove();
  }
});
