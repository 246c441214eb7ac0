import { execFile } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { ProviderRow } from "../../src/protocol/provider.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { remember } from "../support/notes-world.ts";
import { ProgramWorld } from "../support/program.ts";
import { say } from "../support/wire-script.ts";

const run = promisify(execFile);

const WORDS = String.raw`
_complete() {
  COMP_LINE="$*"
  COMP_WORDS=()
  local word
  for word in "$@"; do COMP_WORDS+=("$word"); done
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _evander 2>&1
  (( \${#COMPREPLY[@]} )) && printf '%s\n' "\${COMPREPLY[@]}"
  echo ---
}
`.replaceAll(String.raw`\$`, "$");

const ollama = (...models: readonly string[]): ProviderRow => ({
  provider: "ollama",
  name: "Ollama",
  state: "ready",
  source: "found on :11434",
  keyFingerprint: null,
  baseUrl: null,
  models: models.map((id) => ({ id, contextWindow: null, longestContext: null, tools: null })),
  problem: null,
  trouble: null,
  next: [],
  chosen: true,
  tokens: null,
});

/** What bash offers for the last of these words, each list in the order offered. */
async function offered(world: ProgramWorld, ...lines: readonly (readonly string[])[]): Promise<string[][]> {
  const { stdout: script } = await world.run(["completion", "bash"]);
  const names = (kind: string): Promise<string> => world.run(["__complete", kind]).then(({ stdout }) => stdout);
  const bin = join(world.folder, "bin");
  await mkdir(bin, { recursive: true });
  const kinds = [
    "sessions",
    "turns",
    "models",
    "keys",
    "topics",
    "skills",
    "tools",
    "approvals",
    "profiles",
    "providers",
    "notes",
    "versions",
  ];
  for (const kind of kinds) await writeFile(join(bin, kind), await names(kind));
  const program = join(bin, "evander");
  await writeFile(program, `#!/bin/sh\n[ "$1" = __complete ] && cat "${bin}/$2"\n`);
  await chmod(program, 0o700);
  const quoted = lines.map((line) => line.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" "));
  const text = [script, WORDS, ...quoted.map((line) => `_complete ${line}`)].join("\n");
  const file = join(world.folder, "try.bash");
  await writeFile(file, text);
  const { stdout, stderr } = await run("bash", ["--norc", file], {
    env: { PATH: `${bin}:${process.env["PATH"]}` },
    timeout: 20_000,
  });
  expect(stderr).toBe("");
  return stdout
    .split("---\n")
    .slice(0, -1)
    .map((list) => list.split("\n").filter((word) => word !== ""));
}

test("[X8] bash completes commands, options and their values from the commands as they are", async () => {
  await using world = await ProgramWorld.open({ type: "practice" });
  const lines = await offered(
    world,
    ["evander", "ses"],
    ["evander", "session", "l"],
    ["evander", "--output", ""],
    ["evander", "session", "list", "--output", "="],
    ["evander", "session", "list", "--output", "=", "j"],
    ["evander", "--profile", "session", "logs", "--lev"],
    ["evander", "config", "get", "stream.i"],
    ["evander", "docs", "exit"],
    ["evander", "completion", ""],
    ["evander", "session", "resume", "--idempotency-key", "x"],
    ["evander", "tool", "show", "read_"],
  );
  expect(lines).toEqual([
    ["session"],
    ["list"],
    ["text", "json", "jsonl"],
    ["text", "json"],
    ["json"],
    ["--level"],
    ["stream.idleMs"],
    ["exit-codes"],
    ["bash", "zsh", "fish"],
    [],
    ["read_file"],
  ]);
  const [all = []] = await offered(world, ["evander", ""]);
  const { stdout: help } = await world.run(["--help"]);
  const [, commands = ""] = /^Commands:\n((?: .*\n)+)/mu.exec(help) ?? [];
  const named = [...commands.matchAll(/^ {2}([a-z]+)/gmu)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(10);
  expect(new Set([...all, "help"])).toEqual(new Set([...named, "help"]));
});

test("[X8] bash completes sessions by id and title, models with a colon in their name, files", async () => {
  await using provider = await fakeProvider([say("Hi.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await world.ask("plan a garden");
  world.rows = [ollama("qwen3:8b", "qwen3:14b")];
  await writeFile(join(world.folder, "a file.txt"), "");
  const lines = await offered(
    world,
    ["evander", "--resume", "session-"],
    ["evander", "session", "show", "plan"],
    ["evander", "turn", "explain", "l"],
    ["evander", "--model", "qwen3", ":", "8"],
    ["evander", "--model", "=", "qwen3", ":"],
    ["evander", "model", "use", "prac"],
    ["evander", "-f", `${world.folder}/a f`],
  );
  expect(lines).toEqual([
    ["session-1"],
    [String.raw`plan\ a\ garden`],
    ["last"],
    ["8b"],
    ["8b", "14b"],
    ["practice"],
    [`${world.folder}/a file.txt`],
  ]);
});

test("[X8] names for completion make no file, say nothing of a fault, and know their kinds", async () => {
  await using world = await ProgramWorld.open({ type: "practice" });
  expect(await world.run(["__complete", "sessions"])).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await world.run(["__complete", "nonsense"])).toEqual({ code: 2, stdout: "", stderr: "" });
  await mkdir(join(world.folder, "state/evander.db"), { recursive: true });
  expect(await world.run(["__complete", "sessions"])).toEqual({ code: 0, stdout: "", stderr: "" });
});

test("[X8] the scripts for zsh and fish name every command and option that the one for bash names", async () => {
  await using world = await ProgramWorld.open({ type: "practice" });
  const script = async (shell: string): Promise<string> => (await world.run(["completion", shell])).stdout;
  const [bash, zsh, fish] = await Promise.all(["bash", "zsh", "fish"].map(script));
  const places = [...(bash ?? "").matchAll(/^ {6}"([a-z ]*)"\) _evander_words (.+) ;;$/gmu)];
  expect(places.length).toBeGreaterThan(30);
  for (const [, path = "", words = ""] of places) {
    const flags = words.split(" ");
    const ofZsh = (zsh ?? "")
      .split("\n")
      .find((line) => line.startsWith(`    "${path}") `) && line.includes("-o option"));
    const ofFish = (fish ?? "").split("\n").filter((line) => line.includes(`__evander_at '${path}'`));
    for (const flag of flags) {
      expect(ofZsh, `${path} ${flag}`).toContain(`'${flag}:`);
      const name = flag.startsWith("--") ? `-l ${flag.slice(2)} ` : `-s ${flag.slice(1)} `;
      expect(
        ofFish.some((line) => line.includes(name)),
        `${path} ${flag}`,
      ).toBe(true);
    }
  }
});

test("[F5] notes are completed by number, versions by theirs, and what memory takes as it is", async () => {
  await using world = await ProgramWorld.open({ type: "practice" });
  expect(await world.run(["__complete", "notes"])).toMatchObject({ code: 0, stdout: "" });
  await remember(world, "memory", "One.", "Two\nlines.");
  const lines = await offered(
    world,
    ["evander", "memory", "why", ""],
    ["evander", "memory", "restore", ""],
    ["evander", "memory", "edit", ""],
    ["evander", "memory", "review", ""],
  );
  expect(lines).toEqual([
    ["1", "2"],
    ["2", "1"],
    ["memory", "user"],
    ["yes", "no"],
  ]);
  expect((await world.run(["__complete", "notes"])).stdout).toBe("1\tOne.\n2\tTwo lines.\n");
});
