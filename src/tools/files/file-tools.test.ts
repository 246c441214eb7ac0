import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ToolCallPart } from "../../protocol/message.ts";
import type { Inspection } from "../../protocol/tool.ts";
import { builtInTools } from "../built-in.ts";
import { createToolbox, type Toolbox } from "../toolbox.ts";

let base = "";
let cwd = "";
let outside = "";
let toolbox: Toolbox;

beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "evander-files-")));
  cwd = join(base, "ws");
  outside = join(base, "outside");
  fs.mkdirSync(cwd);
  fs.mkdirSync(outside);
  toolbox = createToolbox(builtInTools({ cwd, home: join(base, "home"), env: {}, guarded: [join(cwd, "state")] }));
});

afterEach(() => {
  fs.rmSync(base, { recursive: true, force: true });
});

const put = (name: string, content: string | Buffer = "x"): string => {
  const path = join(cwd, name);
  fs.mkdirSync(join(path, ".."), { recursive: true });
  fs.writeFileSync(path, content);
  return path;
};

const part = (name: string, input: object): ToolCallPart => ({
  type: "tool-call",
  callId: "c",
  name,
  input: JSON.stringify(input),
});
const inspect = (name: string, input: object): Inspection => toolbox.port.inspect(part(name, input));
/** As a person would let it run. */
const run = async (name: string, input: object, signal = new AbortController().signal): Promise<string> => {
  const approved = inspect(name, input).ask ?? "";
  const context = { callId: "c", sessionId: "s", history: [], approved, signal, output: () => {} };
  return (await toolbox.port.run(part(name, input), context)).text;
};
const read = (path: string, more: object = {}): Promise<string> => run("read_file", { path, ...more });
const write = (path: string, content: string): Promise<string> => run("write_file", { path, content, overwrite: true });

