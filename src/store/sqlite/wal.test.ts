import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { reply, save, temporaryFolder, turnEnd, turnStart } from "../../../test/support/store-world.ts";
import { openSqliteStore } from "./store.ts";

const MB = 1024 * 1024;

test("[G1] the write-ahead log stays small however much is saved, and is cut back when a reader that kept it long has gone", async () => {
  const path = join(temporaryFolder(), "evander.db");
  const store = openSqliteStore({ path });
  const writer = (await store.open("s")).writer(() => {});
  const logBytes = (): number => statSync(`${path}-wal`).size;
  let turns = 0;
  const saveMegabytes = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at++, turns++) {
      const text = `${turns} `.padEnd(MB, "x");
      await save(writer, turnStart(`t${turns}`, 2 * turns, "go"), reply(2 * turns + 1, text), turnEnd("done"));
    }
  };
  await saveMegabytes(20);
  expect(logBytes()).toBeLessThan(16 * MB);

  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec("begin; select count(*) from journal");
  await saveMegabytes(20);
  expect(logBytes()).toBeGreaterThan(20 * MB);
  reader.exec("commit");
  reader.close();
  await saveMegabytes(2);
  expect(logBytes()).toBeLessThanOrEqual(16 * MB);
  store.close();
});
