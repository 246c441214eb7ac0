import { copyFileSync, existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { save, temporaryFolder } from "../../../test/support/store-world.ts";
import { english, type Sentence } from "../../protocol/sentence.ts";
import { userText } from "../../protocol/message.ts";
import { openSqliteStore } from "./store.ts";

/** Bytes of the head of a log, and of a frame in it. */
const HEAD = 32;
const FRAME = 24 + 4096;

/** A store as a machine that stopped has left it: in the middle of its log a page never came to the disk. */
async function cutStore(): Promise<string> {
  const folder = temporaryFolder();
  const whole = join(folder, "whole.db");
  const store = openSqliteStore({ path: whole });
  for (const name of ["a", "b", "c"]) {
    const session = await store.open(name);
    const messages = [userText(`hello ${name}`)];
    await save(
      session.writer(() => undefined),
      { type: "history-imported", seq: 0, messages },
    );
    session.release();
  }
  const path = join(folder, "evander.db");
  for (const end of ["", "-wal"]) copyFileSync(`${whole}${end}`, `${path}${end}`);
  store.close();
  const log = readFileSync(`${path}-wal`);
  const frames = Math.floor((log.length - HEAD) / FRAME);
  log.fill(0, HEAD + (frames - 3) * FRAME, HEAD + (frames - 2) * FRAME);
  writeFileSync(`${path}-wal`, log);
  return path;
}

test("[R4][G1] a log with a hole is opened and told when the machine was started since, and kept as it was found", async () => {
  const path = await cutStore();
  const found = readFileSync(`${path}-wal`);
  utimesSync(`${path}-wal`, 1, 1);
  const told: Sentence[] = [];
  const store = openSqliteStore({ path, onNotice: (notice) => told.push(notice) });
  expect(store.list().map(({ sessionId }) => sessionId)).toContain("a");
  store.close();
  expect(told).toHaveLength(1);
  expect(english(told[0] ?? "")).toContain(`${path}-wal.cut-1000`);
  expect(readFileSync(`${path}-wal.cut-1000`)).toEqual(found);
  openSqliteStore({ path, onNotice: (notice) => told.push(notice) }).close();
  expect(told).toHaveLength(1);
});

test("[R7][G1] a log with a hole is damage where no machine was started since", async () => {
  const path = await cutStore();
  expect(() => openSqliteStore({ path })).toThrow("evander store recover");
  expect(existsSync(`${path}-wal.cut-1000`)).toBe(false);
});