describe("read_file", () => {
  test("[E4][A7] a skill lies outside of the folder and is read without a question; nothing there is written", async () => {
    const skills = join(base, "skills");
    fs.mkdirSync(join(skills, "tidy"), { recursive: true });
    fs.symlinkSync(outside, join(skills, "away"));
    const places = { cwd, home: join(base, "home"), env: {}, guarded: [base], readable: [skills] };
    toolbox = createToolbox(builtInTools(places));
    const asks = (name: string, path: string): boolean =>
      inspect(name, { path, ...(name === "write_file" && { content: "x" }) }).ask !== undefined;
    expect(asks("read_file", join(skills, "tidy", "SKILL.md"))).toBe(false);
    expect(asks("read_file", join(skills, "tidy", ".env"))).toBe(true);
    // Out of reach whoever would agree, so nobody is asked.
    expect(asks("read_file", join(skills, "away", "x"))).toBe(false);
    expect(asks("write_file", join(skills, "tidy", "SKILL.md"))).toBe(false);
    await expect(run("read_file", { path: join(skills, "away", "x") })).rejects.toThrow("out of reach of its tools");
    await expect(write(join(skills, "tidy", "SKILL.md"), "x")).rejects.toThrow("out of reach of its tools");
  });

  test("[E9] shows numbered lines and says how to read on", async () => {
    put("a.txt", Array.from({ length: 1_200 }, (_, i) => `line ${i + 1}`).join("\n"));
    const first = await read("a.txt");
    expect(first).toMatch(/^a\.txt: lines 1-500 of 1200, \d+ bytes\n1\|line 1\n/);
    expect(first).toMatch(/\n500\|line 500\n\(not the end of the file: read on with offset 501\)$/);
    const last = await read("a.txt", { offset: 1_199, limit: 10 });
    expect(last).toMatch(/: lines 1199-1200 of 1200, .*\n1199\|line 1199\n1200\|line 1200$/);
    await expect(read("a.txt", { offset: 1_201 })).rejects.toThrow("a.txt has only 1200 lines");
    expect(inspect("read_file", { path: "a.txt", limit: 2_001 }).refuse).toContain('"limit" must be at most 2000');
  });

  test("[E9] exactly as many lines as asked for are the whole file", async () => {
    put("a.txt", "1\n2\n3\n");
    expect(await read("a.txt", { limit: 3 })).toBe("a.txt: lines 1-3 of 3, 6 bytes\n1|1\n2|2\n3|3");
    put("empty.txt", "");
    expect(await read("empty.txt")).toBe("empty.txt is empty (0 bytes).");
  });

  test("[E9] long lines and long reads are cut and say so", async () => {
    put("long.txt", `${"é".repeat(5_000)}\nshort\n`);
    const text = await read("long.txt");
    expect(text).toContain(`1|${"é".repeat(2_000)} [cut: the line has 10000 bytes]\n2|short`);
    put("many.txt", `${"y".repeat(1_000)}\n`.repeat(500));
    const many = await read("many.txt");
    expect(many.length).toBeLessThan(101_000);
    expect(many).toMatch(/lines 1-(99|100) of 500/);
  });

  test("[E9] a file of 5 GB is read where it is asked for, not as a whole", async () => {
    const path = put("huge.txt", "first\nsecond\nthird\n");
    fs.truncateSync(path, 5 * 1024 ** 3);
    expect(await read("huge.txt", { limit: 2 }).catch((e: Error) => e.message)).toContain(
      "a binary file (5368709120 bytes)",
    );
    const text = put("text.txt", "0123456\n".repeat(2_000));
    fs.truncateSync(text, 5 * 1024 ** 3);
    const before = process.memoryUsage().rss;
    const shown = await read("text.txt", { limit: 2 });
    expect(shown).toContain("lines 1-2 and more follow, 5368709120 bytes\n1|0123456\n2|0123456\n");
    await expect(read("text.txt", { offset: 9_000_000 })).rejects.toThrow("without reaching line 9000000");
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  test("[E9] a file that vanishes while it is read is shown to its end, with a note", async () => {
    const path = put("text.txt", `${"a".repeat(70_000)}\n`);
    fs.truncateSync(path, 60 * 1024 * 1024);
    const reading = read("text.txt", { offset: 2 });
    const isOpen = (fd: string): boolean => {
      try {
        return fs.readlinkSync(`/proc/self/fd/${fd}`) === path;
      } catch {
        return false;
      }
    };
    while (!fs.readdirSync("/proc/self/fd").some(isOpen)) await new Promise((resolve) => setImmediate(resolve));
    fs.rmSync(path);
    // It may have gone before the first byte was read, or after.
    expect(await reading.catch((error: Error) => error.message)).toMatch(
      /lines 2-2 of 2, 62914560 bytes \(the file changed while it was read\)|was moved or exchanged while it was opened/,
    );
    await expect(read("text.txt")).rejects.toThrow("text.txt does not exist.");
  });

  test("[E9] binary files say what they are; text that is not UTF-8 is shown with a note", async () => {
    put("p.png", Buffer.from("89504e470d0a1a0a0000", "hex"));
    await expect(read("p.png")).rejects.toThrow("p.png is a broken picture");
    put("b.bin", Buffer.from([65, 0, 66]));
    await expect(read("b.bin")).rejects.toThrow("b.bin is a binary file (3 bytes)");
    put("latin1.txt", Buffer.from("caf\xe9\r\nb\r\n", "latin1"));
    expect(await read("latin1.txt")).toBe(
      "latin1.txt: lines 1-2 of 2, 9 bytes (read as Windows-1252 (Latin-1); lines end in CR LF)\n1|café\n2|b",
    );
    put("bom.txt", "\uFEFFhi\n");
    expect(await read("bom.txt")).toContain("\n1|hi");
  });

  test("[E9] what is no file gets one clear sentence and never blocks", async () => {
    execFileSync("mkfifo", [join(cwd, "pipe")]);
    await expect(read("pipe")).rejects.toThrow("pipe is a named pipe, not a file, and was left alone.");
    await expect(write("pipe", "x")).rejects.toThrow("pipe is a named pipe");
    expect(await read(".")).toBe(". is a folder of 1 entry; to look further down, use search_files.\npipe");
    await expect(read("/dev/null")).rejects.toThrow("is a device, not a file");
    await expect(read("nope/a.txt")).rejects.toThrow("nope/a.txt does not exist.");
    put("file");
    await expect(read("file/below")).rejects.toThrow("a part of the path is a file, not a folder");
    await expect(read("a\0b")).rejects.toThrow("The path contains a NUL character");
    await expect(read("")).rejects.toThrow("The path is empty");
    await expect(read("a".repeat(5_000))).rejects.toThrow("longer than 4096 bytes");
    await expect(read("a".repeat(300))).rejects.toThrow("has a name that is too long");
    fs.symlinkSync("loop", join(cwd, "loop"));
    await expect(read("loop")).rejects.toThrow("loop is a loop of symbolic links.");
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(join(cwd, "sock"), resolve);
    });
    await expect(read("sock")).rejects.toThrow("was left alone");
    server.close();
  });

  test("[E2] eight reads at once give eight different texts and share their claims", async () => {
    const names = Array.from({ length: 8 }, (_, i) => `f${i}.txt`);
    for (const name of names) put(name, `content of ${name}\n`.repeat(400));
    const texts = await Promise.all(names.map((path) => read(path)));
    texts.forEach((text, i) => expect(text).toContain(`400|content of f${i}.txt`));
    expect(inspect("read_file", { path: "f0.txt" })).toEqual({
      claim: { mode: "paths", reads: [join(cwd, "f0.txt")], writes: [] },
      effect: "pure",
      signature: expect.any(String),
    });
  });

  test("[B15] an interrupt ends a long read", async () => {
    const path = put("text.txt", `${"a".repeat(9_000)}\n`);
    fs.truncateSync(path, 5 * 1024 ** 3);
    await expect(run("read_file", { path: "text.txt", offset: 99 }, AbortSignal.timeout(5))).rejects.toThrow("aborted");
  });
});

