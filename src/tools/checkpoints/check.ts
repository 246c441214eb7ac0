import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { reasonOf } from "../../protocol/reason-of.ts";
import type { CheckpointCheck } from "../../protocol/turn-files.ts";
import { SHELF_FILE } from "./shelf.ts";

/** Looks at the snapshots of a folder and changes nothing. Never throws. */
export function checkCheckpoints(folder: string): CheckpointCheck {
  const path = join(folder, SHELF_FILE);
  if (!existsSync(path)) return { type: "absent" };
  try {
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      const told = db.prepare("pragma quick_check(1)").get()?.["quick_check"];
      if (told !== "ok") throw new Error(String(told));
      const turns = Number(db.prepare("select count(distinct turn) as turns from step").get()?.["turns"]);
      const bytes = Number(db.prepare("select coalesce(sum(size), 0) as bytes from blob").get()?.["bytes"]);
      return { type: "sound", turns, bytes };
    } finally {
      db.close();
    }
  } catch (error) {
    const why = reasonOf(error);
    return {
      type: "faulty",
      message: {
        en: `The snapshots of files in ${path} cannot be read (${why}): nothing can be undone until the file is moved away.`,
        zh: `无法读取 ${path} 中的文件快照（${why}）：移走该文件之前无法撤销。`,
      },
    };
  }
}
