import { readFileSync, writeFileSync } from "node:fs";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";

let emptyStore: Buffer | undefined;

/** An empty store is made once and copied for each world: to make one takes as long as a short life. */
export function putEmptyStore(path: string): void {
  if (emptyStore === undefined) {
    openSqliteStore({ path }).close();
    emptyStore = readFileSync(path);
  } else writeFileSync(path, emptyStore);
}
