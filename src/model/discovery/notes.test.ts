import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openNotes } from "./notes.ts";

const folders: string[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "evander-notes-"));
  folders.push(folder);
  return join(folder, "cache");
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const HOUR = 3_600_000;

test("[X2] what was learnt is kept for its time: a week, an hour where nothing was shown, a day for default models", () => {
  const folder = newFolder();
  let now = 1_000_000_000_000;
  const notes = openNotes(folder, () => now);
  expect(notes.tools("m")).toBeUndefined();
  notes.keepTools("m", true);
  notes.keepTools("n", null);
  notes.keepDefaultModel("groq", "x");
  expect([notes.tools("m"), notes.tools("n"), notes.defaultModel("groq")]).toEqual([true, null, "x"]);
  now += HOUR;
  expect([notes.tools("m"), notes.tools("n"), notes.defaultModel("groq")]).toEqual([true, undefined, "x"]);
  now += 24 * HOUR;
  expect([notes.tools("m"), notes.defaultModel("groq")]).toEqual([true, undefined]);
  now += 7 * 24 * HOUR;
  expect(notes.tools("m")).toBeUndefined();
  now -= 30 * 24 * HOUR;
  expect(notes.tools("m")).toBeUndefined();
});

test("[X2] the file is for its user alone, is written whole, and is replaced when it is damaged", () => {
  const folder = newFolder();
  mkdirSync(folder);
  const file = join(folder, "models.json");
  for (const damage of ["{", "[1]", "null", '{"tools m": {"value": "maybe", "at": "soon"}}']) {
    writeFileSync(file, damage);
    const notes = openNotes(folder, () => 5);
    expect(notes.tools("m")).toBeUndefined();
    notes.keepTools("m", false);
    expect(notes.tools("m")).toBe(false);
  }
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["models.json"]);
  expect(JSON.parse(readFileSync(file, "utf8"))).toHaveProperty(["tools m", "value"], false);
});

test("[X2] without a folder, or where it cannot be written, nothing is kept and nothing fails", () => {
  const folder = newFolder();
  writeFileSync(folder, "a file");
  for (const nowhere of [undefined, folder, join(folder, "below")]) {
    const notes = openNotes(nowhere, () => 5);
    notes.keepTools("m", true);
    expect(notes.tools("m")).toBeUndefined();
  }
});
