import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
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

test("[C5] a picture above the limit is refused unread, with the limit and what helps", async () => {
  const folder = mkdtempSync(join(tmpdir(), "evander-picture-"));
  try {
    const path = join(folder, "big.png");
    writeFileSync(path, "\x89PNG\r\n\x1a\n", "latin1");
    truncateSync(path, 60_000_000);
    const why = {
      en: "big.png has 60 MB, and a picture may have 50 MB: save it smaller, or as JPEG, and send that.",
      zh: "big.png 有 60 MB，而图片最多 50 MB：请另存为较小的图片或 JPEG 再发送。",
    };
    expect(await readPicture(path, "big.png")).toEqual({ type: "unfit", why });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
