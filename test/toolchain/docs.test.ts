import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { glob, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

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

test("[X2] the commands of the documents that need no server do what they say", async () => {
  const commands = [...(await documents()).values()]
    .flatMap((text) => blocks(text, "sh"))
    .flatMap((block) => block.split("\n"))
    .filter((line) => line.startsWith("npm run -s start -- ") && line.includes("--model practice"));
  expect(commands.length).toBeGreaterThan(1);
  const home = await mkdtemp(join(tmpdir(), "evander-docs-"));
  try {
    for (const command of commands) {
      const line = command.replace("npm run -s start --", '"$NODE" bin/evander.cjs');
      const env = { PATH: process.env["PATH"], EVANDER_HOME: home, NODE: process.execPath };
      const { stdout } = await run("sh", ["-c", line], { cwd: root, env });
      expect(JSON.parse(stdout)).toMatchObject({ ok: true });
    }
  } finally {
    await rm(home, { recursive: true });
  }
});

test("[X8] the commands of the guide to the config work, one after the other", async () => {
  const text = (await documents()).get("docs/configuration.md") ?? "";
  const commands = blocks(text, "sh").flatMap((block) => block.split("\n").filter((line) => line !== ""));
  expect(commands.length).toBeGreaterThan(10);
  const folder = await mkdtemp(join(tmpdir(), "evander-docs-"));
  const env = {
    PATH: process.env["PATH"],
    EVANDER_HOME: join(folder, "home"),
    NODE: process.execPath,
    PROGRAM: join(root, "bin/evander.cjs"),
    MY_KEY: "not-a-real-key",
  };
  try {
    for (const command of commands) {
      expect(command).toContain("npm run -s start -- ");
      const line = command.replace("npm run -s start --", '"$NODE" "$PROGRAM"');
      const { stdout, stderr } = await run("sh", ["-c", line], { cwd: folder, env });
      expect(`${stdout}${stderr}`, command).not.toContain("not-a-real-key");
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("[X8] the commands of the guide to scripts work, one after the other", async () => {
  const text = (await documents()).get("docs/scripting.md") ?? "";
  const script = blocks(text, "sh").join("\n");
  expect(script.match(/^evander /gmu)?.length).toBeGreaterThan(25);
  const folder = await mkdtemp(join(tmpdir(), "evander-docs-"));
  const env = {
    PATH: process.env["PATH"],
    EVANDER_HOME: join(folder, "home"),
    HOME: folder,
    NODE: process.execPath,
    PROGRAM: join(root, "bin/evander.cjs"),
  };
  try {
    await mkdir(join(folder, "work"));
    const whole = `set -eux\nevander() { "$NODE" "$PROGRAM" "$@"; }\nexec < /dev/null\n${script}`;
    const { stdout } = await run("sh", ["-c", whole], { cwd: join(folder, "work"), env });
    expect(stdout).toContain("2 lines");
  } finally {
    await rm(folder, { recursive: true });
  }
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
      paths: { evander: [join(root, "src/index.ts")] },
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
