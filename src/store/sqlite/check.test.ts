import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test } from "vitest";
import { checkSqliteStore } from "./check.ts";
import { openSqliteStore } from "./store.ts";

const folders: string[] = [];

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "evander-check-"));
  folders.push(folder);
  return join(folder, "evander.db");
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

test("[X1] a store is looked at without being made, opened by others or not, and keeps every byte", async () => {
  const path = newPath();
  expect(checkSqliteStore(path)).toEqual({ type: "absent" });
  const store = openSqliteStore({ path });
  await store.open("a");
  expect(checkSqliteStore(path)).toMatchObject({ type: "sound" });
  store.close();
  const before = readFileSync(path);
  expect(checkSqliteStore(path)).toEqual({ type: "sound", sessions: 1, bytes: before.length });
  expect(readFileSync(path)).toEqual(before);
});

test("[X1] a damaged store, one that is none and one of a newer program are told apart", () => {
  const path = newPath();
  openSqliteStore({ path }).close();
  const bytes = readFileSync(path);
  const broken = newPath();
  writeFileSync(
    broken,
    bytes.map((byte, at) => (at > 4_096 && at % 3 === 0 ? 0xff : byte)),
  );
  expect(checkSqliteStore(broken)).toMatchObject({ type: "faulty", fault: "corrupt" });
  const none = newPath();
  writeFileSync(none, "words, and more words".repeat(500));
  expect(checkSqliteStore(none)).toMatchObject({ type: "faulty", fault: "corrupt" });
  const db = new DatabaseSync(path);
  db.exec("pragma user_version = 999");
  db.close();
  expect(checkSqliteStore(path)).toMatchObject({ type: "faulty", fault: "newer" });
});
