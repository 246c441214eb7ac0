import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The copy of a config as it was when it was last read without an error. */
export interface LastGood {
  readonly path: string;
  readonly text: string;
  readonly savedMs: number;
}

const copyOf = (stateFolder: string, path: string): string =>
  join(stateFolder, "last-good", `${createHash("sha256").update(path).digest("hex").slice(0, 16)}.yaml`);

export function lastGood(stateFolder: string, path: string): LastGood | undefined {
  const copy = copyOf(stateFolder, path);
  try {
    return { path: copy, text: readFileSync(copy, "utf8"), savedMs: statSync(copy).mtimeMs };
  } catch {
    return undefined;
  }
}

/** Keeps a copy of what was just read. Where it cannot be kept, a later error is only less comfortable. */
export function keepLastGood(stateFolder: string, path: string, text: string): void {
  const copy = copyOf(stateFolder, path);
  try {
    if (lastGood(stateFolder, path)?.text === text) return;
    mkdirSync(join(stateFolder, "last-good"), { recursive: true, mode: 0o700 });
    const draft = `${copy}.${process.pid}`;
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, copy);
  } catch {
    // See above.
  }
}