describe("paths", () => {
  test("[E4] one file has one name, whatever links, dots and tildes lead to it", () => {
    put("dir/t.txt");
    fs.symlinkSync("dir/t.txt", join(cwd, "link"));
    fs.symlinkSync("dir", join(cwd, "dirlink"));
    fs.symlinkSync(cwd, join(base, "alias"));
    const paths = ["dir/t.txt", "./dir/../dir/t.txt", "link", "dirlink/t.txt", join(base, "alias/dirlink/t.txt")];
    for (const path of [...paths, join(cwd, "dir/t.txt")]) {
      expect(inspect("write_file", { path, content: "" })).toEqual({
        claim: { mode: "paths", reads: [], writes: [join(cwd, "dir/t.txt")] },
        effect: "effect",
        signature: expect.any(String),
      });
    }
    expect(inspect("read_file", { path: "dirlink/new/x" }).claim).toMatchObject({ reads: [join(cwd, "dir/new/x")] });
    expect(inspect("read_file", { path: "~/x" }).claim).toMatchObject({ reads: [join(base, "home/x")] });
    expect(inspect("search_files", {}).claim).toMatchObject({ reads: [cwd] });
    expect(inspect("search_files", { path: " " }).claim).toMatchObject({ reads: [cwd] });
  });

  test("[FILE-03] outside the folder always asks, by whole names; a link that leads out is not followed", async () => {
    fs.mkdirSync(join(base, "ws-secret"));
    fs.mkdirSync(join(cwd, "sub"));
    fs.writeFileSync(join(outside, "secret.txt"), "CANARY");
    fs.symlinkSync(outside, join(cwd, "out"));
    fs.symlinkSync(join(outside, "secret.txt"), join(cwd, "link"));
    fs.symlinkSync("link", join(cwd, "chain"));
    fs.symlinkSync(join(outside, "none"), join(cwd, "dangling"));
    for (const path of ["../ws-secret/x", "..", "sub/../../x", "/etc/hosts", "~/.ssh/id"]) {
      expect(inspect("read_file", { path }).ask).toContain("is outside the working folder");
    }
    for (const path of ["out/secret.txt", "link", "chain", "dangling"]) {
      expect(inspect("read_file", { path }).ask).toBeUndefined();
      await expect(read(path)).rejects.toThrow(`leads through a link to ${outside}`);
    }
    await expect(run("search_files", { path: "out" })).rejects.toThrow("name that path itself");
    expect(inspect("read_file", { path: outside }).ask).toContain("is outside the working folder");
    for (const path of ["..hidden", "a...b", "sub/../x", "$HOME/.netrc/x", "file:///etc/shadow"]) {
      expect(inspect("read_file", { path }).ask).toBeUndefined();
    }
  });

  test("[E10] secrets and what steers other programs ask even inside the folder; the program's own state is out of reach", async () => {
    for (const path of [".env", ".env.local", "certs/server.key", "sub/.ssh/config", "id_rsa", "my-credentials.json"]) {
      expect(inspect("read_file", { path }).ask).toBeDefined();
    }
    put("state/db", "CANARY");
    await expect(read("state/db")).rejects.toThrow("out of reach of its tools");
    await expect(write("state/db", "x")).rejects.toThrow("out of reach of its tools");
    for (const path of [".env.example", "id_rsa.pub", "environment.md", "key.ts"]) {
      expect(inspect("read_file", { path }).ask).toBeUndefined();
    }
    for (const path of [
      ".git/hooks/pre-commit",
      ".GIT/config",
      "AGENTS.md",
      "sub/CLAUDE.md",
      ".vscode/tasks.json",
      ".agents/skills/build/SKILL.md",
      ".evander/skills/build/SKILL.md",
      ".envrc",
    ]) {
      expect(inspect("write_file", { path, content: "" }).ask).toBeDefined();
    }
    expect(inspect("read_file", { path: "AGENTS.md" }).ask).toBeUndefined();
    expect(inspect("write_file", { path: "README.md", content: "" }).ask).toBeUndefined();
  });

  test("[FILE-01] a link put in place after the look is not followed", async () => {
    fs.writeFileSync(join(outside, "secret.txt"), "CANARY");
    put("a.txt", "fine");
    const call = part("read_file", { path: "a.txt" });
    expect(toolbox.port.inspect(call).ask).toBeUndefined();
    fs.rmSync(join(cwd, "a.txt"));
    fs.symlinkSync(join(outside, "secret.txt"), join(cwd, "a.txt"));
    const context = {
      callId: "c",
      sessionId: "s",
      history: [],
      signal: new AbortController().signal,
      output: () => {},
    };
    await expect(toolbox.port.run(call, context)).rejects.toThrow("nothing was read");
  });
});

