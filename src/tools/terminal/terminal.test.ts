import { findShell, noShell } from "./find-shell.ts";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { goesSoon } from "../../../test/support/gone.ts";
import type { ToolCallPart } from "../../protocol/message.ts";
import { builtInTools } from "../built-in.ts";
import { commandEnvironment } from "./command-environment.ts";
import { exitNote } from "./exit-note.ts";
import { KeptOutput } from "./kept-output.ts";
import { TerminalText } from "./terminal-text.ts";
import { createToolbox, type Toolbox } from "../toolbox.ts";

const ENV = {
  PATH: process.env["PATH"],
  HOME: "/home/u",
  LANG: "C.UTF-8",
  OPENAI_API_KEY: "FAKE1",
  TELEGRAM_BOT_TOKEN: "FAKE2",
  AWS_SECRET_ACCESS_KEY: "FAKE3",
  GITHUB_TOKEN: "FAKE4",
  EVANDER_SESSION: "FAKE5",
  SSH_AUTH_SOCK: "/run/x",
  HTTP_PROXY: "http://u:FAKE6@p.test",
  MY_APP_PW: "FAKE8",
  DATABASE_URL: "postgres://u:FAKE9@h/x",
  LC_SECRET: "FAKE10",
  LD_PRELOAD: "/x.so",
  BASH_ENV: "/x",
  NODE_OPTIONS: "--import /x",
  "BASH_FUNC_ls%%": "() { id; }",
};

let base = "";
let cwd = "";
let toolbox: Toolbox;
let shown = "";

beforeEach(async () => {
  base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "evander-terminal-")));
  cwd = join(base, "ws");
  fs.mkdirSync(cwd);
  shown = "";
  toolbox = createToolbox(builtInTools({ cwd, home: base, env: ENV }));
  await toolbox.port.ready?.();
});

afterEach(() => {
  fs.rmSync(base, { recursive: true, force: true });
});

const part = (input: object): ToolCallPart => ({
  type: "tool-call",
  callId: "c",
  name: "terminal",
  input: JSON.stringify(input),
});
const inspect = (command: string, more: object = {}): ReturnType<Toolbox["port"]["inspect"]> =>
  toolbox.port.inspect(part({ command, ...more }));
/** As a person would let it run. */
const run = async (command: string, more: object = {}, signal = new AbortController().signal): Promise<string> =>
  (await attempt(command, more, signal)).text;
const attempt = (command: string, more: object, signal: AbortSignal): ReturnType<Toolbox["port"]["run"]> => {
  const { ask = "", plan } = inspect(command, more);
  return toolbox.port.run(part({ command, ...more }), {
    callId: "c",
    sessionId: "s",
    history: [],
    approved: ask,
    ...(plan && { approvedPlan: plan.digest }),
    signal,
    output: (text) => {
      shown += text;
    },
  });
};

