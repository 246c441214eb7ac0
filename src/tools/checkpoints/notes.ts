import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

const noteFile = (folder: string, sessionId: string): string =>
  join(folder, "notes", createHash("sha256").update(sessionId).digest("hex"));

/** What the model of a session is to be told with the next message; undefined: nothing. `folder`: of the checkpoints. */
export function readNote(folder: string, sessionId: string): string | undefined {
  const path = noteFile(folder, sessionId);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

export function writeNote(folder: string, sessionId: string, text: string): void {
  const path = noteFile(folder, sessionId);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(`${path}.next`, "w", 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.next`, path);
}

export const dropNote = (folder: string, sessionId: string): void =>
  rmSync(noteFile(folder, sessionId), { force: true });
