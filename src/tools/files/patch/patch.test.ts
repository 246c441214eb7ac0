import * as fs from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FileSession, Workspace } from "../../../../test/support/file-session.ts";

let at: Workspace;
let session: FileSession;
beforeEach(() => {
  at = new Workspace();
  session = at.session();
});
afterEach(() => at[Symbol.dispose]());

describe("patch, one text", () => {
  test("[E9] puts one text in the place of another and shows what changed", async () => {
    at.put("a.ts", "one\ntwo\nthree\nfour\nfive\n");
    fs.chmodSync(join(at.cwd, "a.ts"), 0o750);
    expect(await session.replace("a.ts", "three", "3\n3b")).toBe(
      "Changed a.ts at line 3-4 (+2 -1).\n@@ -1,5 +1,6 @@\n one\n two\n-three\n+3\n+3b\n four\n five",
    );
    expect(at.text("a.ts")).toBe("one\ntwo\n3\n3b\nfour\nfive\n");
    expect(fs.statSync(join(at.cwd, "a.ts")).mode & 0o777).toBe(0o750);
    expect(await session.replace("a.ts", "f", "F", { replace_all: true })).toContain("at line 5-6 (+2 -2)");
    expect(fs.readdirSync(at.cwd)).toEqual(["a.ts"]);
  });

  test("[E9] what was only alike is said, with the way it was found", async () => {
    at.put("a.py", "def f():\n    return  1\n");
    expect(await session.replace("a.py", "return 1", "return 2")).toContain("(whitespace_normalized)");
    expect(at.text("a.py")).toBe("def f():\n    return 2\n");
  });

  test("[E9] what is not there, or there too often, is told with the lines that are", async () => {
    at.put("a.ts", "function add(a, b) {\n  return a + b;\n}\nlet x;\nlet x;\n");
    await expect(session.replace("a.ts", "function sub(p, q) {\n  throw p;", "")).rejects.toThrow(
      "not found in a.ts, so nothing was changed. The closest lines are:\n1|function add(a, b) {\n2|  return a + b;",
    );
    await expect(session.replace("a.ts", "1|function add", "x")).rejects.toThrow('leave "NUMBER|" out');
    await expect(session.replace("a.ts", "let x;", "x")).rejects.toThrow("was found 2 times in a.ts: line 4, 5. Add");
    await expect(session.replace("a.ts", "qqq www", "x")).rejects.toThrow("No line is like it");
    await expect(session.replace("b.ts", "a", "x")).rejects.toThrow("b.ts does not exist: nothing was changed.");
    await expect(session.run("patch", { path: "a.ts", old_string: "x" })).rejects.toThrow("new_string is missing");
    await expect(session.run("patch", { mode: "patch", path: "a.ts" })).rejects.toThrow("Mode patch needs patch");
  });

  test("[E9] JSON and YAML that were right and are not are noted, and written", async () => {
    at.put("a.json", '{"a": 1}');
    expect(await session.replace("a.json", "1", "1,")).toContain("not valid JSON");
    expect(at.text("a.json")).toBe('{"a": 1,}');
    expect(await session.replace("a.json", "1,", "2,")).not.toContain("Note");
    expect(await session.write("b.yaml", "a: [1\n")).toContain("not valid YAML");
    expect(await session.write("tsconfig.json", "{ // all\n}")).not.toContain("Note");
  });
});

