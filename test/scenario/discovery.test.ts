import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { trustFolder } from "../../src/config/trust.ts";
import { fakeLocalServer, ollamaRoutes, type Route } from "../support/fake-local-server.ts";
import { PATIENT, Place, resultOf } from "./program.ts";

const frame = (delta: object, finish: string | null): string =>
  `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

const answer: Route = {
  text: `${frame({ role: "assistant", content: "Hello from here." }, null)}${frame({}, "stop")}data: [DONE]\n\n`,
  headers: { "content-type": "text/event-stream" },
};
const refusal: Route = { status: 401, json: { error: { message: "Incorrect API key provided: sk-secret-1" } } };
const ASK = ["-p", "hi", "--output", "json"];

async function inPlace<T>(use: (place: Place) => Promise<T>): Promise<T> {
  const place = new Place();
  try {
    return await use(place);
  } finally {
    place.remove();
  }
}

test("[X2] a server on this machine answers without any setting, and the result says where it was found", async () => {
  await using server = await fakeLocalServer({ ...ollamaRoutes({ "qwen3:8b": {} }), "/v1/chat/completions": answer });
  await inPlace(async (place) => {
    const env = { ...PATIENT, EVANDER_LOCAL_SERVERS: undefined, OLLAMA_HOST: `localhost:${server.port}` };
    const ended = await place.run(undefined, ASK, { env });
    expect(resultOf(ended)).toMatchObject({
      ok: true,
      answer: "Hello from here.",
      provider: "ollama",
      model: "qwen3:8b",
      providerSource: `found on :${server.port}`,
    });
  });
});

test("[X2] offline: a key leads nowhere, and the run ends as one that may work later", async () => {
  await inPlace(async (place) => {
    const ended = await place.run(undefined, ASK, {
      env: { EVANDER_OFFLINE: "1", OPENAI_API_KEY: "k", OPENAI_MODEL: "m" },
    });
    expect(ended.code).toBe(75);
    expect(resultOf(ended).error).toMatchObject({ code: "offline" });
  });
});

test("[X2] a key that is refused, when models are listed or in the turn, ends with 77 and the provider's own words", async () => {
  await using server = await fakeLocalServer({ "/v1/models": refusal, "/v1/chat/completions": refusal });
  await inPlace(async (place) => {
    const env = { OPENAI_API_KEY: "sk-secret-1", OPENAI_BASE_URL: `http://127.0.0.1:${server.port}/v1` };
    for (const more of [{}, { OPENAI_MODEL: "m" }]) {
      const ended = await place.run(undefined, ASK, { env: { ...env, ...more } });
      expect(ended.code).toBe(77);
      const { error } = resultOf(ended);
      expect(error?.message).toContain("OPENAI_API_KEY");
      expect(error?.message).toContain("Incorrect API key provided");
      expect(error?.next).toContainEqual(expect.objectContaining({ command: "export OPENAI_API_KEY=YOUR_KEY" }));
      expect(`${ended.stdout}${ended.stderr}`).not.toContain("sk-secret-1");
    }
  });
});

test("[C15] a model that takes no tools is given none and says so; the run goes on", async () => {
  const bodies: { readonly tools?: unknown }[] = [];
  const route: Route = (body) => {
    bodies.push(body);
    return answer;
  };
  const models = { plain: { capabilities: ["completion"] } };
  await using server = await fakeLocalServer({ ...ollamaRoutes(models), "/v1/chat/completions": route });
  await inPlace(async (place) => {
    const env = { ...PATIENT, EVANDER_LOCAL_SERVERS: `ollama=127.0.0.1:${server.port}` };
    const ended = await place.run(undefined, ["-p", "hi", "--output", "jsonl"], { env });
    expect(ended.code).toBe(0);
    const [warning, ...events] = ended.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string });
    expect(warning).toMatchObject({ type: "warning", code: "tools_reduced", seq: 0 });
    expect(events.at(-1)).toMatchObject({ type: "result", ok: true });
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).not.toHaveProperty("tools");
    const chinese = await place.run(undefined, ["-p", "hi", "--lang", "zh"], { env });
    expect(chinese.stderr).toContain("不支持工具");
  });
});

test("[C15] where not even a message fits the loaded window, nothing is sent and the end says how to load more", async () => {
  await using server = await fakeLocalServer(ollamaRoutes({ tiny: { loaded: 4_096 } }));
  await inPlace(async (place) => {
    const env = { ...PATIENT, EVANDER_LOCAL_SERVERS: `ollama=127.0.0.1:${server.port}` };
    const ended = await place.run(undefined, ASK, { env });
    expect(ended.code).toBe(24);
    const { exit, error } = resultOf(ended);
    expect(exit).toMatchObject({ reason: "ollama_runtime_context_too_small", detail: { window: 4_096 } });
    expect(error?.next[0]?.command).toContain("OLLAMA_CONTEXT_LENGTH");
    expect(server.asked.filter((each) => each.includes("completions"))).toEqual([]);
  });
});

test("[X2] of several keys the first is asked; where it is refused the next one is offered", async () => {
  await using server = await fakeLocalServer({ "/v1/chat/completions": refusal });
  await inPlace(async (place) => {
    const env = { GROQ_API_KEY: "k", GROQ_BASE_URL: `http://127.0.0.1:${server.port}/v1`, NEBIUS_API_KEY: "n" };
    const ended = await place.run(undefined, [...ASK, "--model", "m"], { env });
    expect(ended.code).toBe(77);
    const { error, provider, providerSource } = resultOf(ended);
    expect({ provider, providerSource }).toEqual({ provider: "groq", providerSource: "GROQ_API_KEY" });
    expect(error?.next.at(-1)?.command).toBe("evander --provider nebius");
  });
});

test("[X2] a project's .env is used when its folder is trusted, and not opened before", async () => {
  await using server = await fakeLocalServer({ "/v1/chat/completions": answer });
  await inPlace(async (place) => {
    writeFileSync(join(place.work, ".env"), `GROQ_API_KEY=k\nGROQ_BASE_URL=http://127.0.0.1:${server.port}/v1\n`);
    const ask = [...ASK, "--model", "m"];
    expect(resultOf(await place.run(undefined, ask)).error).toMatchObject({ code: "no_provider" });
    trustFolder(place.home, place.work);
    expect(resultOf(await place.run(undefined, ask))).toMatchObject({
      ok: true,
      providerSource: "GROQ_API_KEY in .env",
    });
  });
});

test("[J3] what a person reads about a missing model is in their language, next steps included", async () => {
  await inPlace(async (place) => {
    const { error } = resultOf(await place.run(undefined, [...ASK, "--lang", "zh"]));
    expect(error?.message).toContain("没有找到模型服务商");
    for (const { text } of error?.next ?? []) expect(text).toMatch(/\p{Script=Han}/u);
    const table = await place.run(undefined, ["doctor", "providers", "--lang", "zh"], { env: { AWS_PROFILE: "x" } });
    expect(table.stdout).toContain("尚不支持");
  });
});
