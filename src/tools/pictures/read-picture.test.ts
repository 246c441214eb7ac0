import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readPicture } from "./read-picture.ts";

test("[C5] a pipe that nobody writes to, a folder and a name without a file are no pictures, at once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "evander-picture-"));
  try {
    const pipe = join(folder, "x.png");
    expect(spawnSync("mkfifo", [pipe]).status).toBe(0);
    for (const path of [pipe, folder, join(folder, "none.png")])
      expect(await readPicture(path, "x.png")).toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