describe("patch, several files", () => {
  test("[E9] updates, adds, deletes and moves, each by its own hunks", async () => {
    at.put("src/a.ts", "class A {\n  run() {\n    go();\n  }\n}\nclass B {\n  run() {\n    go();\n  }\n}\n");
    at.put("old.txt", "x\ny\n");
    at.put("gone.txt", "z\n");
    const told = await session.patch(
      "*** Begin Patch\n*** Update File: src/a.ts\n@@ class B {\n@@ run() {\n-    go();\n+    stop();\n" +
        "***Add File: new/b.ts\n+export {};\n*** Delete File: gone.txt\n" +
        "*** Move File: old.txt -> moved/new.txt\n*** Update File: moved/new.txt\n x\n-y\n+why\n*** End Patch\n",
    );
    expect(told).toMatch(/^Changed src\/a\.ts at line 8 \(\+1 -1\)\./u);
    expect(told).toContain("Created new/b.ts: 1 line, 11 bytes.");
    expect(told).toContain("Deleted gone.txt (2 bytes).");
    expect(told).toContain("Moved old.txt to moved/new.txt.");
    expect(at.text("src/a.ts")).toContain("class A {\n  run() {\n    go();");
    expect(at.text("src/a.ts")).toContain("class B {\n  run() {\n    stop();");
    expect(at.text("moved/new.txt")).toBe("x\nwhy\n");
    expect(fs.readdirSync(at.cwd).toSorted()).toEqual(["moved", "new", "src"]);
  });

  test("[E9] when one hunk does not fit, no file is touched", async () => {
    at.put("a.txt", "a\n");
    at.put("b.txt", "b\n");
    const patch = "*** Update File: a.txt\n-a\n+A\n*** Add File: c.txt\n+c\n*** Update File: b.txt\n@@\n-nope\n+B\n";
    await expect(session.patch(patch)).rejects.toThrow(
      "does not fit b.txt: these lines are not there:\nnope\nNo file was changed.",
    );
    expect([at.text("a.txt"), at.text("b.txt"), fs.existsSync(join(at.cwd, "c.txt"))]).toEqual(["a\n", "b\n", false]);
  });

  test("[E9] a place that is not one is an error, unless an anchor, a line or the end says which", async () => {
    const put = (): string => at.put("a.txt", "x\nk\nx\nk\nx\n");
    put();
    await expect(session.patch("*** Update File: a.txt\n@@\n-x\n+y\n")).rejects.toThrow(
      "fits 3 places in a.txt: line 1, 3, 5",
    );
    await session.patch("*** Update File: a.txt\n@@ -3,1 +3,1 @@\n-x\n+y\n");
    expect(at.text("a.txt")).toBe("x\nk\ny\nk\nx\n");
    await session.patch("*** Update File: a.txt\n@@\n-x\n+z\n*** End of File\n");
    expect(at.text("a.txt")).toBe("x\nk\ny\nk\nz\n");
  });

  test("[E9] an existing file is not added, nothing is moved onto another, and an empty patch says what one looks like", async () => {
    at.put("a.txt", "a\n");
    at.put("b.txt", "b\n");
    await expect(session.patch("*** Add File: a.txt\n+x\n")).rejects.toThrow("a.txt exists already");
    await expect(session.patch("*** Move File: a.txt -> b.txt\n")).rejects.toThrow("a.txt was not moved there");
    await expect(session.patch("hello")).rejects.toThrow('It begins with "*** Begin Patch"');
    await expect(session.patch("*** Update File: a.txt\n a\n")).rejects.toThrow("changes nothing in");
    await expect(session.patch("*** Delete File: none.txt\n")).rejects.toThrow("none.txt does not exist");
    expect([at.text("a.txt"), at.text("b.txt")]).toEqual(["a\n", "b\n"]);
  });

  test("[E9] lines that stay keep their bytes, and lines that come take the breaks of the place", async () => {
    at.put("a.txt", "one \r\n\ttwo\nthree\r\nfour");
    await session.patch("*** Update File: a.txt\n@@\n one\n-  two\n+  2\n+  2b\n three\n-four\n+4\n+5\n");
    expect(at.text("a.txt")).toBe("one \r\n\t2\n\t2b\nthree\r\n4\r\n5");
  });

  test("[E4] every file of a patch is reserved and named before it runs, also both sides of a move", () => {
    const patch =
      "*** Update File: a.txt\n-a\n+b\n*** Move File: b.txt -> sub/c.txt\n*** Delete File: d.txt\n*** Add File: e.txt\n+*** Add File: no.txt\n";
    const writes = ["a.txt", "b.txt", "sub/c.txt", "d.txt", "e.txt"].map((name) => join(at.cwd, name));
    expect(at.inspect("patch", { mode: "patch", path: "decoy.txt", patch }).claim).toEqual({
      mode: "paths",
      reads: [],
      writes,
    });
    expect(at.inspect("patch", { patch }).claim).toMatchObject({ writes });
    expect(at.inspect("patch", { mode: "patch", patch: "nothing" }).claim).toEqual({ mode: "exclusive" });
    expect(at.inspect("patch", { path: "./a.txt", old_string: "a", new_string: "b" }).claim).toMatchObject({
      writes: writes.slice(0, 1),
    });
  });

  test("[E10] each target is asked about as a write of its own", () => {
    const patch = "*** Update File: a.txt\n-a\n+b\n*** Add File: .git/hooks/x\n+y\n*** Move File: a -> ../outside/b\n";
    const { ask } = at.inspect("patch", { mode: "patch", patch });
    expect(ask).toContain("changes what other programs run");
    expect(ask).toContain("is outside the working folder");
    expect(at.inspect("patch", { path: "a.txt", old_string: "a", new_string: "b" }).ask).toBeUndefined();
  });

  test("[FILE-01] nothing is edited, moved or deleted through a link that leaves the folder", async () => {
    fs.writeFileSync(join(at.outside, "keep.txt"), "keep\n");
    fs.symlinkSync(join(at.outside, "keep.txt"), join(at.cwd, "todo.md"));
    fs.symlinkSync(join(at.outside, "absent.txt"), join(at.cwd, "new.txt"));
    fs.symlinkSync(at.outside, join(at.cwd, "out"));
    at.put("a.txt", "a\n");
    const refused = "outside the working folder; nothing was written";
    await expect(session.replace("todo.md", "keep", "x")).rejects.toThrow(refused);
    for (const patch of [
      "*** Update File: todo.md\n-keep\n+x\n",
      "*** Add File: new.txt\n+x\n",
      "*** Delete File: out/keep.txt\n",
      "*** Move File: a.txt -> out/a.txt\n",
    ])
      await expect(session.patch(patch)).rejects.toThrow(refused);
    expect(fs.readdirSync(at.outside)).toEqual(["keep.txt"]);
    expect(fs.readFileSync(join(at.outside, "keep.txt"), "utf8")).toBe("keep\n");
    expect(at.text("a.txt")).toBe("a\n");
  });
});
