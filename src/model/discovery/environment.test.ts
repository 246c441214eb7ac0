import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { HOSTED } from "./catalogue.ts";
import { defaultModel } from "./default-model.ts";
import { candidatesIn, parseDotEnv, readDotEnv } from "./environment.ts";
import { localAddress } from "./local-address.ts";

const preferOf = (id: string): readonly RegExp[] => HOSTED.find((entry) => entry.id === id)?.prefer ?? [];

test("[X2] the default model is the newest of the preferred family; a date only marks an edition", () => {
  const claude = ["claude-haiku-4-5", "claude-sonnet-4-20250514", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5"];
  expect(defaultModel(preferOf("anthropic"), claude)).toBe("claude-sonnet-4-5");
  expect(defaultModel(preferOf("openai"), ["gpt-4.1", "gpt-5", "gpt-5.10", "gpt-5.9", "gpt-5-mini", "o3"])).toBe(
    "gpt-5.10",
  );
  expect(defaultModel(preferOf("gemini"), ["models/gemini-2.5-pro", "models/gemini-2.5-flash"])).toBe(
    "models/gemini-2.5-flash",
  );
  expect(defaultModel(preferOf("openai"), ["whisper-1"])).toBeUndefined();
});

test("[X2] the catalogue: every name, every variable and every address once", () => {
  for (const values of [
    HOSTED.map(({ id }) => id),
    HOSTED.flatMap(({ keys }) => keys),
    // Keys that sign are a second way to the address of keys that are shown.
    HOSTED.filter(({ signing }) => signing === undefined).map(({ baseUrl }) => baseUrl),
  ])
    expect(new Set(values).size).toBe(values.length);
  expect(HOSTED.flatMap(({ keys }) => keys).length).toBeGreaterThanOrEqual(30);
  for (const { baseUrl } of HOSTED) expect(baseUrl).toMatch(/^(?:https:\/\/|\{)/u);
});

test("[X2] a variable that holds white space alone is not set", () => {
  expect(candidatesIn({ OPENAI_API_KEY: " ", GROQ_API_KEY: "k" }).map(({ entry }) => entry.id)).toEqual(["groq"]);
});

test("[X2] .env is read as shells write it, and nothing in it is expanded or runs", () => {
  const text = "A=1\n# B=2\nexport C=\"x y\" # note\nD='$(id)'\n  E = f # g\nF=\n=H\nG=$A";
  expect(parseDotEnv(text)).toEqual({ A: "1", C: "x y", D: "$(id)", E: "f", F: "", G: "$A" });
});

test("[X2] an address is on this machine or is none", () => {
  expect(localAddress("localhost", 11)).toEqual({ host: "127.0.0.1", port: 11 });
  expect(localAddress("[::1]:80", 11)).toEqual({ host: "::1", port: 80 });
  expect(localAddress("http://127.0.0.9", 11)).toEqual({ host: "127.0.0.9", port: 80 });
  for (const away of [
    "https://127.0.0.1",
    "box",
    "10.0.0.1:1",
    "127.0.0.1.example",
    "http://[::2]",
    "::1",
    "a:0",
    ":0",
  ])
    expect([away, localAddress(away, 11)]).toEqual([away, undefined]);
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webUrl(), fc.ipV4(), fc.ipV6()), (any) => {
      const host = localAddress(any, 11)?.host ?? "::1";
      expect(host === "::1" || /^127(\.\d+){3}$/u.test(host)).toBe(true);
    }),
  );
});

test("[X2] a .env without an end, or one too large to be one, is not read", () => {
  const folder = mkdtempSync(join(tmpdir(), "evander-env-"));
  try {
    const [small, large, endless] = ["small", "large", "endless"].map((name) => join(folder, name));
    writeFileSync(small ?? "", "A=1");
    writeFileSync(large ?? "", "A=1\n".repeat(300_000));
    symlinkSync("/dev/zero", endless ?? "");
    expect([small, large, endless].map((path) => readDotEnv(path ?? ""))).toEqual([{ A: "1" }, undefined, undefined]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
