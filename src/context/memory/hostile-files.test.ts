import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openNoteBook } from "./book.ts";

/** A disk in memory where there is one. */
const DISK = process.env["TEST_TMP"] ?? (existsSync("/dev/shm") ? "/dev/shm" : tmpdir());

/** What may lie in any of the files: bytes, text, and what is nearly right. */
const content = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: "binary", maxLength: 200 }).map((text) => Buffer.from(text)),
  fc
    .array(fc.constantFrom("tea", "§", "\n", "\r\n", "\uFEFF", "{", '"version":1', '{"proposals":[{}]}', "null"))
    .map((pieces) => Buffer.from(pieces.join(""))),
  fc.json().map((text) => Buffer.from(`${text}\n`)),
);

test("[F5] whatever lies in the three files, reading never fails, and writing keeps every note or every byte", async () => {
  await fc.assert(
    fc.asyncProperty(content, content, content, async (notes, journal, proposals) => {
      const folder = mkdtempSync(join(DISK, "evander-notes-hostile-"));
      try {
        const path = join(folder, "MEMORY.md");
        writeFileSync(path, notes);
        writeFileSync(join(folder, "history.jsonl"), journal);
        writeFileSync(join(folder, "proposals.json"), proposals);
        const book = openNoteBook({
          folder,
          now: () => 1,
          alone: async (_path, work) => work(),
          clean: (text) => text,
        });
        const before = book.read("memory").notes.map(({ text }) => text);
        expect([...book.versions(), ...book.proposals()].every((each) => typeof each === "object")).toBe(true);
        const answer = await book.change({ do: "add", file: "memory", text: "new" }, { by: "turn" });
        const bytes = readFileSync(path);
        const after = book.read("memory").notes.map(({ text }) => text);
        const isKept =
          answer.type === "done" ? after.join() === [...new Set(before), "new"].join() : bytes.equals(notes);
        expect(isKept).toBe(true);
        const proposed = await book.change({ do: "add", file: "user", text: "x" }, { by: "turn" }, "web_search");
        expect(proposed.type).toBe("proposed");
        expect(book.proposals().at(-1)).toMatchObject({ tainted: "web_search" });
      } finally {
        rmSync(folder, { recursive: true });
      }
    }),
  );
}, 60_000);
