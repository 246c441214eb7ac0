import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const FILES: Readonly<Record<string, string>> = {
  "README.md": "# Project\n\nA small project. License: MIT\n",
  "notes with space.md": "notes\n",
  "package.json":
    '{\n  "name": "project",\n  "version": "1.0.0",\n  "scripts": { "test": "node --test", "lint": "oxlint" },\n  "dependencies": {}\n}\n',
  "tsconfig.json": '{ "compilerOptions": { "strict": true } }\n',
  Makefile: "# comment\nall:\n\techo all\n",
  ".gitignore": "node_modules\n",
  "src/index.ts": 'import { util } from "./util.ts";\n// TODO: main\nexport function main() { return util(); }\n',
  "src/util.ts": "export function util() { return 1; }\n",
  "src/lib/parse.ts": "export function parse(text: string) { return text; }\n",
  "test/index.test.ts": "// TODO\n",
  "docs/guide.md": "# Guide\n",
  "docs/config.yaml": "name: project\n",
  "docs/feed.xml": "<feed/>\n",
  "data/list.csv": "a,1\nb,2\nc,3\n",
  "data/log.txt": "INFO start\nERROR one\nERROR two\n",
  "node_modules/left/index.js": "module.exports = 1;\n",
};

/** A small TypeScript project that is a clean git repository with a few commits, as everyday commands find one. */
export function everydayProject(folder: string): void {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const git = (...args: string[]): void => {
    execFileSync("git", args, {
      cwd: folder,
      stdio: "ignore",
      env: { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_NOSYSTEM: "1" },
    });
  };
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@host.test");
  git("remote", "add", "origin", "https://host.test/project.git");
  git("add", "-A");
  for (const message of ["Begin", "Go on", "End"]) git("commit", "-q", "--allow-empty", "-m", message);
}

/** The commands of the fixture, written before the policy. */
export const everydayCommands = (): string[] =>
  readFileSync(join(import.meta.dirname, "..", "fixtures", "everyday-commands.txt"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("# "));
