import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { type Made, tarOf } from "../../../../test/support/tar.ts";
import { lineChanges } from "../../../protocol/line-changes.ts";
import type { SkillRecord } from "../../../protocol/skill-install.ts";
import { scanSkill } from "../scan.ts";
import { type Entry, entriesTrouble } from "./entries.ts";
import { needsFrom } from "./manifest.ts";
import { finishPlacing, isPlacing, place } from "./place.ts";
import { entriesIn, readArchive } from "./read-archive.ts";
import { installedIn, readRecord } from "./records.ts";
import { ArchiveError, tarEntries } from "./tar.ts";

const folders: string[] = [];

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "evander-install-"));
  folders.push(path);
  return path;
}

afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true });
});

/** As the system's own tar writes it; `more`: its options. */
function packed(at: string, ...more: readonly string[]): Buffer {
  execFileSync("tar", ["-cf", join(at, "..", "packed.tar"), "-C", at, ...more]);
  return readFileSync(join(at, "..", "packed.tar"));
}

test("[F6] an archive of the system's tar is read as it was written, in every form that tar has", () => {
  const at = join(folder(), "source");
  const long = `${"long-name-".repeat(9)}.md`;
  mkdirSync(join(at, "references", "déjà"), { recursive: true });
  writeFileSync(join(at, "SKILL.md"), "text");
  writeFileSync(join(at, "references", "déjà", long), "x".repeat(1_000));
  writeFileSync(join(at, "run.sh"), "true", { mode: 0o755 });
  for (const form of [[], ["--format=pax"], ["--format=ustar"]]) {
    const entries = entriesIn(gzipSync(packed(at, ...form, ".")));
    if (!Array.isArray(entries)) throw new Error(`${form.join(" ")}: ${entries.why}`);
    const files = entries.filter(({ kind }) => kind === "file");
    expect(
      Object.fromEntries(files.map(({ path, content, executable }) => [path, [content.length, executable]])),
    ).toEqual({ "./SKILL.md": [4, false], [`./references/déjà/${long}`]: [1_000, false], "./run.sh": [4, true] });
  }
});

test("[FILE-05] an archive with one bad entry is refused whole before anything of it is written", () => {
  const none = Buffer.alloc(0);
  const good: Made = ["SKILL.md", Buffer.from("x")];
  const why = (...entries: readonly Made[]): string => {
    const read = entriesIn(gzipSync(tarOf([good, ...entries])));
    return Array.isArray(read) ? "taken" : read.why;
  };
  expect(why(["references/", none, "5"], ["references/a.md", Buffer.from("x")])).toBe("taken");
  for (const type of ["1", "2", "3", "4", "6", "S", "V"])
    expect([type, why(["x", none, type, "/etc"])]).toEqual([type, "no-file"]);
  for (const path of ["../../.bashrc", "/etc/cron.d/x", "C:\\x", "a\\..\\..\\b", "a/../b", "../skill_evil/x", "a\0b"])
    expect([path, why([path, good[1]])]).toEqual([path, "bad-path"]);
  expect(why(good)).toBe("twice");
  expect(why(["skill.MD", good[1]])).toBe("twice");
  expect(why(["link", none, "2", "/etc"], ["link/passwd", good[1]])).toBe("no-file");
  expect(() => entriesIn(gzipSync(Buffer.alloc(64 * 1024 * 1024)))).toThrow("100 times its size");
  expect(() => entriesIn(gzipSync(tarOf([["zeros", Buffer.alloc(400_000)]])))).toThrow("100 times its size");
  for (const mode of [0o4755, 0o2755]) expect(why(["run.sh", good[1], "0", "", mode])).toBe("no-file");
  expect(why(["run.sh", good[1], "0", "", 0o1755], ["references/", none, "5", "", 0o2755])).toBe("taken");
  const cut = join(folder(), "cut.tar");
  for (const bytes of [
    tarOf([good]).subarray(0, 1_700),
    gzipSync(tarOf([good])).subarray(0, 40),
    Buffer.from("no tar"),
  ]) {
    writeFileSync(cut, bytes);
    expect(readArchive(cut)).toMatchObject({ type: "refused" });
  }
});

test("[FILE-05] names are judged for both separators, devices, case, length and number", () => {
  const file = (path: string): Entry => ({ path, kind: "file", bytes: 1 });
  const why = (...paths: readonly string[]): string | undefined => entriesTrouble(paths.map(file))?.why;
  expect(why("SKILL.md", "references/a.md", "references/..a/b", "a b.md", "日本語.md")).toBe("bad-path");
  expect(why("SKILL.md", "references/a.md", ".gitignore", "a b.md", "日本語.md")).toBeUndefined();
  for (const path of [
    "../x",
    "/x",
    "a/../../x",
    "a/../b",
    "..",
    "C:\\x",
    "a\\..\\..\\b",
    "\\\\server\\x",
    "a\0b",
    "aux.txt",
    "dir/NUL",
    "com1",
    "x ",
    "x.",
    "a/",
    "",
    "a\u202Eb",
    "a\nb",
    "a:b",
    "a/b/c/d/e",
    "~/x",
    "~root/x",
  ])
    expect([path, why(path)]).toEqual([path, "bad-path"]);
  for (const pair of [
    ["a.md", "A.md"],
    ["a", "a/b"],
    ["a/b", "a"],
    ["é", "e\u0301"],
    ["./a", "a"],
    ["K", "\u212A"],
  ])
    expect([pair, why(...pair)]).toEqual([pair, "twice"]);
  expect(why("n".repeat(5_000))).toBe("long-path");
  expect(why("n".repeat(200))).toBe("long-path");
  expect(why(...Array.from({ length: 1_001 }, (_, at) => `f${at}`))).toBe("entries");
  expect(entriesTrouble([{ path: "a", kind: "file", bytes: 2_000_000 }])?.why).toBe("file-size");
  expect(entriesTrouble(Array.from({ length: 17 }, (_, at) => ({ ...file(`f${at}`), bytes: 1_000_000 })))?.why).toBe(
    "size",
  );
});

