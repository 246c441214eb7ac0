import * as fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Workspace } from "../../../test/support/file-session.ts";
import { changeFiles, type FileChange } from "./change-files.ts";
import { existingFile } from "./existing-file.ts";

const never = new AbortController().signal;

async function changeOf(at: Workspace, name: string, after: string | undefined): Promise<FileChange> {
  const target = { real: join(at.cwd, name), shown: name, place: { cwd: at.cwd, home: at.base, guarded: [] } };
  const before = await existingFile(target);
  return { target, before, after: after === undefined ? undefined : Buffer.from(after), mode: before?.stats.mode };
}

test("[E9] when one of several files cannot take its name, those before it are put back as they were", async () => {
  using at = new Workspace();
  fs.chmodSync(at.put("a.txt", "a\n"), 0o640);
  at.put("b.txt", "b\n");
  const changes = [
    await changeOf(at, "a.txt", "A\n"),
    await changeOf(at, "b.txt", undefined),
    await changeOf(at, "c.txt", "C\n"),
    // There is nothing to delete: what goes wrong in the middle.
    await changeOf(at, "none.txt", undefined),
  ];
  await expect(changeFiles(changes, never)).rejects.toThrow(
    "none.txt does not exist. Nothing was changed: all files are as they were.",
  );
  expect([at.text("a.txt"), at.text("b.txt")]).toEqual(["a\n", "b\n"]);
  expect(fs.statSync(join(at.cwd, "a.txt")).mode & 0o777).toBe(0o640);
  expect(fs.readdirSync(at.cwd).toSorted()).toEqual(["a.txt", "b.txt"]);
});

test("[PAR-02] what changes between the look and the write stops all of it", async () => {
  using at = new Workspace();
  at.put("a.txt", "a\n");
  at.put("b.txt", "b\n");
  const changes = [await changeOf(at, "a.txt", "A\n"), await changeOf(at, "b.txt", "B\n")];
  at.put("b.txt", "by somebody else\n");
  await expect(changeFiles(changes, never)).rejects.toThrow("b.txt was changed by somebody else in this very moment");
  expect([at.text("a.txt"), at.text("b.txt")]).toEqual(["a\n", "by somebody else\n"]);
  expect(fs.readdirSync(at.cwd).toSorted()).toEqual(["a.txt", "b.txt"]);
});
