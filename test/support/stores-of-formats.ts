import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

const FOLDER = join(import.meta.dirname, "..", "fixtures", "stores");

/** Formats of which there is a store that the program of its time has written (test/fixtures/stores/README.md). */
export const KEPT_FORMATS: readonly number[] = readdirSync(FOLDER)
  .flatMap((name) => /^format-(\d+)\.db\.gz$/u.exec(name)?.[1] ?? [])
  .map(Number)
  .toSorted((one, other) => one - other);

/** Puts the store `format-NAME.db.gz` at a path. */
export const unpackStore = (name: number | string, path: string): void =>
  writeFileSync(path, gunzipSync(readFileSync(join(FOLDER, `format-${name}.db.gz`))), { mode: 0o600 });