test("[FILE-05] bytes that are no archive are refused or read, and never break or hang the reader", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 4_096 }), fc.integer({ min: 0, max: TAR.length - 1 }), (noise, at) => {
      const archive = Buffer.from(TAR);
      archive.set(noise.subarray(0, Math.min(noise.length, archive.length - at)), at);
      expect(readOrRefused(archive)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

/** Whatever comes of it is an answer; anything else is thrown. */
function readOrRefused(archive: Buffer): boolean {
  try {
    return [...tarEntries(archive)].every(({ path, content }) => path.length + content.length < 10_000);
  } catch (error) {
    if (error instanceof ArchiveError) return true;
    throw error;
  }
}

const TAR = tarOf([["a", Buffer.from("x")]]);

const recordOf = (version: string): SkillRecord => ({
  manifest: { id: "one", version, files: {}, needs: { tools: [], hosts: [], env: [], bins: [] } },
  origin: { type: "folder", path: "/x" },
  installedMs: 1,
  by: "somebody",
});

const filesOf = (text: string): { path: string; content: Buffer; executable: boolean }[] => [
  { path: "SKILL.md", content: Buffer.from(text), executable: false },
];

test("[F6] whoever dies while a skill is put into place leaves the old one, or an agreement that is carried out", () => {
  const root = folder();
  place(root, recordOf("1"), filesOf("old"));
  // Died before the agreement was whole: the draft is forgotten.
  const unfinished = join(root, ".incoming", "x");
  mkdirSync(join(unfinished, "skill"), { recursive: true });
  writeFileSync(join(unfinished, "agreed.new"), "{");
  finishPlacing(root);
  expect(readFileSync(join(root, "one", "SKILL.md"), "utf8")).toBe("old");
  // Died with the agreement written, before, between and behind the two renames.
  for (const [at, died] of (["before", "between", "behind"] as const).entries()) {
    const draft = join(root, ".incoming", died);
    mkdirSync(join(draft, "skill"), { recursive: true });
    writeFileSync(join(draft, "skill", "SKILL.md"), `new ${died}`);
    writeFileSync(join(draft, "agreed.json"), JSON.stringify(recordOf(`2.${at}`)));
    if (died !== "before") execFileSync("mv", [join(root, "one"), join(root, `kept-${died}`)]);
    if (died === "behind") execFileSync("mv", [join(draft, "skill"), join(root, "one")]);
    expect(isPlacing(root)).toBe(true);
    finishPlacing(root);
    expect(readFileSync(join(root, "one", "SKILL.md"), "utf8")).toBe(`new ${died}`);
    expect(readRecord(root, "one")?.manifest.version).toBe(`2.${at}`);
    expect(isPlacing(root)).toBe(false);
  }
  expect(readdirSync(join(root, ".archive", "one")).length).toBe(2);
});

test("[F6] what a skill says it needs is words, and cannot look like a line of ours", () => {
  const said = { hosts: "a.test", bins: ["git\nNothing was found.", 7, "", "\u2028"], tools: {} };
  expect(needsFrom(said)).toEqual({
    hosts: ["a.test"],
    bins: ["git", "Nothing", "was", "found."],
    tools: [],
    env: [],
  });
});

test("[F6] a record that is no record is passed over", () => {
  const root = folder();
  place(root, recordOf("1"), filesOf("old"));
  for (const text of ["", "{", "[]", '{"manifest":1}', JSON.stringify({ ...recordOf("1"), by: 3 })]) {
    writeFileSync(join(root, ".installed", "one.json"), text);
    expect([text, installedIn(root)]).toEqual([text, []]);
  }
  rmSync(join(root, "one"), { recursive: true });
  writeFileSync(join(root, ".installed", "one.json"), JSON.stringify(recordOf("1")));
  expect(installedIn(root)).toEqual([]);
  expect(existsSync(join(root, "one"))).toBe(false);
});

test("[F6] the lines of a difference lead from the old text to the new one", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineChanges(before, after);
      const count = (sign: string, all: readonly string[]): number =>
        all.filter((line) => line.startsWith(sign)).length;
      const size = (whole: string): number => (whole === "" ? 0 : whole.split("\n").length);
      expect(size(before) - count("-", lines) + count("+", lines)).toBe(size(after));
      expect(before !== after || count("-", lines) + count("+", lines) === 0).toBe(true);
    }),
  );
  expect(lineChanges("a\nb\nc\n", "a\nx\nc\n")).toEqual([" a", "-b", "+x", " c"]);
  expect(lineChanges(undefined, "a")).toEqual([]);
});

test("[F6] a scan finds a program behind a program, and what takes the guard off a download", () => {
  const found = (text: string): string[] => scanSkill([{ path: "SKILL.md", text }]).map(({ id }) => id);
  expect(found("python -c \"exec(__import__('base64').b64decode('aW1wb3J0'))\"")).toEqual(["encoded_command"]);
  expect(found("xattr -d com.apple.quarantine Tool.app")).toEqual(["fake_prerequisite"]);
  expect(found("Run exec(query) and read what it says of base64.")).toEqual([]);
});
