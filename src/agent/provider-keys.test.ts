import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rootFolders } from "../config/folders.ts";
import { trustFolder } from "../config/trust.ts";
import { openKeys } from "./provider-keys.ts";

test("[D7] [X8] the keys of a project's .env are listed where its folder is trusted", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "evander-keys-"));
  try {
    const around = { env: {}, home: cwd, platform: "linux", systemFolder: cwd } as const;
    const asked = { cwd, keyFolder: join(cwd, "state"), providers: [], secrets: [] };
    writeFileSync(join(cwd, ".env"), "OPENROUTER_API_KEY=sk-test-aaaaaaaaaaaa1\n");
    expect((await openKeys(asked, around)).list()).toEqual([]);
    trustFolder(rootFolders(around).data, cwd);
    expect((await openKeys(asked, around)).list()).toMatchObject([
      { provider: "openrouter", source: expect.stringContaining(".env"), status: { state: "ok" } },
    ]);
  } finally {
    rmSync(cwd, { recursive: true });
  }
});
