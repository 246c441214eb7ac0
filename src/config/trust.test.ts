import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { distrustFolder, isTrusted, trustedFolders, trustFolder } from "./trust.ts";

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "evander-trust-")));
  for (const path of ["w", "w/deep", "w/vendor/.git", "w/tool/.evander", "w-secret"])
    mkdirSync(join(folder, path), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const data = (): string => join(folder, "data");
const trusted = (path: string): boolean => isTrusted(data(), join(folder, path));

test("[X8] trust reaches down to where another project begins, and to no folder of a like name", () => {
  expect(trusted("w")).toBe(false);
  trustFolder(data(), join(folder, "w"));
  expect(statSync(join(data(), "trusted.json")).mode & 0o777).toBe(0o600);
  expect(["w", "w/deep", "w/none"].map(trusted)).toEqual([true, true, false]);
  expect(["w/vendor", "w/vendor/.git", "w/tool", "w-secret", "."].map(trusted)).toEqual(Array(5).fill(false));
  trustFolder(data(), join(folder, "w/vendor"));
  expect(trusted("w/vendor")).toBe(true);
});

test("[X8] a folder is known by its real path and by what the file system calls it", () => {
  trustFolder(data(), join(folder, "w"));
  symlinkSync(join(folder, "w"), join(folder, "link"));
  expect(trusted("link")).toBe(true);
  // Another folder in the place of the trusted one is not it.
  renameSync(join(folder, "w"), join(folder, "old"));
  expect(trusted("old")).toBe(false);
  mkdirSync(join(folder, "w"));
  expect(trusted("w")).toBe(false);
  // Nothing that lies in a folder makes it pass for another.
  mkdirSync(join(folder, "evil/.git"), { recursive: true });
  writeFileSync(join(folder, "evil/.git/commondir"), `${join(folder, "old")}\n`);
  expect(trusted("evil")).toBe(false);
});

test("[X8] a list that cannot be read trusts nothing; what is no folder cannot be trusted; trust can be taken back", () => {
  trustFolder(data(), join(folder, "w"));
  trustFolder(data(), join(folder, "w"));
  expect(trustedFolders(data())).toHaveLength(1);
  expect(() => trustFolder(data(), join(folder, "none"))).toThrow("is no folder that can be trusted");
  expect(distrustFolder(data(), join(folder, "w/deep"))).toBe(false);
  rmSync(join(folder, "w"), { recursive: true });
  expect(distrustFolder(data(), join(folder, "w"))).toBe(true);
  expect(trustedFolders(data())).toEqual([]);
  for (const text of ["{", "[1]", '[{"path":"/"}]', "null"]) {
    writeFileSync(join(data(), "trusted.json"), text);
    expect(trusted("w-secret")).toBe(false);
  }
});
