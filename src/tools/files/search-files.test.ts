import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join, matchesGlob } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ToolContext } from "../../protocol/tool.ts";
import { globMatcher } from "./glob.ts";
import { searchFilesTool } from "./search-files.ts";
import type { SearchBounds } from "./search-request.ts";
import { workMs } from "../../../test/support/work.ts";

let base = "";
let cwd = "";

beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "evander-search-")));
  cwd = join(base, "ws");
  fs.mkdirSync(cwd);
});

afterEach(() => {
  fs.rmSync(base, { recursive: true, force: true });
});

const put = (name: string, content: string | Buffer): void => {
  fs.mkdirSync(join(cwd, name, ".."), { recursive: true });
  fs.writeFileSync(join(cwd, name), content);
};

const context = (signal = new AbortController().signal): ToolContext => ({
  callId: "c",
  sessionId: "s",
  history: [],
  signal,
  output: () => {},
});

const search = async (
  input: object,
  options: Partial<SearchBounds> & { signal?: AbortSignal; programs?: string } = {},
): Promise<string> =>
  String(
    await searchFilesTool(
      { cwd, home: base, guarded: [join(cwd, "own")] },
      {
        programs: options.programs ?? "",
        bounds: { deadlineMs: options.deadlineMs ?? 20_000, maxEntries: options.maxEntries ?? 10_000 },
      },
    ).run({ ...input }, context(options.signal)),
  );

const content = (pattern: string, more: object = {}): Promise<string> => search({ mode: "content", pattern, ...more });

describe("files", () => {
  test("[E9] lists all files with sizes and totals; .git and node_modules are not entered", async () => {
    put("b.txt", "12345");
    put("src/a.ts", "1");
    put("src/.hidden", "");
    put(".git/config", "x");
    put("node_modules/m/index.js", "x");
    fs.symlinkSync(cwd, join(cwd, "src/loop"));
    const text = await search({});
    expect(text.split("\n")).toEqual([
      expect.stringMatching(/^4 files, 3 folders, \d+ bytes in \. \(by name\)$/),
      "b.txt (5 bytes)",
      "src/.hidden (0 bytes)",
      "src/a.ts (1 byte)",
      "src/loop (link)",
      "(not looked into: .git and node_modules)",
    ]);
  });

  test("[E9] finds by glob, sorts, limits, and counts what it does not show", async () => {
    for (let i = 0; i < 60; i += 1) put(`d${i % 3}/f${String(i).padStart(2, "0")}.md`, "x".repeat(i));
    put("d0/other.txt", "x".repeat(999));
    const largest = await search({ pattern: "*.md", sort: "size", limit: 2 });
    expect(largest).toBe(
      "60 of 61 files match *.md, 3 folders, 1770 bytes in . (largest first)\n" +
        "d2/f59.md (59 bytes)\nd1/f58.md (58 bytes)\n(58 more: raise limit or narrow the pattern)",
    );
    expect(await search({ pattern: "d0/**", limit: 1 })).toContain("21 of 61 files match d0/**");
    expect(await search({ path: "d1", pattern: "f0[14].md" })).toContain("2 of 20 files match");
    fs.utimesSync(join(cwd, "d0/f00.md"), 2_000_000_000, 2_000_000_000);
    const newest = await search({ sort: "modified", limit: 1 });
    expect(newest).toContain("(newest first)\nd0/f00.md (0 bytes, 2033-05-18T03:33:20.000Z)");
    expect((await search({})).split("\n")).toHaveLength(52);
    put("d0/f00b.md", "");
    expect(await search({ pattern: "*.md", sort: "size", reverse: true, limit: 3 })).toContain(
      "(smallest first)\nd0/f00.md (0 bytes)\nd0/f00b.md (0 bytes)\nd1/f01.md (1 byte)\n",
    );
    fs.utimesSync(join(cwd, "d2/f02.md"), 1_000, 1_000);
    expect(await search({ sort: "modified", reverse: true, limit: 1 })).toContain(
      "(oldest first)\nd2/f02.md (2 bytes,",
    );
    expect(await search({ reverse: true, limit: 1 })).toContain("(by name from the end)\nd2/f59.md");
  });

  test("[E9] a file, a missing folder and a pipe as the place to search", async () => {
    put("a.txt", "abc");
    expect(await search({ path: "a.txt" })).toBe("1 file, 0 folders, 3 bytes in a.txt (by name)\na.txt (3 bytes)");
    await expect(search({ path: "nope" })).rejects.toThrow("nope does not exist.");
    execFileSync("mkfifo", [join(cwd, "pipe")]);
    await expect(search({ path: "pipe" })).rejects.toThrow("pipe is a named pipe");
    expect(await content("x")).toContain("No line matches x in .");
  });

  test("[E9] a name with a line break stays one line", async () => {
    put("a\nb\u001b[2K.txt", "x");
    expect(await search({})).toContain("\na\\u{a}b\\u{1b}[2K.txt (1 byte)");
  });

  test("[E9] a folder with very many entries is cut, and says so", async () => {
    for (let i = 0; i < 30; i += 1) put(`many/f${i}`, "word");
    const text = await search({ limit: 1 }, { maxEntries: 20 });
    expect(text).toContain("(stopped after 20 entries: there are more, and the counts are of those seen)");
    expect(await search({ mode: "content", pattern: "word" }, { maxEntries: 20 })).toContain(
      "stopped after 20 entries",
    );
    expect(await search({ limit: 1 }, { maxEntries: 31 })).not.toContain("stopped");
  });
});

