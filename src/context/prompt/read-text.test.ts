import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readText } from "./read-text.ts";

let folder = "";
const at = (name: string): string => join(folder, name);
const put = (name: string, content: string | Buffer): string => {
  writeFileSync(at(name), content);
  return at(name);
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "evander-read-text-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("[A7] a text is read whole, without the mark of its encoding, its lines ended in one way", () => {
  expect(readText(put("a", "\uFEFFone\r\ntwo"))).toEqual({ type: "text", head: "one\ntwo", bytes: 11 });
  expect(readText(at("none"))).toEqual({ type: "absent" });
  expect(readText(join(at("a"), "below"))).toEqual({ type: "absent" });
});

test("[A7] what is no text, or no file, is named and never waited for", () => {
  const notText = { type: "unread", because: "not-text" };
  expect(readText(put("nul", "a\0b"))).toEqual(notText);
  expect(readText(put("latin1", Buffer.from([0x61, 0xe9, 0x20])))).toEqual(notText);
  expect(readText(put("utf16", Buffer.from("\uFEFFhello", "utf16le")))).toEqual(notText);
  const noFile = { type: "unread", because: "not-a-file" };
  mkdirSync(at("folder"));
  expect(readText(at("folder"))).toEqual(noFile);
  expect(spawnSync("mkfifo", [at("pipe")]).status).toBe(0);
  expect(readText(at("pipe"))).toEqual(noFile);
  symlinkSync("/dev/zero", at("device"));
  expect(readText(at("device"))).toEqual(noFile);
});

test("[A7] of a file of 50 MB only its ends are read, whatever characters are cut there", () => {
  const big = put("big", `begin ${"é".repeat(100_000)}`);
  truncateSync(big, 50_000_000);
  // A hole is full of NUL.
  expect(readText(big)).toEqual({ type: "unread", because: "not-text" });
  for (const pad of ["", "x", "xx"]) {
    const read = readText(put("long", `begin${pad}${"语".repeat(16_700_000)}end`));
    if (read.type !== "text") throw new Error(read.type);
    expect(read.head).toMatch(/^begin x?x?语+$|^begin(?:x|xx)?语+$/u);
    expect(read.tail).toMatch(/^语+end$/u);
    expect(read.bytes).toBeGreaterThan(50_000_000);
    expect(Buffer.byteLength(read.head) + Buffer.byteLength(read.tail ?? "")).toBeLessThanOrEqual(131_072);
  }
});

test("[A7] a link to what is not there, or to itself, is no file that is missing", () => {
  const nowhere = { type: "unread", because: "leads-nowhere" };
  symlinkSync(at("not-there"), at("dangling"));
  symlinkSync("loop", at("loop"));
  expect(readText(at("dangling"))).toEqual(nowhere);
  expect(readText(at("loop"))).toEqual(nowhere);
});
