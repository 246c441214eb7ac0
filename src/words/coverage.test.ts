import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const SRC = join(import.meta.dirname, "..");

const sources = (folder: string): string[] =>
  readdirSync(join(SRC, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => join(folder, name));

/** What a sentence for people is written into. */
const SENTENCE =
  /(?:\b(?:message|explain): |\bsay\(io\.std(?:err|out), |\.(?:tell|say)\()(?:"|`)(?=[A-Z][a-z']+ [a-z])/gu;

test("[J3] what the command line says to people stands in the catalogue, where both languages are", () => {
  const written = [...sources("cli"), ...sources("session")].flatMap((path) =>
    readFileSync(join(SRC, path), "utf8")
      .split("\n")
      .filter((line) => line.match(SENTENCE))
      .map((line) => `${path}: ${line.trim()}`),
  );
  expect(written.filter((line) => !ENGLISH.some((known) => line.startsWith(known)))).toEqual([]);
});

/** For developers, who read it in the language of the code. */
const ENGLISH: readonly string[] = ["session/run-spec.ts: "];

test("[J3] every word of the catalogue is there in both languages, and the Chinese one is Chinese", () => {
  const missing: string[] = [];
  let pairs = 0;
  for (const path of sources("words")) {
    const text = readFileSync(join(SRC, path), "utf8");
    for (const [, en = "", zh = ""] of text.matchAll(
      /\ben: ["`]((?:[^"`\\]|\\.)*)["`],?\s+zh: ["`]((?:[^"`\\]|\\.)*)["`]/gu,
    )) {
      pairs += 1;
      const speaks = /[a-z]{3,} [a-z]{2,}/u.test(en.replaceAll(/\$\{[^}]*\}/gu, ""));
      if (zh === "" ? en !== "" : speaks && !/\p{Script=Han}/u.test(zh)) missing.push(`${path}: ${en}`);
    }
  }
  expect(pairs).toBeGreaterThan(250);
  expect(missing).toEqual([]);
});
