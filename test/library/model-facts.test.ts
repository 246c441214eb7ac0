import { expect, test } from "vitest";
import { agent } from "../../src/index.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { reply, say } from "../support/wire-script.ts";

const cut = (text: string): ReturnType<typeof reply> => reply({ text, finish: "length" });

test("[C8] the limit that grows stays within what the model can give, where that is known of it", async () => {
  await using provider = await fakeProvider([cut("One,"), cut(" two,"), say(" three.")]);
  // Of a known provider, whatever the address: 16,384 tokens as the snapshot has it.
  await using bot = agent({ provider: "openai", model: "gpt-4o", baseUrl: provider.baseUrl, maxOutput: 10_000 });
  expect(await bot.run("count")).toMatchObject({ answer: "One, two, three." });
  expect(provider.requests.map(({ body }) => body["max_completion_tokens"] ?? body["max_tokens"])).toEqual([
    10_000, 16_384, 16_384,
  ]);
});
