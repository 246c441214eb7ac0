import * as fs from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pdfOf } from "../../../../test/support/pdf.ts";
import { type FileSession, Workspace } from "../../../../test/support/file-session.ts";

let at: Workspace;
let session: FileSession;
beforeEach(() => {
  at = new Workspace();
  session = at.session();
});
afterEach(() => at[Symbol.dispose]());

describe("read_file, what is in a file", () => {
  test("[E9] UTF-16, GBK and Windows-1252 are read as what they are, and said to be", async () => {
    at.put("le.txt", Buffer.from("\uFEFFhé\r\n你\r\n", "utf16le"));
    at.put("be.txt", Buffer.from("\uFEFFhé\n", "utf16le").swap16());
    at.put("gbk.txt", Buffer.from("c4e3bac3d6d0b9fa0d0a61", "hex"));
    at.put("west.txt", Buffer.from("na\xefve caf\xe9", "latin1"));
    at.put("odd.txt", Buffer.from("c3a9c3a8c3a0ff0a", "hex"));
    expect(await session.read("le.txt")).toMatch(/\(read as UTF-16 LE; lines end in CR LF\)\n1\|hé\n2\|你$/u);
    expect(await session.read("be.txt")).toMatch(/\(read as UTF-16 BE\)\n1\|hé$/u);
    expect(await session.read("gbk.txt")).toMatch(/\(read as GBK; lines end in CR LF\)\n1\|你好中国\n2\|a$/u);
    expect(await session.read("west.txt")).toMatch(/\(read as Windows-1252 \(Latin-1\)\)\n1\|naïve café$/u);
    expect(await session.read("odd.txt")).toMatch(/\(not UTF-8: what could not be read .*\)\n1\|éèà\uFFFD$/u);
  });

  test("[E9] a PDF document is read as text, in pages", async () => {
    at.put("a.pdf", pdfOf(["Hello PDF", "Second page"]));
    expect(await session.read("a.pdf")).toMatch(
      /^a\.pdf: lines 1-4 of 4, the text of 2 pages, \d+ bytes\n1\|--- page 1 of 2 ---\n2\|Hello PDF\n3\|--- page 2 of 2 ---\n4\|Second page$/u,
    );
    expect(await session.read("a.pdf", { offset: 4 })).toContain("lines 4-4 of 4");
    at.put("bad.pdf", "%PDF-1.7\nnothing");
    await expect(session.read("bad.pdf")).rejects.toThrow("bad.pdf is a PDF document that cannot be read");
    at.put("blank.pdf", pdfOf([""]));
    await expect(session.read("blank.pdf")).rejects.toThrow("its pages are pictures");
  });

  test("[E9] a folder is listed, without what is private", async () => {
    at.put("src/b.ts", "b");
    at.put("a.txt", "a");
    at.put(".env", "KEY=1");
    at.put("state/db", "x");
    expect(await session.read(".")).toBe(
      ". is a folder of 2 entries; to look further down, use search_files.\nsrc/\na.txt",
    );
  });

  test("[E9] a name that is nearly right is said, and none of a folder that needs a yes", async () => {
    at.put("src/server.ts", "b");
    fs.writeFileSync(join(at.outside, "secret.txt"), "x");
    await expect(session.read("src/sever.ts")).rejects.toThrow("does not exist. Did you mean src/server.ts?");
    await expect(session.read("scr/server.ts")).rejects.toThrow("does not exist. Did you mean src?");
    await expect(session.read("zzz.txt")).rejects.toThrow(/does not exist\.$/u);
    await expect(session.read(join(at.outside, "secrets.txt"))).rejects.toThrow(/does not exist\.$/u);
  });
});

describe("read_file, what was read before", () => {
  test("[E9] lines that stand there unchanged are not shown again, unless they are wanted or not there any more", async () => {
    at.put("a.txt", "1\n2\n3\n4\n");
    await session.read("a.txt", { limit: 3 });
    const stub = "a.txt is unchanged since you read it: lines 2-3 still stand above.";
    expect(await session.read("./a.txt", { offset: 2, limit: 2 })).toContain(stub);
    expect(await session.read("a.txt", { offset: 2, limit: 2, force: true })).toContain("2|2\n3|3");
    expect(await session.read("a.txt")).toContain("1|1\n2|2\n3|3\n4|4");
    expect(await session.read("a.txt")).toContain("lines 1-4 still stand above");
    // A compaction has left out what came before.
    expect(await session.run("read_file", { path: "a.txt" }, { sentFrom: session.history.length })).toContain("1|1\n");
    at.put("a.txt", "1\n2\n3\n5\n");
    expect(await session.read("a.txt")).toContain("4|5");
    expect(await at.session().read("a.txt")).toContain("4|5");
  });
});
