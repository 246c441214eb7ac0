import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { openKeyChest } from "../../src/credentials/chest.ts";
import type { Raced } from "./key-racer.ts";

/** A disk in memory where there is one: the race is for the lock, and not for the disk. */
const FOLDER = process.env["TEST_TMP"] ?? (existsSync("/dev/shm") ? "/dev/shm" : tmpdir());
const RACER = join(import.meta.dirname, "key-racer.ts");

/** Two processes blame the keys of one pool, `times` each; what both saw, added up. */
export async function raceForKeys(times: number, keys = 4): Promise<Raced> {
  const folder = mkdtempSync(join(FOLDER, "evander-key-races-"));
  try {
    const chest = openKeyChest(folder, Date.now);
    for (let at = 0; at < keys; at++) await chest.add({ provider: "p", key: `key-number-${at}-0123456789` });
    const run = promisify(execFile);
    const ended = await Promise.all([1, 2].map(() => run(process.execPath, [RACER, folder, String(times)])));
    const seen = ended.map(({ stdout }) => JSON.parse(stdout) as Raced);
    const sum = (of: keyof Raced): number => seen.reduce((total, each) => total + each[of], 0);
    return { blames: sum("blames"), renewals: sum("renewals"), wrong: sum("wrong") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
