import assert from "node:assert/strict";
import { replayTurn } from "../../src/agent/replaying.ts";
import type { Store } from "../../src/protocol/store.ts";

/** Every one of these turns is run again against its record, and comes to the same, byte for byte. */
export async function assertReplays(store: Store, turnIds: readonly string[], label = ""): Promise<void> {
  for (const id of turnIds) {
    const replay = await replayTurn(store, id);
    const told = JSON.stringify(replay && [replay.difference, replay.unchecked]);
    assert.equal(told, "[null,[]]", `${label}: the replay of ${id}: ${told}`);
  }
}
