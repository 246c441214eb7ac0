import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { reply, save, temporaryFolder, turnEnd, turnStart } from "../../../test/support/store-world.ts";
import type { StoredSession } from "../../protocol/store.ts";
import { openSqliteStore } from "./store.ts";

type Column = "compaction" | "learnt" | "prompt";

/** A session of one turn, with a value that somebody else has written over what it keeps beside its journal. */
async function written(column: Column, value: string | Uint8Array): Promise<StoredSession> {
  const path = join(temporaryFolder(), "store.db");
  const store = openSqliteStore({ path });
  onTestFinished(() => store.close());
  const session = await store.open("s");
  await save(
    session.writer(() => undefined),
    turnStart("t", 0, "hello"),
    reply(1, "hi"),
    turnEnd("hi"),
  );
  const db = new DatabaseSync(path);
  db.prepare(`update session set ${column} = ?`).run(value);
  db.close();
  return store.open("s");
}

const places = { through: 2, from: 1, instruction: 0, cutBefore: 0 };

test.each([
  "garbage",
  "null",
  "[]",
  "7",
  "{}",
  JSON.stringify({ ...places, from: -1 }),
  JSON.stringify({ ...places, through: "2" }),
  JSON.stringify({ ...places, summary: 7 }),
])("[A10] a compaction that says nothing that can be read is none, and the archive is whole: %s", async (value) => {
  const session = await written("compaction", value);
  expect(session.compaction).toBeUndefined();
  expect(session.history).toHaveLength(2);
});

test("[A10] one that can be read holds", async () => {
  expect((await written("compaction", JSON.stringify(places))).compaction).toEqual(places);
});

test.each(["garbage", "null", "[]", "7"])(
  "[C18] what was learnt and cannot be read is not known: %s",
  async (value) => {
    expect((await written("learnt", value)).learnt).toBeUndefined();
  },
);

test.each([
  ["", "empty"],
  [" \n\t", "empty"],
  [Uint8Array.of(0xff, 0xfe), "null"],
  ["Be kind.", "present"],
] as const)("[A8] a prompt of blanks alone is an empty one: %j is %s", async (value, state) => {
  expect((await written("prompt", value)).prompt.state).toBe(state);
});