describe("running", () => {
  test("[E9] returns exit code, duration and both streams in order, and shows output on the way", async () => {
    const text = await run("echo one; echo two >&2; echo three; exit 3");
    expect(text).toMatch(/^Exit code 3 after \d+\.\d s\.\none\ntwo\nthree\n$/);
    expect(shown).toBe("one\ntwo\nthree\n");
    expect(await run("true")).toMatch(/^Exit code 0 after .*\n\(no output\)$/);
    expect(await run("kill -9 $$")).toMatch(/^Killed by SIGKILL after/);
    expect(await run("grep x /dev/null")).toMatch(/^Exit code 1 \(no line matched\) after/);
  });

  test("[E9] there is no input to wait for, and no state from call to call", async () => {
    expect(await run("cat; read x || echo none")).toContain("\nnone\n");
    await run("cd /; export X=1");
    expect(await run("pwd; echo [$X]")).toContain(`${cwd}\n[]\n`);
    fs.mkdirSync(join(cwd, "sub"));
    expect(await run("pwd", { cwd: "sub" })).toContain(join(cwd, "sub"));
    await expect(run("pwd", { cwd: "nope" })).rejects.toThrow("nope is no folder, so the command was not run.");
  });

  test("[E9] at the timeout everything in the group goes, also a grandchild that ignores SIGTERM", async () => {
    const script = "trap '' TERM; (trap '' TERM; echo $BASHPID; while :; do sleep 0.1; done) & wait";
    fs.writeFileSync(join(cwd, "stubborn.sh"), script);
    await expect(run("bash stubborn.sh", { timeout_s: 1 })).rejects.toThrow("the timeout was reached");
    const pid = Number(/\d+/.exec(shown)?.[0]);
    expect(pid).toBeGreaterThan(1);
    expect(await goesSoon(pid)).toBe(true);
  });

  test("[B15] an interrupt stops the command and its children", async () => {
    const controller = new AbortController();
    const running = run("echo $$; (echo $BASHPID; sleep 60); sleep 60", {}, controller.signal);
    while (shown.split("\n").length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    const pids = shown.trim().split("\n").map(Number);
    controller.abort();
    await expect(running).rejects.toThrow("Stopped by the user");
    for (const pid of pids) expect(await goesSoon(pid)).toBe(true);
  });

  test("[E9] a command that ends leaves nothing of its group running", async () => {
    fs.writeFileSync(join(cwd, "leave.sh"), "sleep 60 & echo $!");
    const text = await run("bash leave.sh");
    expect(await goesSoon(Number(text.split("\n")[1]))).toBe(true);
  });

  test("[E9] endless output is stopped; its beginning and end are kept in bounded memory", async () => {
    const before = process.memoryUsage().rss;
    const failed = await run("yes", { timeout_s: 60 }).catch((error: Error) => error.message);
    expect(failed).toMatch(/^Stopped after .*: it wrote too much output\./);
    expect(failed).toMatch(/\n\[… \d+ characters left out …\]\n/);
    expect(failed.length).toBeLessThan(50_300);
    expect(shown.length).toBeLessThan(1_200_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  }, 60_000);

  test("[E9] output is plain text, whatever bytes come", async () => {
    const text = await run("printf '\\033[31mred\\033[0m\\tx\\r\\n\\033]0;title\\007a\\rb\\377\\0c\\n'");
    expect(text).toContain("\nred\tx\na\nb\uFFFDc\n");
  });

  test("[E9] an interrupted call is not started", async () => {
    await expect(run("touch x", {}, AbortSignal.abort())).rejects.toThrow("aborted");
    expect(fs.readdirSync(cwd)).toEqual([]);
  });
});

test("[E7] a command that fails counts as a failure, and how long it took is no progress", async () => {
  const signal = new AbortController().signal;
  const ran = (command: string): ReturnType<typeof attempt> => attempt(command, {}, signal);
  const [quick, slow] = await Promise.all([ran("sleep 0.01; true"), ran("sleep 0.01; true")]);
  expect(quick.digest).toBe(slow.digest);
  expect(quick.failed).toBeUndefined();
  expect(await ran("exit 3")).toMatchObject({ failed: true });
});

describe("asking", () => {
  test("[E10] only what plainly reads runs without a yes", () => {
    expect(inspect("ls -la")).toEqual({
      claim: { mode: "exclusive" },
      effect: "effect",
      signature: expect.any(String),
    });
    expect(inspect("rm -rf x").ask).toBe("rm is not known to only read.");
    expect(inspect("ls", { cwd: ".." }).ask).toContain("is outside the working folder");
    expect(inspect("cat ../x").ask).toContain("is outside the working folder");
    expect(inspect("ls 'x").ask).toBe("The command is no complete shell syntax.");
  });

  test("[SEC-06] an argument cannot carry a yes", () => {
    expect(inspect("rm -rf x", { force: true }).refuse).toContain('there is no argument "force"');
    expect(inspect("rm -rf x", { timeout_s: 601 }).refuse).toContain('"timeout_s" must be at most 600');
  });

  test("[E10] operands are judged by where they lead", () => {
    fs.symlinkSync("/etc/passwd", join(cwd, "link"));
    fs.mkdirSync(join(cwd, "src"));
    fs.writeFileSync(join(cwd, "src", "a.ts"), "x");
    expect(inspect("cat link").ask).toContain("is outside the working folder");
    expect(inspect("grep -rn x src").ask).toBeUndefined();
    fs.writeFileSync(join(cwd, "src", ".env"), "x");
    expect(inspect("grep -rn x src").ask).toContain("usually holds secrets");
  });

  test("[E10] a way back out of a link is judged as the system goes it", () => {
    fs.mkdirSync(join(base, "other"));
    fs.mkdirSync(join(cwd, "a", "b"), { recursive: true });
    fs.symlinkSync(join(base, "other"), join(cwd, "out"));
    fs.symlinkSync(join(cwd, "a", "b"), join(cwd, "deep"));
    expect(inspect("cat out/../secret.txt").ask).toContain("is outside the working folder");
    expect(inspect("cat deep/../x").ask).toBeUndefined();
    expect(inspect("cd deep && ls").ask).toBe("cd leads through a link.");
    expect(inspect("cd a/b; ls ../..").ask).toContain("is outside the working folder");
    expect(inspect("cd a/b && ls ../..").ask).toBeUndefined();
    expect(inspect("cd a/b && cat c").ask).toBeUndefined();
  });

  test("[E10] git runs no helper of a repository hidden in the index, and none is found by a settings file elsewhere", async () => {
    const git = (folder: string, ...args: string[]): void => {
      execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b.test", ...args], {
        stdio: "ignore",
      });
    };
    const sub = join(cwd, "sub");
    fs.mkdirSync(sub);
    for (const folder of [cwd, sub]) git(folder, "init");
    fs.writeFileSync(join(sub, "f"), "1");
    git(sub, "add", "f");
    git(sub, "commit", "-m", "x");
    git(cwd, "add", "sub");
    fs.writeFileSync(join(cwd, "evil.sh"), `#!/bin/sh\ntouch ${join(base, "CANARY")}\n`, { mode: 0o755 });
    git(sub, "config", "core.fsmonitor", join(cwd, "evil.sh"));
    fs.writeFileSync(join(sub, "f"), "2");
    expect(inspect("git status").ask).toBeUndefined();
    expect(await run("git status; git diff")).toContain("new file:   sub");
    expect(fs.existsSync(join(base, "CANARY"))).toBe(false);
    // Where nothing holds git back the helper does run, so the canary can be trusted.
    execFileSync("git", ["-C", cwd, "status"], { stdio: "ignore" });
    expect(fs.existsSync(join(base, "CANARY"))).toBe(true);
    fs.writeFileSync(join(cwd, ".gitmodules"), "");
    expect(inspect("git status").ask).toContain("others inside it");
    fs.writeFileSync(join(cwd, ".git", "commondir"), "../x");
    expect(inspect("git status").ask).toContain("kept elsewhere");
  });

  test("[E10] git asks where the repository's own settings could make it run programs", () => {
    expect(inspect("git status").ask).toBeUndefined();
    fs.mkdirSync(join(cwd, ".git"));
    expect(inspect("git status").ask).toContain("is not whole");
    for (const name of ["objects", "refs"]) fs.mkdirSync(join(cwd, ".git", name));
    fs.writeFileSync(join(cwd, ".git", "HEAD"), "ref: refs/heads/main\n");
    expect(inspect("git status").ask).toContain("not where they usually are");
    const settings = join(cwd, ".git", "config");
    fs.writeFileSync(settings, '[core]\n\tbare = false\n[remote "origin"]\n\turl = https://h.test/x\n');
    expect(inspect("git status").ask).toBeUndefined();
    for (const line of [
      "[core]\n\tfsmonitor = ./x",
      '[diff "x"]\n\ttextconv = ./x',
      "[include]\n\tpath = x",
      "[core] bare = false",
    ]) {
      fs.writeFileSync(settings, `${line}\n`);
      expect(inspect("git diff").ask).toContain("may make git run programs");
    }
    fs.rmSync(join(cwd, ".git"), { recursive: true });
    fs.writeFileSync(join(cwd, "HEAD"), "");
    fs.mkdirSync(join(cwd, "objects"));
    expect(inspect("git status").ask).toContain("bare repository");
  });

  test("[E9] a background command gets advice instead of a question", async () => {
    expect(inspect("sleep 60 &").ask).toBeUndefined();
    await expect(run("sleep 60 &")).rejects.toThrow("Background commands");
    await expect(run("echo a\0b")).rejects.toThrow("NUL");
  });
});