describe("what is left out", () => {
  test("[E9] what .gitignore and its like name, in a repository, unless it is asked for", async () => {
    for (const name of ["a.log", "keep.log", "dist/x.js", "src/dist/y.js", "src/a.tmp", "src/b.ts", "top/only.ts"])
      put(name, "word");
    expect(await search({})).toContain("7 files");
    put(".gitignore", "# made\n*.log\n!keep.log\ndist/\n/only.ts\n");
    put("src/.ignore", "*.tmp\n");
    put(".git/info/exclude", "b.ts\n");
    const shown = await search({});
    for (const name of ["keep.log", "top/only.ts"]) expect(shown).toContain(name);
    for (const name of ["a.log", "dist", "a.tmp", "b.ts"]) expect(shown).not.toContain(`${name} (`);
    expect(shown).toContain("(5 names left out by .gitignore or its like: ignored: true shows them)");
    expect(await content("word")).toContain("2 lines in 2 files");
    expect(await content("word", { ignored: true })).toContain("7 lines in 7 files");
    expect(await content("word", { path: "src/dist" })).toContain("src/dist/y.js:1: word");
  });

  test("[E10] the program's own files are not named, folders of keys are not looked into", async () => {
    put("own/state.db", "word");
    put(".ssh/id_ed25519", "word");
    put("a.txt", "word");
    const shown = await search({});
    expect(shown).not.toMatch(/own|id_ed25519/);
    expect(shown).toContain("(1 folder not looked into: keys are usually kept there, or it is another disk)");
    expect(await content("word", { ignored: true })).toContain("1 line in 1 file");
  });
});

