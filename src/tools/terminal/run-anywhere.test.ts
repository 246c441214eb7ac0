import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { goesSoon } from "../../../test/support/gone.ts";
import { type ProcessDesk, processDesk } from "../processes/desk.ts";
import { launch } from "./launch.ts";
import { limitNote, USUAL_LIMITS } from "./limits.ts";
import { MARKER } from "./process-tree.ts";
import { type CommandEnd, runCommand } from "./run-command.ts";
import type { TerminalSettings } from "./settings.ts";
import { quoted } from "./ssh.ts";
import { terminalTool } from "./terminal.ts";

let base = "";
let desk: ProcessDesk;

beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "evander-anywhere-")));
  fs.mkdirSync(join(base, "bin"));
  desk = processDesk({ folder: join(base, "processes"), most: 4 });
});

afterEach(async () => {
  await desk.close();
  fs.rmSync(base, { recursive: true, force: true });
});

const shell = (command: string, more: Partial<Parameters<typeof runCommand>[0]> = {}): Promise<CommandEnd> =>
  runCommand({
    launch: {
      file: "/bin/bash",
      args: ["-c", command],
      cwd: base,
      env: { PATH: process.env["PATH"] ?? "", [MARKER]: base },
    },
    limits: USUAL_LIMITS,
    marker: base,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    onOutput: () => undefined,
    ...more,
  });

/** Of the lines that hold nothing else: a shell that outlives its child for a moment tells of its end, with numbers. */
const pids = (end: CommandEnd): number[] => (end.output.text().match(/^\d+$/gmu) ?? []).map(Number);

test.each([
  "sleep 1000 & echo $!",
  "sleep 1000 </dev/null >/dev/null 2>&1 & echo $!",
  "setsid sleep 1000 & echo $!",
  "setsid nohup sleep 1000 </dev/null >/dev/null 2>&1 & echo $!; disown",
])("[EXEC-01] [limit-004] ends with its shell, tells what was left, and leaves nothing: %s", async (command) => {
  const end = await shell(command);
  expect(end).toMatchObject({ type: "exited", code: 0 });
  expect(end.left).toMatchObject([{ command: expect.stringContaining("sleep 1000") }]);
  for (const pid of pids(end)) expect(await goesSoon(pid)).toBe(true);
});

test("[EXEC-03] a hundred children that ignore the signal, half of them in sessions of their own, end with an interrupt", async () => {
  const child = "trap '' TERM INT HUP; while :; do sleep 0.2; done";
  fs.writeFileSync(join(base, "child.sh"), child);
  const stop = new AbortController();
  let shown = "";
  const end = await shell(
    "trap '' TERM; for i in $(seq 50); do bash child.sh & echo $!; setsid bash child.sh & echo $!; done; echo all; wait",
    {
      signal: stop.signal,
      onOutput: (text) => {
        shown += text;
        if (shown.includes("all")) stop.abort();
      },
    },
  );
  expect(end.type).toBe("interrupted");
  expect(pids(end)).toHaveLength(100);
  for (const pid of pids(end)) expect(await goesSoon(pid)).toBe(true);
});

test("[limit-007] a command has less memory, fewer files and smaller files than the machine, and is told which limit it met", async () => {
  const end = await shell("ulimit -d; ulimit -n; ulimit -f; ulimit -c");
  expect(end.output.text()).toBe("4194304\n512\n2097152\n0\n");
  const small = await shell("head -c 3000000 /dev/zero > big; echo $?", { limits: { ...USUAL_LIMITS, fileMb: 1 } });
  expect(fs.statSync(join(base, "big")).size).toBe(1_048_576);
  expect(limitNote("File size limit exceeded", USUAL_LIMITS)).toContain("2048 MB for each file it writes");
  expect(small.output.text()).not.toBe("0\n");
  expect(limitNote("no match", USUAL_LIMITS)).toBeUndefined();
});

