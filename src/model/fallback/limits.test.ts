import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Limit, openLimits } from "./limits.ts";

const folder = mkdtempSync(join(tmpdir(), "evander-limits-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const freshPath = (): string => join(folder, `limits-${++files}.json`);

const limit = (more: Partial<Limit> = {}): Limit => ({
  provider: "p",
  model: "m",
  key: "k",
  untilMs: 2_000,
  reason: "rate_limit",
  ...more,
});

test("[D12] a limit holds until its time, for one key of one model, and the longer of two stands", () => {
  for (const path of [undefined, freshPath()]) {
    const limits = openLimits(path);
    limits.add(limit(), 1_000);
    limits.add(limit({ untilMs: 1_500 }), 1_000);
    expect(limits.against(limit(), 1_999)?.untilMs).toBe(2_000);
    expect(limits.against(limit(), 2_000)).toBeUndefined();
    for (const other of [{ key: "x" }, { model: "x" }, { provider: "x" }])
      expect(limits.against(limit(other), 1_000)).toBeUndefined();
    limits.remove(limit(), 1_000);
    expect(limits.against(limit(), 1_000)).toBeUndefined();
  }
});

test("[D12] what one process writes another one sees, and keeps when it writes itself", () => {
  const path = freshPath();
  const [one, other] = [openLimits(path), openLimits(path)];
  expect(other.against(limit(), 1_000)).toBeUndefined();
  one.add(limit(), 1_000);
  expect(other.against(limit(), 1_100)).toEqual(limit());
  other.add(limit({ key: "second" }), 1_100);
  expect(one.against(limit({ key: "second" }), 1_200)).toBeDefined();
  expect(one.against(limit(), 1_200)).toBeDefined();
  rmSync(path);
  expect(one.against(limit(), 1_300)).toBeUndefined();
});

test("[D12] limits that are over are forgotten, and nothing is left beside the file", () => {
  const path = freshPath();
  const limits = openLimits(path);
  for (let at = 0; at < 50; at++) limits.add(limit({ key: `k${at}`, untilMs: at + 1 }), at);
  expect(openLimits(path).against(limit({ key: "k49" }), 49)).toBeDefined();
  expect(openLimits(path).against(limit({ key: "k48" }), 0)).toBeUndefined();
  expect(readdirSync(folder).filter((name) => name.endsWith(".draft"))).toEqual([]);
});

test("[D12] a limit that ends later than any is kept says nothing: a clock was wrong, or the file is", () => {
  for (const untilMs of [1_000 + 3_600_001, 1e99]) {
    const path = freshPath();
    writeFileSync(path, JSON.stringify([limit({ untilMs })]));
    const limits = openLimits(path);
    expect(limits.against(limit(), 1_000)).toBeUndefined();
    limits.add(limit(), 1_000);
    expect(limits.against(limit(), 1_000)?.untilMs).toBe(2_000);
  }
});

test("[D12] a place that cannot be written, and a file of something else, cost a request and nothing else", () => {
  for (const place of ["no-such-folder", "x".repeat(300)]) {
    const nowhere = openLimits(join(folder, place, "limits.json"));
    expect(nowhere.against(limit(), 1_000)).toBeUndefined();
    nowhere.add(limit(), 1_000);
    expect(nowhere.against(limit(), 1_000)).toBeDefined();
  }
  for (const text of ["", "{", "{}", "null", '"x"', "[1, null, {}]", '[{"provider": "p", "model": "m", "key": 1}]']) {
    const path = freshPath();
    writeFileSync(path, text);
    expect(openLimits(path).against(limit(), 1_000)).toBeUndefined();
  }
});

test("[D12] what is no file is not opened: a pipe would be waited for", () => {
  const path = freshPath();
  execFileSync("mkfifo", [path]);
  const limits = openLimits(path);
  expect(limits.against(limit(), 1_000)).toBeUndefined();
  limits.add(limit(), 1_000);
  expect(openLimits(path).against(limit(), 1_000)).toBeDefined();
});
