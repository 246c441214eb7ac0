import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { lookAtConfig } from "./config.ts";
import { problemSentence } from "../words/config.ts";
import { KEYS } from "./keys.ts";
import { keepSecret } from "./secrets.ts";

const YAML = "{ } [ ] , - ? &a *a | > ' \" !!binary !x %TAG --- ... true ~ 0x1f .inf .nan 1e999 # <<".split(" ");
const GROUPS = ["stream", "retry", "guardrails", "providers", "openai", "models", "a/b.c", "prices", "locked"];
const STRANGE = ["\t", "\r\n", "\u0000", "\u001b[2J", "\ufeff", "\u2028", "sk-abcdefgh12345678"];
const KEY_NAMES = KEYS.map(({ name }) => name.split(".").at(-1) ?? "");
const PIECES = [...KEY_NAMES, ...GROUPS, ...YAML, ...STRANGE, ": ", ":\n", "\n", "  ", "- "];

/** Text that is nearly YAML, and bytes that are nothing. */
const file = fc.oneof(
  fc
    .array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...PIECES) }, fc.string({ maxLength: 5 })), {
      maxLength: 40,
    })
    .map((pieces) => Buffer.from(pieces.join(""))),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);

test("[X1] property: whatever a config file holds, nothing crashes, and each trouble is one sentence with its place", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "evander-fuzz-")));
  const path = join(folder, "config.yaml");
  const around = { env: { EVANDER_HOME: folder }, home: folder, platform: "linux", systemFolder: folder } as const;
  try {
    await fc.assert(
      fc.asyncProperty(file, async (bytes) => {
        writeFileSync(path, bytes);
        const reading = await lookAtConfig({ around, cwd: folder, attended: false });
        expect(reading.type).toBe("config");
        if (reading.type !== "config") return;
        for (const { place, problem } of reading.config.troubles) {
          const message = problemSentence(problem, place).en;
          expect(place.startsWith(path)).toBe(true);
          expect(message.startsWith(`${path}:`)).toBe(true);
          expect(message).toMatch(/^[^\n]*\.$/u);
          expect(message).not.toContain("sk-abcdefgh12345678");
        }
      }),
      { numRuns: 500 },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("[X1] a config that nests without end, refers without end or is no page is refused in a sentence", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "evander-fuzz-")));
  const around = { env: { EVANDER_HOME: folder }, home: folder, platform: "linux", systemFolder: "/nowhere" } as const;
  const told = async (text: string): Promise<string> => {
    writeFileSync(join(folder, "config.yaml"), text);
    const reading = await lookAtConfig({ around, cwd: folder, attended: false });
    return reading.type === "config"
      ? reading.config.troubles.map(({ problem, place }) => problemSentence(problem, place).en).join("|")
      : "";
  };
  try {
    for (const open of ["[", "{a: ", "- ", "? "])
      expect(await told(open.repeat(60_000))).toMatch(/config\.yaml:.*\.$/u);
    const laughs = ["a: &a [x, x, x, x, x, x, x, x, x]"];
    for (let code = 98; code < 118; code++) {
      const [before, name] = [String.fromCharCode(code - 1), String.fromCharCode(code)];
      laughs.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(", ")}]`);
    }
    expect(await told(laughs.join("\n"))).toContain("There is no setting");
    expect(await told("#".repeat(300_000))).toContain("larger than");
    expect(await told("model: &m *m\n")).toMatch(/config\.yaml:1:/u);
    rmSync(join(folder, "config.yaml"));
    mkdirSync(join(folder, "config.yaml"));
    keepSecret(folder, "x", "y");
    const reading = await lookAtConfig({ around, cwd: folder, attended: false });
    expect(JSON.stringify(reading)).toContain("no-file");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
