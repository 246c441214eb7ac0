import { expect, test } from "vitest";
import { fakeLocalServer, ollamaRoutes, type Route } from "../support/fake-local-server.ts";
import { Place, resultOf } from "./program.ts";

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

test.concurrent("[X2] a server on this machine answers without any setting, and the result says where it was found", async () => {
  await using server = await fakeLocalServer({ ...ollamaRoutes({ "qwen3:8b": {} }), "/v1/chat/completions": answer });
  await inPlace(async (place) => {
    const env = { EVANDER_LOCAL_SERVERS: undefined, OLLAMA_HOST: `localhost:${server.port}` };
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

test.concurrent("[X2] offline: a key leads nowhere, and the run ends as one that may work later", async () => {
  await inPlace(async (place) => {
    const ended = await place.run(undefined, ASK, {
      env: { EVANDER_OFFLINE: "1", OPENAI_API_KEY: "k", OPENAI_MODEL: "m" },
    });
    expect(ended.code).toBe(75);
    expect(resultOf(ended).error).toMatchObject({ code: "offline" });
  });
});

test.concurrent("[X2] a key that is refused, when models are listed or in the turn, ends with 77 and the provider's own words", async () => {
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
