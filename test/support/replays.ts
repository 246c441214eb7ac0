import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { replayTurn } from "../../src/agent/replaying.ts";
import type { Store } from "../../src/protocol/store.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";

/** Every one of these turns is run again against its record, and comes to the same, byte for byte. */
export async function assertReplays(store: Store, turnIds: readonly string[], label = ""): Promise<void> {
  for (const id of turnIds) {
    const replay = await replayTurn(store, id);
    const told = JSON.stringify(replay && [replay.difference, replay.unchecked]);
    assert.equal(told, "[null,[]]", `${label}: the replay of ${id}: ${told}`);
  }
}

/** The same of the newest turns in the file of a store, so many at most, as far as they can be run again. */
export async function assertFileReplays(path: string, most = 20): Promise<void> {
  if (!existsSync(path)) return;
  const store = openSqliteStore({ path });
  try {
    let left = most;
    for (const { turnId } of store.turns({})) {
      if (left-- === 0) break;
      const replay = await replayTurn(store, turnId);
      const told = JSON.stringify(replay?.difference ?? null);
      assert.equal(told, "null", `the replay of ${turnId}: ${told}`);
    }
  } finally {
    store.close();
  }
}