describe("write_file", () => {
  test("[E9] creates folders, replaces whole files, keeps the mode and says what changed", async () => {
    expect(await write("new/deep/a.sh", "one\ntwo\n")).toBe("Created new/deep/a.sh: 2 lines, 8 bytes.");
    fs.chmodSync(join(cwd, "new/deep/a.sh"), 0o750);
    expect(await write("new/deep/a.sh", "one")).toBe(
      "Replaced new/deep/a.sh: 1 line, 3 bytes (before: 2 lines, 8 bytes).",
    );
    expect(fs.statSync(join(cwd, "new/deep/a.sh")).mode & 0o777).toBe(0o750);
    expect(await write("new/deep/a.sh", "one")).toContain("nothing was changed");
    expect(fs.readdirSync(join(cwd, "new/deep"))).toEqual(["a.sh"]);
  });

  test("[PAR-01] writers of one target claim one path, and a reader sees the old file or the new one", async () => {
    const [a, b] = ["a".repeat(200_000), "b".repeat(200_000)];
    put("t.txt", a);
    const writing = (async () => {
      for (let i = 0; i < 20; i += 1) await write("t.txt", i % 2 === 0 ? b : a);
    })();
    const seen = new Set<string>();
    let done = false;
    const finished = writing.then(() => {
      done = true;
    });
    while (!done) {
      seen.add(fs.readFileSync(join(cwd, "t.txt"), "utf8"));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await finished;
    expect([...seen].every((text) => text === a || text === b)).toBe(true);
    expect(fs.readdirSync(cwd)).toEqual(["t.txt"]);
  });

  test("[FILE-01] nothing is written through a link that leaves the folder", async () => {
    fs.writeFileSync(join(outside, "keep.txt"), "keep");
    fs.symlinkSync(join(outside, "keep.txt"), join(cwd, "todo.md"));
    fs.symlinkSync(join(outside, "absent.txt"), join(cwd, "new.txt"));
    fs.symlinkSync(outside, join(cwd, "out"));
    for (const path of ["todo.md", "new.txt", "out/x.txt"]) {
      expect(inspect("write_file", { path, content: "" }).ask).toBeUndefined();
      await expect(write(path, "gone")).rejects.toThrow("outside the working folder; nothing was written");
    }
    expect(fs.readdirSync(outside)).toEqual(["keep.txt"]);
    expect(fs.readFileSync(join(outside, "keep.txt"), "utf8")).toBe("keep");
    put("real.txt", "1");
    fs.symlinkSync("real.txt", join(cwd, "inside"));
    await expect(write("inside", "2")).rejects.toThrow(`name ${join(cwd, "real.txt")} itself`);
    expect(fs.readFileSync(join(cwd, "real.txt"), "utf8")).toBe("1");
  });

  test("[E9][R19] a file with a second name (a hard link) is not written", async () => {
    fs.writeFileSync(join(outside, "keep.txt"), "keep");
    fs.linkSync(join(outside, "keep.txt"), join(cwd, "hard"));
    await expect(write("hard", "new")).rejects.toThrow("has 2 names (hard links)");
    expect(fs.readFileSync(join(outside, "keep.txt"), "utf8")).toBe("keep");
  });

  test("[E9] what cannot be written says why in one sentence and leaves nothing behind", async () => {
    put("file");
    await expect(write("file/below", "x")).rejects.toThrow("a part of the path is a file");
    await expect(write("dir/", "x")).rejects.toThrow("names a folder");
    await expect(write(".", "x")).rejects.toThrow(". is a folder");
    await expect(write("a\0", "x")).rejects.toThrow("NUL");
    const aborted = run("write_file", { path: "a.txt", content: "x" }, AbortSignal.abort());
    await expect(aborted).rejects.toThrow("aborted");
    expect(fs.readdirSync(cwd)).toEqual(["file"]);
  });

  test("[FILE-01] while a folder is exchanged for a link all the time, nothing arrives outside", async () => {
    fs.mkdirSync(join(cwd, "swap", "sub"), { recursive: true });
    fs.mkdirSync(join(outside, "sub"));
    fs.symlinkSync(outside, join(cwd, "link"));
    const exchange = `
      const { renameSync, rmSync } = require("node:fs");
      const { workerData, parentPort } = require("node:worker_threads");
      const at = (name) => workerData + "/" + name;
      parentPort.postMessage("ready");
      const move = (from, to) => {
        try {
          renameSync(at(from), at(to));
          return true;
        } catch {
          return false;
        }
      };
      const clear = (name) => {
        try {
          rmSync(at(name), { recursive: true, force: true });
        } catch {}
      };
      for (;;) {
        move("swap", "folder");
        if (move("link", "swap")) move("swap", "link");
        // A writer may have made the folder anew meanwhile.
        if (!move("folder", "swap")) clear("swap");
      }`;
    const worker = new Worker(exchange, { eval: true, workerData: cwd });
    await once(worker, "message");
    const outcomes = { written: 0, refused: 0 };
    const deadline = performance.now() + 1_500;
    // On a busy machine it takes longer until both have happened.
    while (performance.now() < deadline || outcomes.written === 0 || outcomes.refused === 0) {
      const results = await Promise.allSettled(
        ["swap/x", "swap/sub/x"].map((path) => write(path, `${performance.now()}`)),
      );
      for (const { status } of results) outcomes[status === "fulfilled" ? "written" : "refused"] += 1;
    }
    await worker.terminate();
    expect(fs.readdirSync(outside, { recursive: true })).toEqual(["sub"]);
  });
});