describe("with ripgrep", () => {
  const folders = (process.env["PATH"] ?? "").split(":");
  const real = folders.find((folder) => fs.existsSync(join(folder, "rg")));
  /** It names every file, as one may that does not know what is looked for. */
  const fake = (): string => {
    const program = join(base, "bin", "rg");
    fs.mkdirSync(join(base, "bin"), { recursive: true });
    fs.writeFileSync(
      program,
      '#!/bin/sh\nprintf "%s\\n" "$@" > "${0%/*}/said"\nexec /usr/bin/find . -type f -print0\n',
      { mode: 0o755 },
    );
    return join(base, "bin");
  };
  const both = async (pattern: string, programs: string, more: object = {}): Promise<[string, string]> => [
    await content(pattern, more),
    await search({ mode: "content", pattern, ...more }, { programs }),
  ];

  test("[E9] what is found is the same with it and without, and it is told to read no config and follow no link", async () => {
    put("b/x.ts", "const a = 1;\r\n\tword\u00A0here\n");
    put("b.ts", "word\nWORD\nsword\n");
    put("z/a/deep.md", "a.b\na\u{1F600}b\n");
    put(".env", "word");
    put("c.bin", Buffer.from([119, 111, 114, 100, 0]));
    fs.symlinkSync("/etc/passwd", join(cwd, "link"));
    const programs = fake();
    for (const where of [programs, ...(real === undefined ? [] : [real])]) {
      for (const [pattern, more] of [
        ["word", { ignore_case: true }],
        ["^word$", {}],
        ["\\bword\\b", { limit: 1, context: 1 }],
        ["a.b", {}],
        ["\\s\\w+", { glob: "*.ts" }],
        ["\\d;$", {}],
        ["root:", {}],
      ] as const) {
        const [own, other] = await both(pattern, where, more);
        expect(other).toBe(own);
      }
    }
    const said = fs.readFileSync(join(programs, "said"), "utf8").split("\n");
    for (const option of ["--no-config", "--no-follow", "--one-file-system"]) expect(said).toContain(option);
  });

  test("[E9] one that lies in the folder is not run, and what it cannot read is searched without it", async () => {
    put("a.txt", "foofoo\n");
    put("bin/rg", "#!/bin/sh\ntouch ran\n");
    fs.chmodSync(join(cwd, "bin/rg"), 0o755);
    expect(await search({ mode: "content", pattern: "foo" }, { programs: join(cwd, "bin") })).toContain(
      "a.txt:1: foofoo",
    );
    expect(fs.existsSync(join(cwd, "ran"))).toBe(false);
    for (const pattern of ["(foo)\\1", "foo(?!x)", "(?<a>f)oo"]) {
      const [own, other] = await both(pattern, fake());
      expect(own).toContain("1 line in 1 file");
      expect(other).toBe(own);
      expect(fs.existsSync(join(base, "bin", "said"))).toBe(false);
    }
  });
});

