import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Folders } from "../config/folders.ts";
import type { RuleBook } from "../protocol/approval.ts";
import { openRuleBook } from "../tools/approval/rule-book.ts";
import { privateFile } from "./private-file.ts";

/** What a person has allowed for good, in the folder of a profile. */
export const rulesIn = ({ data }: Pick<Folders, "data">, cwd: string): RuleBook =>
  openRuleBook(privateFile(data, "approval-rules"), { cwd, now: Date.now, contentOf });

function contentOf(path: string): string | undefined {
  try {
    return createHash("sha256").update(readFileSync(path)).digest("hex");
  } catch {
    return undefined;
  }
}