type Run = (input: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** The tool of one session, whose programs are those of the fakes first. */
function running(settings: TerminalSettings): Run {
  const own = {
    ...process.env,
    PATH: `${join(base, "bin")}:${process.env["PATH"]}`,
    OPENAI_API_KEY: "sk-own-key",
    DOCKER_HOST: "tcp://there",
  };
  const tool = terminalTool({ place: { cwd: base, home: base, guarded: [] }, own, settings, desk });
  const signal = new AbortController().signal;
  const context = { callId: "c", sessionId: "s", turnId: "t", history: [], signal, output: () => undefined };
  return async (input) => tool.run(input, context);
}

const fake = (name: string, body: string): void =>
  fs.writeFileSync(
    join(base, "bin", name),
    `#!/bin/bash\nprintf '%s\\0' ${name} "$@" '|' >>'${join(base, "log")}'\n${body}`,
    {
      mode: 0o755,
    },
  );

/** What each client was called with. */
const calls = (): string[][] =>
  fs
    .readFileSync(join(base, "log"), "utf8")
    .split("\0|\0")
    .filter((line) => line !== "")
    .map((line) => line.split("\0"));

test("[E9] docker: one container a session, the exact command as an argument, ended with its marker, removed with the session", async () => {
  const run = running({ backend: { type: "docker", image: "img:1" } });
  fake("docker", 'case "$1" in exec) while [ "$1" != sh ]; do shift; done; exec "$@";; esac');
  const command = "echo 'it''s' \"$((1+1))\" '$HOME'; exit 3";
  expect(await run({ command })).toMatch(/^Exit code 3 after .*\nits 2 \$HOME\n/u);
  await run({ command: "true" });
  await expect(run({ command: "sleep 1000", timeout_s: 0.2 })).rejects.toThrow("the timeout was reached");
  await expect(run({ command: "ls", pty: true })).rejects.toThrow("can be given no terminal");
  await desk.leave("s");
  const [removed, started, first, ...others] = calls();
  const name = removed?.at(-1) ?? "";
  expect(name).toMatch(/^evander-[0-9a-f]{16}$/u);
  expect(started?.slice(1)).toEqual(
    ["run", "--detach", "--rm", "--init", "--name", name, "--label", "evander=session"].concat([
      "--volume",
      `${base}:${base}`,
      "--workdir",
      base,
      "img:1",
      "sleep",
      "infinity",
    ]),
  );
  expect(first?.slice(0, 5)).toEqual(["docker", "exec", "--interactive", "--workdir", base]);
  expect(first?.at(-1)).toBe(command);
  expect(first?.filter((word) => /^(?:PATH|HOME|DOCKER_HOST|OPENAI_API_KEY)=/u.test(word))).toEqual([]);
  expect(others.map((words) => words[1])).toEqual(["exec", "exec", "exec", "rm"]);
  expect(others.at(-1)).toEqual(["docker", "rm", "--force", name]);
});

test("[E9] [security C5] the clients get what they need of our environment, and no keys", async () => {
  for (const name of ["docker", "ssh"]) fake(name, `env >>'${join(base, "env")}'`);
  await running({ backend: { type: "docker", image: "x" } })({ command: "true" });
  await running({ backend: { type: "ssh", host: "box", folder: base } })({ command: "true" });
  const seen = fs.readFileSync(join(base, "env"), "utf8");
  expect(seen).toContain("DOCKER_HOST=tcp://there");
  expect(seen).toContain(`${MARKER}=`);
  expect(seen).not.toContain("sk-own-key");
});

test("[E9] docker that starts no container is told in one sentence, and nothing runs", async () => {
  fake("docker", "[ \"$1\" = run ] || exit 0; echo 'no such image' >&2; exit 125");
  await expect(running({ backend: { type: "docker", image: "x" } })({ command: "true" })).rejects.toThrow(
    "no container of the image x could be started (no such image)",
  );
  await expect(running({ backend: { type: "docker", image: undefined } })({ command: "true" })).rejects.toThrow(
    "no image is named: set terminal.docker.image",
  );
});

test("[E9] ssh: one line for the shell there, each word quoted, in the folder there", async () => {
  fs.mkdirSync(join(base, "there"));
  fs.mkdirSync(join(base, "it's"));
  fs.mkdirSync(join(base, "there", "it's"));
  fake("ssh", 'while [ "$1" != -- ]; do shift; done; exec sh -c "$3"');
  const run = running({ backend: { type: "ssh", host: "box", folder: join(base, "there") } });
  const told = await run({ command: "pwd; echo '$HOME' \"it's\"; exit 4", cwd: "it's" });
  expect(told).toMatch(/^Exit code 4 after/u);
  expect(told).toContain(`${join(base, "there", "it's")}\n$HOME it's\n`);
  expect(calls()[0]?.slice(0, 4)).toEqual(["ssh", "-T", "-o", "BatchMode=yes"]);
});

test("[E9] a quoted word is that word for any shell", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("'", '"', "\\", "$", "`", "a", " ", "\n", "!", "~", "*") }),
      (word) => {
        expect(execFileSync("/bin/sh", ["-c", `printf %s ${quoted(word)}`], { encoding: "utf8" })).toBe(word);
      },
    ),
    { numRuns: 30 },
  );
});

test("[E9] a command can have a terminal of its own, of the size it asks for; what it prints is plain", async () => {
  const pty = { cols: 91, rows: 17 };
  const end = await shell("tty; stty size; printf '\\033[31mred\\033[0m\\n'; exit 5", {
    launch: {
      file: "/bin/bash",
      args: ["-c", "tty; stty size; printf '\\033[31mred\\033[0m\\n'; exit 5"],
      cwd: base,
      env: { PATH: process.env["PATH"] ?? "", [MARKER]: base },
      pty,
    },
  });
  expect(end).toMatchObject({ type: "exited", code: 5 });
  expect(end.output.text()).toMatch(/^\/dev\/\S+\n17 91\nred\n$/u);
});

test("[E9] what cannot be started is an error, and not the end of anything", async () => {
  const nowhere = { file: "/bin/true", args: [], cwd: join(base, "gone"), env: {} };
  await expect(launch(nowhere, USUAL_LIMITS)).rejects.toThrow("ENOENT");
});
