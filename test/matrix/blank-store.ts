import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/agent/agent.ts";

const FILE = "evander.db";

let blank: Buffer | undefined;

/** A folder with a store that nobody has used: to set one up takes longer than most cells do with it. */
export function blankStore(): string {
  blank ??= setUp();
  const folder = newFolder();
  writeFileSync(join(folder, FILE), blank);
  return folder;
}

function setUp(): Buffer {
  const folder = newFolder();
  openStore(folder).close();
  const file = readFileSync(join(folder, FILE));
  rmSync(folder, { recursive: true, force: true });
  return file;
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), "evander-matrix-"));
