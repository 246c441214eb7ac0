// Counts the texts of the token corpus again, by o200k itself, and writes what it found beside them: tests need no tokenizer.
import { writeFileSync } from "node:fs";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { corpusFile, readCorpus } from "../test/support/token-corpus.ts";

/** Words such as `<|endoftext|>` are text like any other. */
const PLAIN = { disallowedSpecial: new Set() };

for (const part of /** @type {const} */ (["tuned", "held-out"])) {
  const texts = readCorpus(part).map(({ id, kind, text }) => ({ id, kind, tokens: countTokens(text, PLAIN), text }));
  writeFileSync(corpusFile(part), texts.map((text) => `${JSON.stringify(text)}\n`).join(""));
  console.log(`${part}: ${texts.length} texts, ${texts.reduce((sum, { tokens }) => sum + tokens, 0)} tokens`);
}
