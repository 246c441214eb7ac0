import fc from "fast-check";
import { expect, test } from "vitest";
import { secretCleaner } from "./secrets.ts";

const secret = fc
  .string({ minLength: 8, maxLength: 60, unit: "grapheme-ascii" })
  .filter((text) => text.trim() === text && !text.includes("*"));

test("[X8] a known key is in no cleaned text, whatever stands around it and whichever keys begin like it", () => {
  fc.assert(
    fc.property(
      fc.array(secret, { minLength: 1, maxLength: 4 }),
      fc.array(fc.string(), { maxLength: 5 }),
      (keys, others) => {
        const [first = "", ...rest] = keys;
        const env = { OTHER_TOKEN: first, ...Object.fromEntries(rest.map((key, at) => [`X${at}_API_KEY`, key])) };
        const text = keys.flatMap((key, at) => [others[at] ?? "", key, `${key}!`]).join(" ");
        const clean = secretCleaner(env, keys.slice(0, 1))(text);
        for (const key of keys) expect(clean.includes(key)).toBe(false);
      },
    ),
  );
});

test("[X8] what is introduced or shaped like a secret is taken out; words and short values stay", () => {
  const clean = secretCleaner({ LOG_KEY: "none", MY_PASSWORD: "correct horse", HOME: "/home/somebody" }, [
    undefined,
    "",
  ]);
  const kept = "none of it in /home/somebody, exit 75: the model could not be reached";
  expect(clean(kept)).toBe(kept);
  const cleaned = (text: string): string => clean(text).replaceAll(/‹redacted:[a-z-]+:[0-9a-f]{4}›/gu, "***");
  expect(cleaned("it is correct horse")).toBe("it is ***");
  expect(cleaned("Authorization: Bearer abc")).toBe("Authorization: Bearer ***");
  expect(cleaned('{"api_key": "abc", "model": "m"}')).toBe('{"api_key": "***", "model": "m"}');
  expect(cleaned("https://host/v1?access_token=abc&x=1")).toBe("https://host/v1?access_token=***&x=1");
  expect(cleaned("http://me:word@host/v1")).toBe("http://me:***@host/v1");
  expect(cleaned("key ghp_0123456789abcdef refused")).toBe("key *** refused");
  expect(cleaned("a\n-----BEGIN PRIVATE KEY-----\nMIIB\n-----END")).toBe("a\n***-----END");
});