describe("content", () => {
  test("[E9] shows path, line and text of what matches, and counts the rest", async () => {
    put("src/a.ts", "const one = 1;\r\nconst two = 2;\n");
    put("src/b.md", "one\n");
    expect(await content("one")).toBe("2 lines in 2 files match one in .\nsrc/a.ts:1: const one = 1;\nsrc/b.md:1: one");
    expect(await content("^const \\w+ = \\d;$", { glob: "*.ts", limit: 1 })).toBe(
      "2 lines in 1 file match ^const \\w+ = \\d;$ in .\nsrc/a.ts:1: const one = 1;\n(1 more: raise limit or narrow the pattern)",
    );
    expect(await search({ pattern: "B.MD", ignore_case: true })).toContain("src/b.md");
    expect(await search({ pattern: "B.MD" })).not.toContain("src/b.md");
    expect(await content("ONE", { ignore_case: true, path: "src/b.md" })).toContain("src/b.md:1: one");
    expect(await content("(?i)ONE")).toContain("2 lines in 2 files");
    expect(await content("nothing here")).toMatch(
      /^No line matches nothing here in \.\n\(not searched: binary files, /,
    );
    expect(await content("two", { context: 1 })).toBe(
      "1 line in 1 file matches two in .\nsrc/a.ts-1- const one = 1;\nsrc/a.ts:2: const two = 2;",
    );
    await expect(search({ mode: "content" })).rejects.toThrow("needs a pattern");
  });

  test("[E9] what is no regular expression is searched as it stands", async () => {
    put("a.ts", "call(me, maybe\n");
    const text = await content("call(me");
    expect(text).toContain("a.ts:1: call(me, maybe");
    expect(text).toContain("(the pattern is no regular expression and was searched as plain text)");
  });

  test("[E9] binary, huge and secret files are left out without a word that would give them away", async () => {
    put("b.bin", Buffer.from([0, 1, 2]));
    put(".env", "KEY=word");
    put("huge.txt", "");
    fs.truncateSync(join(cwd, "huge.txt"), 6 * 1024 * 1024);
    put("a.txt", "word");
    expect(await content("word")).toBe("1 line in 1 file matches word in .\na.txt:1: word");
    expect(await content("KEY")).toBe((await content("QEY")).replace("QEY", "KEY"));
  });

  test("[E9] shows lines around a match once, with a break where some are left out", async () => {
    put("a.txt", Array.from({ length: 12 }, (_, at) => (at % 5 === 2 ? `hit ${at}` : `line ${at}`)).join("\n"));
    const lines = (await content("hit", { context: 1, limit: 2 })).split("\n");
    expect(lines).toEqual([
      "2 lines in 1 file match hit in .",
      "a.txt-2- line 1",
      "a.txt:3: hit 2",
      "a.txt-4- line 3",
      "--",
      "a.txt-7- line 6",
      "a.txt:8: hit 7",
      "a.txt-9- line 8",
    ]);
  });

  test("[E9] a regular expression that never ends is stopped at the deadline, with what was found before", async () => {
    put("a.txt", "xaab\n");
    put("b.txt", `x${"a".repeat(60)}c\n`);
    // How long a busy machine takes to begin is not known: a deadline that came before is set later.
    for (const deadlineMs of [400, 6_000]) {
      const text = await search({ mode: "content", pattern: "x(a|a)*b" }, { deadlineMs });
      if (deadlineMs === 400 && !text.includes(" in b.txt: ")) continue;
      expect(text).toContain("1 line in 1 file");
      expect(text).toContain("a.txt:1: xaab");
      const after = `stopped after ${deadlineMs / 1_000} s in b.txt`;
      expect(text).toContain(`(${after}: narrow path or glob, or use a simpler pattern)`);
      return;
    }
  });

  test("[B15] an interrupt stops a regular expression that never ends", async () => {
    put("b.txt", `x${"a".repeat(60)}c\n`);
    const slow = search({ mode: "content", pattern: "x(a|a)*b" }, { signal: AbortSignal.timeout(200) });
    await expect(slow).rejects.toThrow("timeout");
  });
});

describe("globs", () => {
  test.each([
    ["*.ts", "src/a.ts", true],
    ["*.ts", "src/a.tsx", false],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/x/a.ts", false],
    ["src/**/*.ts", "src/a.ts", true],
    ["src/**/*.ts", "src/x/y/a.ts", true],
    ["**/a", "a", true],
    ["./src/**", "src/x/y", true],
    ["*.{md,txt}", "x.txt", true],
    ["{a,b{c,d}}", "bd", true],
    ["[!a-c]*", "d1", true],
    ["[!a-c]*", "b1", false],
    ["\\*", "*", true],
    ["a?c", "a日c", true],
    ["[", "[", true],
  ])("[E9] %s and %s: %s", (pattern, path, expected) => {
    expect(globMatcher(pattern)(path)).toBe(expected);
  });

  test("[E9] agrees with the matcher of Node on plain patterns", () => {
    const name = fc
      .array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 4 })
      .map((chars) => chars.join(""));
    const piece = fc.array(fc.constantFrom("a", "b", "*", "?", "[ab]", "[!a]"), { minLength: 1, maxLength: 5 });
    // Two stars in one piece would be another operator.
    const pieces = piece.map((parts) => parts.join("").replaceAll(/\*+/g, "*"));
    const pattern = fc.array(fc.oneof(pieces, fc.constant("**")), { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(pattern, fc.array(name, { minLength: 1, maxLength: 5 }), (parts, names) => {
        // A trailing ** also stands for the folder itself in Node, which files never are.
        fc.pre(parts.at(-1) !== "**");
        const glob = parts.join("/");
        const path = names.join("/");
        expect([glob, path, globMatcher(glob)(path)]).toEqual([glob, path, matchesGlob(path, glob)]);
      }),
      { numRuns: 2_000 },
    );
  });

  test("[E9] a hostile pattern costs no more than its length times the name", () => {
    const took = workMs(() => {
      expect(globMatcher(`${"*a".repeat(2_000)}b`)("a".repeat(5_000))).toBe(false);
      expect(globMatcher(`${"**/a/".repeat(500)}b`)("a/".repeat(1_000))).toBe(false);
    });
    expect(took).toBeLessThan(5_000);
    expect(() => globMatcher("{a,b}".repeat(20))).toThrow("more than 64 alternatives");
  });
});
