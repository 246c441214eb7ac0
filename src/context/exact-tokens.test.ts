import { expect, test } from "vitest";
import { readCorpus } from "../../test/support/token-corpus.ts";
import { textTokens } from "../protocol/token-estimate.ts";
import { exactTokens } from "./exact-tokens.ts";

test.each(["gpt-4o", "openai/gpt-5.4-mini", "o3", "o4-mini", "gpt-oss-120b", "chatgpt-4o-latest"])(
  "[A10] [X9] %s is counted with its tokenizer",
  async (model) => {
    expect((await exactTokens(model, () => 0))?.("The ferry left an hour late.")).toBe(7);
  },
);

test.each(["gpt-4-turbo", "claude-opus-5", "gemini-3-pro", "qwen3-32b", "practice", ""])(
  "[A10] no tokenizer of %j is known",
  async (model) => {
    expect(await exactTokens(model)).toBeUndefined();
  },
);

test("[A10] long texts are counted in pieces, which is the same but for two tokens in a thousand", async () => {
  const count = await exactTokens("gpt-4o", () => 0);
  const [longest] = readCorpus("tuned").toSorted((one, other) => other.text.length - one.text.length);
  const { text, tokens } = longest ?? { text: "", tokens: 0 };
  expect(text.length).toBeGreaterThan(10_000);
  expect(Math.abs((count?.(text) ?? 0) / tokens - 1)).toBeLessThan(0.002);
});

test("[A10] what stands for the end of a text is text like any other", async () => {
  expect((await exactTokens("gpt-4o", () => 0))?.("<|endoftext|>")).toBeGreaterThan(1);
});

test("[A10] beyond 200,000 characters, or a second, tokens are estimated: nobody waits for a word without an end", async () => {
  let now = 0;
  const count = await exactTokens("gpt-4o", () => (now += 100));
  const endless = "a".repeat(3_000_000);
  const tokens = count?.(endless) ?? 0;
  expect(tokens).toBeGreaterThan(endless.length / 16);
  expect(tokens).toBeLessThan(endless.length);
  expect(count?.("some more")).toBe(textTokens("some more"));
});
