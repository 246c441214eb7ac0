import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/store-world.ts";
import { openSqliteStore } from "./store.ts";

/** Long enough that an open which does not wait meets the lock. */
const HELD_MS = 400;

test("[G2] opening a store waits for a process that is writing in it", async () => {
  const path = join(temporaryFolder(), "evander.db");
  openSqliteStore({ path }).close();
  const source = `
    import { DatabaseSync } from "node:sqlite";
    const db = new DatabaseSync(process.argv[1]);
    db.exec("begin immediate");
    process.stdout.write("locked");
    setTimeout(() => db.exec("commit"), ${HELD_MS});
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");

  const store = openSqliteStore({ path });

  onTestFinished(() => store.close());
  expect(store.list()).toEqual([]);
});
