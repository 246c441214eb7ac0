import { expect, test } from "vitest";
import { bench } from "../support/agent-in-folder.ts";
import { FakeProvider, type Script } from "../support/fake-provider.ts";
import { refuse, say } from "../support/wire-script.ts";

const SLOW = { retry: { baseMs: 1, maxMs: 1, maxWaitMs: 1_000 } } as const;

const server = (...steps: readonly Script[]): Promise<FakeProvider> => new FakeProvider(steps).listen();

/** A model of the chain, at a server of its own. */
const at = ({ baseUrl }: FakeProvider, provider: string, model = "fake-2") => ({ provider, model, baseUrl });

test("[D9] [D11] a rate limit goes on with the next model at once, and the result names who answered", async () => {
  await using world = await bench(refuse(429, { error: { message: "slow down" } }));
  await using second = await server(say("from the second"));
  const bot = world.agent({ ...SLOW, fallback: [at(second, "second")] });
  const result = await bot.run("go", { sessionId: "s" });
  expect(result).toMatchObject({
    ok: true,
    answer: "from the second",
    provider: "second",
    model: "fake-2",
    attempts: 2,
    retries: 0,
  });
  expect(world.facts()).toContainEqual({
    type: "model-switched",
    provider: "second",
    model: "fake-2",
    because: "rate_limit",
  });
  expect(second.requests[0]?.body).toMatchObject({
    model: "fake-2",
    messages: [{ role: "system" }, { content: "go" }],
  });
});
