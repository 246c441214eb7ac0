import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { glob, mkdir, mkdtemp, mkdtempDisposable, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { EXIT_CODES } from "../../src/protocol/exit.ts";
import { CODE_WORDS } from "../../src/words/codes.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

async function documents(): Promise<Map<string, string>> {
  const paths = await Array.fromAsync(glob(["*.md", "docs/**/*.md"], { cwd: root }));
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(root, path), "utf8")] as const)),
  );
}

const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gmsu"))].map(([, body = ""]) => body);

test("[X1] every link between the documents leads somewhere", async () => {
  const broken: string[] = [];
  for (const [path, text] of await documents())
    for (const [, target = ""] of text.matchAll(/\]\(([^)#]+?)(?:#[^)]*)?\)/gu))
      if (!/^https?:/u.test(target) && !existsSync(join(root, dirname(path), target)))
        broken.push(`${path}: ${target}`);
  expect(broken).toEqual([]);
});

/** Commands that nobody can answer in a test, and what is set for a server that is not there: not run, but listed here. */
const NOT_RUN: Readonly<Record<string, readonly string[]>> = {
  "README.md": [
    "npm start     # sets itself up, then opens a conversation in this folder",
    "npm test      # sets itself up, then runs every check and test; no key, loopback only",
    "export OPENAI_BASE_URL=http://127.0.0.1:9000/v1    # any server that speaks chat completions",
    "export OPENAI_API_KEY=…                            # only needed off this machine",
    "npm start -- --model qwen3-coder                   # else OPENAI_MODEL, else the server's only model",
  ],
  "docs/command-line.md": ["npm start"],
  "docs/first-hour.md": ["evander", "export OPENAI_API_KEY=YOUR_KEY", "evander auth login openai"],
};

/** In a checkout the program is started through npm. */
const PRELUDE = `set -eux
evander() { "$NODE" "$PROGRAM" "$@"; }
npm() { while [ "$1" != start ]; do shift; done; shift; [ "\${1-}" = -- ] && shift; evander "$@"; }
exec < /dev/null
`;

const shellLines = (text: string): string[] => blocks(text, "sh").flatMap((block) => block.trimEnd().split("\n"));

/** The commands of each document that has any, as one script. */
const scripts = [...(await documents())].flatMap(([path, text]): [string, string][] => {
  const lines = shellLines(text).filter((line) => NOT_RUN[path]?.includes(line) !== true);
  return lines.length === 0 ? [] : [[path, lines.join("\n")]];
});

test("[X1] the documents show commands, and what is named as not run is there", async () => {
  const texts = await documents();
  const gone = Object.entries(NOT_RUN).flatMap(([path, lines]) =>
    lines.filter((line) => !shellLines(texts.get(path) ?? "").includes(line)),
  );
  expect(gone).toEqual([]);
  const all = scripts.map(([, script]) => script).join("\n");
  expect(all.match(/\b(?:evander|npm run -s start|npm start)\b/gu)?.length).toBeGreaterThan(80);
});

test.concurrent.for(scripts)(
  "[X1][X2][X8] the commands of %s work, one after the other, with the practice model",
  { timeout: 300_000 },
  async ([, script], { expect }) => {
    await using scratch = await mkdtempDisposable(join(tmpdir(), "evander-docs-"));
    const env = {
      PATH: process.env["PATH"],
      EVANDER_HOME: join(scratch.path, "home"),
      EVANDER_LOCAL_SERVERS: "off",
      EVANDER_SANDBOX_MODE: "off",
      HOME: scratch.path,
      NODE: process.execPath,
      PROGRAM: join(root, "bin/evander.cjs"),
      MY_KEY: "not-a-real-key",
    };
    await mkdir(join(scratch.path, "work"));
    const ended = run("bash", ["-c", `${PRELUDE}${script}`], {
      cwd: join(scratch.path, "work"),
      env,
      timeout: 240_000,
    });
    const { stdout } = await ended.catch((error: { stderr: string }) => {
      throw new Error(error.stderr.slice(-2_000));
    });
    expect(stdout).not.toContain("not-a-real-key");
  },
);

test("[J1] troubleshooting has every exit code, under what it means, with its reasons' words and a command", async () => {
  const text = (await documents()).get("docs/troubleshooting.md") ?? "";
  const titles = [...text.matchAll(/^## (\d.*)$/gmu)].map(([, title]) => title);
  expect(titles).toEqual(EXIT_CODES.map((code) => `${code}: ${CODE_WORDS[code].en}`));
  const bare = text.split(/^## /mu).filter((part) => /^\d/u.test(part) && blocks(part, "sh").length === 0);
  expect(bare.map((part) => part.split(":", 1)[0])).toEqual(["0", "81"]);
});

test("[J7] the TypeScript of the documents compiles against the library", async () => {
  const samples = [...(await documents()).values()].flatMap((text) => blocks(text, "ts"));
  expect(samples.length).toBeGreaterThan(1);
  const folder = await mkdtemp(join(tmpdir(), "evander-samples-"));
  try {
    await mkdir(join(folder, "samples"));
    await Promise.all(samples.map((text, index) => writeFile(join(folder, "samples", `${index}.ts`), text)));
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    const compilerOptions = {
      paths: {
        evander: [join(root, "src/index.ts")],
        "evander/testing": [join(root, "src/testing.ts")],
        zod: [join(root, "node_modules/zod/index.d.ts")],
      },
      typeRoots: [join(root, "node_modules/@types")],
      noUnusedLocals: false,
      isolatedDeclarations: false,
    };
    const config = { extends: join(root, "tsconfig.json"), compilerOptions, include: ["samples"] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    const found = await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder]).then(
      () => "",
      (error: { stdout: string }) => error.stdout,
    );
    expect(found).toBe("");
  } finally {
    await rm(folder, { recursive: true });
  }
});
