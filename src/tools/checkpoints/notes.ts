import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "../write-whole.ts";

const noteFile = (folder: string, sessionId: string): string =>
  join(folder, "notes", createHash("sha256").update(sessionId).digest("hex"));

/** What the model of a session is to be told with the next message; undefined: nothing. `folder`: of the checkpoints. */
export function readNote(folder: string, sessionId: string): string | undefined {
  const path = noteFile(folder, sessionId);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

export const writeNote = (folder: string, sessionId: string, text: string): void =>
  writeWhole(noteFile(folder, sessionId), text);

export const dropNote = (folder: string, sessionId: string): void =>
  rmSync(noteFile(folder, sessionId), { force: true });
