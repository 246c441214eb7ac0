import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { locked, unlessLocked } from "./lock.ts";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "evander-lock-"));
  path = join(folder, "lock");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("who will not wait is told at once that another holds the lock, in this process or in another one", async () => {
  const { promise: done, resolve: end } = Promise.withResolvers<string>();
  const first = unlessLocked(path, () => done);
  expect(await unlessLocked(path, () => "second")).toBeUndefined();
  end("first");
  expect(await first).toEqual({ value: "first" });
  const other = new DatabaseSync(path);
  other.exec("BEGIN EXCLUSIVE");
  expect(await unlessLocked(path, () => "third")).toBeUndefined();
  await expect(locked(path, () => "fourth", 0)).rejects.toThrow("is held by another process.");
  other.close();
  expect(await unlessLocked(path, () => undefined)).toEqual({ value: undefined });
});

test("who waits goes in after whoever would not, also when that fails", async () => {
  const { promise: done, reject: fail } = Promise.withResolvers<string>();
  const first = unlessLocked(path, () => done);
  const second = locked(path, () => "second");
  fail(new Error("lost"));
  await expect(first).rejects.toThrow("lost");
  expect(await second).toBe("second");
});
