import * as fs from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FileSession, Workspace } from "../../../test/support/file-session.ts";

let at: Workspace;
let session: FileSession;
beforeEach(() => {
  at = new Workspace();
  session = at.session();
});
afterEach(() => at[Symbol.dispose]());

describe("what a session knows of a file", () => {
  test("[PAR-02] a write based on what is not there any more is refused, whoever changed it", async () => {
    at.put("f.txt", "v1\n");
    await session.read("f.txt");
    const other = at.session();
    await other.read("f.txt");
    await other.replace("f.txt", "v1", "v2");
    const changed = "f.txt changed since you read it, so nothing was written: read it again first.";
    await expect(session.write("f.txt", "v1 and more\n")).rejects.toThrow(changed);
    await expect(session.write("f.txt", "v1 and more\n", { overwrite: true })).rejects.toThrow(changed);
    await expect(session.replace("f.txt", "v", "w")).rejects.toThrow(changed);
    await expect(session.patch("*** Delete File: f.txt\n")).rejects.toThrow(changed);
    expect(at.text("f.txt")).toBe("v2\n");
    await session.read("f.txt");
    await session.write("f.txt", "v3\n");
    await session.run("terminal", { command: "echo by a command >> f.txt" });
    await expect(session.write("f.txt", "v4\n")).rejects.toThrow(changed);
    expect(at.text("f.txt")).toBe("v3\nby a command\n");
  });

  test("[PAR-02] a file that was never read is not written over without saying so", async () => {
    at.put("f.txt", "old\n");
    await expect(session.write("f.txt", "new\n")).rejects.toThrow(
      "f.txt exists and was not read in this session, so nothing was written: read it first, or set overwrite to true.",
    );
    // A change of a part does not show the rest.
    await session.replace("f.txt", "old", "older");
    await expect(session.write("f.txt", "new\n")).rejects.toThrow("was not read in this session");
    // What the same reply reads, it had not seen when the write was made.
    const [, written] = await session.batch([
      ["read_file", { path: "f.txt" }],
      ["write_file", { path: "f.txt", content: "new\n" }],
    ]);
    expect(String(written)).toContain("was not read in this session");
    expect(at.text("f.txt")).toBe("older\n");
    await session.write("f.txt", "new\n");
    expect(await at.session().write("f.txt", "newer\n", { overwrite: true })).toContain("Replaced f.txt");
    at.put("empty.txt", "");
    expect(await session.write("empty.txt", "x\n")).toContain("Replaced empty.txt");
  });

  test("[PAR-02] what a session has written, it knows; so do those that go on with it elsewhere, and no new one", async () => {
    await session.write("f.txt", "a\n");
    await session.replace("f.txt", "a", "b");
    await session.patch("*** Move File: f.txt -> g.txt\n");
    const stored = JSON.parse(JSON.stringify(session.history)) as typeof session.history;
    const elsewhere = at.session(stored);
    expect(await elsewhere.write("g.txt", "c\n")).toContain("Replaced g.txt");
    await expect(at.session().write("g.txt", "d\n")).rejects.toThrow("was not read in this session");
    fs.rmSync(join(at.cwd, "g.txt"));
    expect(await elsewhere.write("g.txt", "e\n")).toContain("Created g.txt");
  });

  test("[PAR-01] edits of one file in one reply are all there, by whatever name", async () => {
    const letters = Array.from({ length: 26 }, (_, n) => `${String.fromCharCode(97 + n)}\n`).join("");
    at.put("t.txt", letters);
    const paths = ["t.txt", "./t.txt", join(at.cwd, "t.txt"), "sub/../t.txt"];
    fs.mkdirSync(join(at.cwd, "sub"));
    await session.read("t.txt");
    const edits = paths.map((path, n) => ({ path, old_string: `${"cxkq"[n]}\n`, new_string: `${"CXKQ"[n]}\n` }));
    const claims = edits.map((edit) => at.inspect("patch", edit).claim);
    for (const claim of claims) expect(claim).toEqual({ mode: "paths", reads: [], writes: [join(at.cwd, "t.txt")] });
    const told = await session.batch(edits.map((edit) => ["patch", edit]));
    expect(told.map(String)).toEqual(paths.map(() => expect.stringMatching(/^Changed t\.txt/u)));
    expect(at.text("t.txt")).toBe(letters.replace(/[cxkq]/gu, (letter) => letter.toUpperCase()));
    expect(await session.write("t.txt", "all\n")).toContain("Replaced");
  });
});

describe("what a write leaves of a file", () => {
  test("[FILE-06] the bytes outside of an edit, the mark, the line breaks and the last one stay", async () => {
    const cases: readonly [string, readonly [string, string], string][] = [
      ["efbbbf61e90d0a620d0a", ["b", "c"], "efbbbf61e90d0a630d0a"],
      ["610d0a620a630d0a", ["a\nb", "x"], "780a630d0a"],
      ["c4e3bac30d0a610d0a", ["你\u597D\na", "中\nb"], "d6d00d0a620d0a"],
      ["61ff0a62", ["b", "c"], "61ff0a63"],
      ["fffe61000d000a006200", ["b", "é"], "fffe61000d000a00e900"],
    ];
    for (const [before, [old, now], after] of cases) {
      at.put("f", Buffer.from(before, "hex"));
      await at.session().replace("f", old, now);
      expect(at.bytes("f").toString("hex")).toBe(after);
    }
  });

  test("[FILE-06] what cannot stay as it was is refused, never made anew in passing", async () => {
    at.put("odd.txt", Buffer.from("c3a9c3a9ff0a620a", "hex"));
    await session.read("odd.txt");
    await expect(session.write("odd.txt", "éé\uFFFD\nc\n")).rejects.toThrow("no text in an encoding known here");
    await expect(session.replace("odd.txt", "b", "\uFFFD")).rejects.toThrow("leave those characters out");
    at.put("west.txt", Buffer.from("caf\xe9\n", "latin1"));
    await session.read("west.txt");
    await expect(session.replace("west.txt", "caf", "你")).rejects.toThrow(
      "is in windows-1252, which lacks a character",
    );
    await expect(session.write("west.txt", "你\n")).rejects.toThrow("is in windows-1252, which lacks a character");
    expect(at.bytes("west.txt").toString("hex")).toBe("636166e90a");
    expect(await session.write("west.txt", "thé\n")).toContain("It stays in windows-1252.");
    expect(at.bytes("west.txt").toString("hex")).toBe("7468e90a");
    expect(await session.write("west.txt", "你\n", { overwrite: true })).toContain("It is UTF-8 now");
    at.put("b.bin", Buffer.from("6100ff", "hex"));
    await expect(session.replace("b.bin", "a", "b")).rejects.toThrow("b.bin is a binary file, not text");
    expect(at.bytes("b.bin").toString("hex")).toBe("6100ff");
  });

  test("[FILE-06] a whole file keeps its mark, its one kind of line break and its mode", async () => {
    fs.chmodSync(at.put("w.bat", "\uFEFFone\r\ntwo\r\n"), 0o754);
    await session.read("w.bat");
    await session.write("w.bat", "one\nthree\n");
    expect(at.text("w.bat")).toBe("\uFEFFone\r\nthree\r\n");
    expect(fs.statSync(join(at.cwd, "w.bat")).mode & 0o777).toBe(0o754);
    at.put("mixed.txt", "a\r\nb\n");
    await session.read("mixed.txt");
    await session.write("mixed.txt", "a\nc\n");
    expect(at.text("mixed.txt")).toBe("a\nc\n");
  });
});
