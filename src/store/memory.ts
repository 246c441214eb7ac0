import type { Store } from "../protocol/store.ts";
import { openMemory } from "./sqlite/database.ts";
import { storeOn } from "./sqlite/store.ts";

/** A store that lives and dies with this process: the same tables as on disk, in memory, with nothing to sync. */
export const memoryStore = (): Store => storeOn(openMemory(), {});
