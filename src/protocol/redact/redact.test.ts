import fc from "fast-check";
import { expect, test } from "vitest";
import { ENCODINGS, SECRET_LINES, secretLine } from "../../../test/support/secret-kinds.ts";
import { KnownValues } from "./known.ts";
import { redact } from "./redact.ts";
import { RedactedStream } from "./stream.ts";

const KEY = [3, 4] as const;
const NONE = new KnownValues([], KEY);

const cutAt = (text: string, places: readonly number[]): string[] => {
  const cuts = [0, ...places.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b), text.length];
  return cuts.slice(1).map((end, at) => text.slice(cuts[at], end));
};

function passed(known: KnownValues, pieces: readonly string[]): string {
  const stream = new RedactedStream(known);
  return pieces.map((piece) => stream.pass(piece)).join("") + stream.end();
}

test("[security R21] every kind of secret is found by its looks, alone and in pieces, and what is around it stays", () => {
  for (const [at, line] of SECRET_LINES.entries()) {
    const { text, secret } = secretLine(line, at + 7);
    const [before = "", behind = ""] = text.split(secret);
    const shown = redact(`first\n${text}\nlast`, NONE);
    expect(shown, text).toMatch(/‹redacted:/u);
    expect(shown.startsWith(`first\n${before}`) && shown.endsWith(`${behind}\nlast`), shown).toBe(true);
    expect(shown, text).not.toContain(secret.slice(0, 8));
    expect(passed(NONE, Array.from(`first\n${text}\nlast`)), text).toBe(shown);
  }
});

test("[security R21] a known secret of every kind is found in every encoding, wherever a stream is cut", () => {
  fc.assert(
    fc.property(
      fc.nat(SECRET_LINES.length - 1),
      fc.nat(11),
      fc.nat(1e6),
      fc.array(fc.nat(), { maxLength: 4 }),
      (kind, how, seed, places) => {
        const { secret } = secretLine(SECRET_LINES[kind] ?? String, seed);
        const known = new KnownValues([secret], KEY);
        const text = `<${ENCODINGS[how]?.(secret) ?? ""}>`;
        const shown = passed(known, cutAt(text, places));
        expect(shown).toContain("‹redacted:");
        expect(shown.replaceAll(/‹[^›]*›/gu, "").length).toBeLessThan(16);
      },
    ),
    { numRuns: 600 },
  );
});

const WORDS = [
  "token",
  "=",
  ": ",
  '"',
  "sk-",
  "ghp_",
  "A1b2C3d4E5f6G7h8",
  "\n",
  " ",
  "://",
  "@",
  "password",
  "Bearer ",
  "eyJ",
  "-----BEGIN ",
  "é",
  "&",
  "‹redacted:key:0a1b›",
  "KEY=",
  "cookie: ",
  ";",
  "\u200B",
];

test("[security 3.13] what comes out comes out as it is when it is given again; marks are never masked", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...WORDS), { maxLength: 30 }), (words) => {
      const once = redact(words.join(""), NONE);
      expect(redact(once, NONE)).toBe(once);
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  "const token = getToken();",
  "const apiKey = process.env.API_KEY ?? '';",
  "  password: string;",
  "API_KEY=${API_KEY}",
  'export API_KEY="$API_KEY"',
  "password: <your password>",
  "secret: your-secret-here",
  "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
  "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  '"integrity": "sha512-TMcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="',
  "maxTokens: 4096, token: undefined",
  "PWD=/home/ada/work",
  "docker run -u 1000:1000 image",
  "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
  "risk-assessment, disk-management-of-2024-01, .sk-chase-dot",
  "Authorization: `Bearer ${token}`",
  "2026-11-29T20:24:45Z keys: 12, tokens: 3401",
])("[security 3.13] what is code, a blank or a name stays: %s", (text) => {
  expect(redact(text, NONE)).toBe(text);
});

test.each([
  "fal_",
  "fc-",
  "bb_live_",
  "gAAAA",
  "am_",
  "exa_",
  "syt_",
  "hsk-",
  "mem0_",
  "brv_",
  "sk_",
  "retaindb_",
  "SG.",
])("[LEAK-01] a key that begins with %s is found", (begin) => {
  const key = `${begin}abc123def456ghi789jkl`;
  expect(redact(`a ${key} b`, new KnownValues([], [1, 2]))).toMatch(/^a ‹redacted:key:[0-9a-f]{4}› b$/u);
});

test.each([
  ["user=bob&password=mysecret", "mysecret"],
  ["password=hunter2&user=bob", "hunter2"],
  ["X-Amz-Signature=FAKEamz123", "FAKEamz123"],
  ["https://hooks.slack.com/services/T000/B000/FAKEhook1", "T000/B000/FAKEhook1"],
  ["bot123456789:FAKEfghij-KLMNopqrst_UVWXyz12345", "FAKEfghij-KLMNopqrst_UVWXyz12345"],
  [`mfa.${"FAKE".repeat(20)}`, `mfa.${"FAKE".repeat(20)}`],
  [`SK${"fa".repeat(16)}`, `SK${"fa".repeat(16)}`],
])("[security 3.13] in %s the secret is masked, and no more", (text, secret) => {
  const [before = "", behind = ""] = text.split(secret);
  const shown = redact(text, NONE);
  expect(shown).toMatch(/‹redacted:/u);
  expect(shown.replace(/‹[^›]*›/u, "")).toBe(before + behind);
});

test("[security 3.13] a known value in an address that keeps its slashes is found", () => {
  expect(redact("q=p%40ss%20w/rd%2B77", new KnownValues(["p@ss w/rd+77"], KEY))).toMatch(/^q=‹[^›]*›$/u);
});

test("[LEAK-04] names that begin like keys stay", () => {
  const text = "am_international_settings fc-layerwithoutdigits sk_buff_head_init_class exa_scale mem0_init";
  expect(redact(text, new KnownValues([], [1, 2]))).toBe(text);
});