describe("environment", () => {
  test("[LEAK-04] a command sees an allowed part of the environment and no secret", async () => {
    const text = await run("env; tr '\\0' '\\n' < /proc/self/environ");
    for (let i = 1; i <= 10; i += 1) expect(text).not.toContain(`FAKE${i}`);
    for (const name of ["LD_PRELOAD", "BASH_ENV", "NODE_OPTIONS", "BASH_FUNC", "SSH_AUTH_SOCK"]) {
      expect(text).not.toContain(name);
    }
    expect(text).toContain("HOME=/home/u\n");
    expect(text).toContain("LANG=C.UTF-8\n");
    expect(text).toContain("TERM=dumb\n");
  });

  test("[E10] a file in the working folder never takes the place of a program", () => {
    const path = ["", ".", "bin", "/ws/node_modules/.bin", "/ws", "/ws-other", "/usr/bin"].join(":");
    expect(commandEnvironment({ PATH: path }, { cwd: "/ws", asked: true })["PATH"]).toBe("/ws-other:/usr/bin");
    expect(commandEnvironment({}, { cwd: "/ws", asked: true })["PATH"]).toBe("/usr/local/bin:/usr/bin:/bin");
  });
});

describe("text", () => {
  test("[E9] where chunks are cut changes nothing that is shown", () => {
    const piece = fc.constantFrom(
      "a",
      "日",
      "\u001B[1;31m",
      "\u001B]0;t\u0007",
      "\u001B]8;;x\u001B\\",
      "\r",
      "\n",
      "\r\n",
      "\b",
      "\t",
      "\u001B(B",
      "\u009B1m",
    );
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat({ max: 60 })), (pieces, cuts) => {
        const text = pieces.join("");
        const plain = (chunks: readonly string[]): string => {
          const filter = new TerminalText();
          return chunks.map((chunk) => filter.push(chunk)).join("") + filter.end();
        };
        const edges = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
        const chunks = edges.slice(1).map((edge, i) => text.slice(edges[i], edge));
        const whole = plain([text]);
        expect(plain(chunks)).toBe(whole);
        expect(whole).not.toMatch(/[^\P{Cc}\n\t]/u);
      }),
    );
  });

  test("[E9] a long output keeps its first 20,000 and last 30,000 characters", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 9_000, minLength: 1_000 }), { maxLength: 30 }), (chunks) => {
        const kept = new KeptOutput();
        for (const chunk of chunks) kept.push(chunk);
        const all = chunks.join("");
        const left = all.length - 50_000;
        const expected =
          left <= 0 ? all : `${all.slice(0, 20_000)}\n[… ${left} characters left out …]\n${all.slice(-30_000)}`;
        expect(kept.text()).toBe(expected);
      }),
      { numRuns: 30 },
    );
  });

  test.each([
    ["diff a b", 0, undefined],
    ["fgrep 'pattern' file.txt", 1, "no line matched"],
    ["ls -la | grep 'pattern'", 1, "no line matched"],
    ["cd /tmp && /usr/bin/grep foo bar", 1, "no line matched"],
    ["LANG=C grep foo bar", 1, "no line matched"],
    ["test -f /nonexistent", 1, "the condition is false"],
    ["curl -s x", 28, "the time limit was reached"],
    ["npm test", 1, undefined],
    ["FOO=bar", 1, undefined],
    ["grep x y", 2, undefined],
  ])("[E9] %s ending with %i means %s", (command, code, meaning) => {
    expect(exitNote(command, code)).toBe(meaning);
  });
});

test("[E9] where there is no shell the tool is not offered, and says what was looked for", () => {
  expect(noShell(findShell(() => false))).toMatch(/^there is no shell on this machine \(looked for \/bin\/bash, /u);
  expect(noShell(findShell((path) => path === "/bin/sh"))).toBeUndefined();
});
