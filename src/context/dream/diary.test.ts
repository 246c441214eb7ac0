import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Diary, diaryIn } from "./diary.ts";

/** Monday, 30 November 2026, 9:05 local time. */
const NOW = new Date(2026, 10, 30, 9, 5).getTime();

async function inFolder(use: (folder: string, diary: Diary) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "evander-diary-"));
  const locked = <T>(_: string, work: () => T): Promise<T> => Promise.resolve(work());
  const clean = (text: string): string => text.replaceAll(/sk-\w+/gu, "***");
  try {
    await use(folder, diaryIn({ folder, locked, clean, now: () => NOW }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("[F5] an entry has the next cursor, the local minute and no key; the file is its owner's alone", async () => {
  await inFolder(async (folder, diary) => {
    await diary.append(
      [
        { content: "first sk-abc  \n", session: "s" },
        { content: "second", tainted: "web_fetch" },
      ],
      0,
    );
    await diary.append([{ content: "third" }], 0);
    const timestamp = "2026-11-30 09:05";
    expect(diary.read()).toEqual([
      { cursor: 1, timestamp, content: "first ***", session: "s" },
      { cursor: 2, timestamp, content: "second", tainted: "web_fetch" },
      { cursor: 3, timestamp, content: "third" },
    ]);
    for (const name of ["diary.jsonl", "diary.cursor"]) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    expect(readFileSync(join(folder, "diary.cursor"), "utf8")).toBe("3\n");
  });
});

test("[F5] what a text may have is cut off, a summary earlier, and no character is cut in two", async () => {
  await inFolder(async (_, diary) => {
    const long = "😀".repeat(40_000);
    await diary.append([{ content: long }, { content: long, summary: true }], 0);
    const [text, summary] = diary.read().map(({ content }) => content);
    expect([text?.length, summary?.length]).toEqual([63_999, 7_999]);
    expect([text?.isWellFormed(), summary?.isWellFormed()]).toEqual([true, true]);
  });
});

test("[F5] wherever a crash has torn the file, the next entry stands for itself and takes no cursor twice", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(400), fc.boolean(), async (bytes, hasCounter) => {
      await inFolder(async (folder, diary) => {
        await diary.append([{ content: "one" }, { content: "两" }, { content: "three" }], 0);
        const path = join(folder, "diary.jsonl");
        truncateSync(path, Math.min(bytes, statSync(path).size));
        if (!hasCounter) rmSync(join(folder, "diary.cursor"));
        const left = diary.read();
        await diary.append([{ content: "after" }], 0);
        const all = diary.read();
        expect(all.slice(0, -1)).toEqual(left);
        expect(all.at(-1)).toMatchObject({ content: "after" });
        expect(new Set(all.map(({ cursor }) => cursor)).size).toBe(all.length);
      });
    }),
    { numRuns: 25 },
  );
});

test("[F5] the oldest of very many go, once a dream has seen them; the counter goes on", async () => {
  await inFolder(async (folder, diary) => {
    const entries = (count: number): { content: string }[] => Array.from({ length: count }, () => ({ content: "x" }));
    await diary.append(entries(1_100), 0);
    expect(diary.read()).toHaveLength(1_100);
    await diary.append(entries(1), 200);
    const kept = diary.read().map(({ cursor }) => cursor);
    expect([kept[0], kept.at(-1), kept.length]).toEqual([102, 1_101, 1_000]);
    writeFileSync(join(folder, "diary.jsonl"), "");
    await diary.append(entries(1), 1_101);
    expect(diary.read().map(({ cursor }) => cursor)).toEqual([1_102]);
  });
});
