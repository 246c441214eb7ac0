import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Folders } from "../config/folders.ts";
import { DISK } from "../context/disk.ts";
import { locked } from "../credentials/lock.ts";
import type { RuleBook } from "../protocol/approval.ts";
import { whyNotPrivate } from "../protocol/private-file.ts";
import { openRuleBook, type RuleFile } from "../tools/approval/rule-book.ts";

/** What a person has allowed for good, in the folder of a profile. */
export const rulesIn = ({ data }: Pick<Folders, "data">, cwd: string): RuleBook =>
  openRuleBook(ruleFile(data), { cwd, now: Date.now, contentOf });

function ruleFile(data: string): RuleFile {
  const path = join(data, "approval-rules.json");
  const read = (): string | undefined => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (!found.isFile()) throw new Error(`${path} is no file.`);
    const why = whyNotPrivate(path, found, process);
    if (why !== undefined) throw new Error(why.message);
    return readFileSync(path, "utf8");
  };
  return {
    read,
    change: async (how) => {
      mkdirSync(data, { recursive: true, mode: 0o700 });
      await locked(join(data, "approval-rules.lock"), () => DISK.replace(path, how(read())));
    },
  };
}

function contentOf(path: string): string | undefined {
  try {
    return createHash("sha256").update(readFileSync(path)).digest("hex");
  } catch {
    return undefined;
  }
}
